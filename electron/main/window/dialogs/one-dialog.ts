import type { BrowserWindow } from 'electron'
import { raceCancellation } from '../../async'

/**
 * Shows a dialog of the system before the window that is there, and gives what it gives. Null, without showing it, while
 * another one is open; null as well once that window is closed: Electron never settles what its dialogs promise then
 * (electron/electron#9952, #36496), and nobody has answered.
 *
 * @param dialog shows it; the signal, which dialogs that take one are closed by, aborts when the window is closed
 */
export type ShowDialog = <T>(
  dialog: (window: BrowserWindow | null, closed: AbortSignal) => Promise<T>,
) => Promise<T | null>

/** Lets one dialog be open at a time, whoever shows it: a page that was taken over must not pile them up. */
export function oneDialogAtATime(current: () => BrowserWindow | null): ShowDialog {
  let open = false
  return async (dialog) => {
    if (open) return null
    open = true
    const window = current()
    const closed = new AbortController()
    const close = (): void => closed.abort()
    window?.once('closed', close)
    try {
      return (await raceCancellation(dialog(window, closed.signal), closed.signal)) ?? null
    } finally {
      window?.removeListener('closed', close)
      open = false
    }
  }
}
