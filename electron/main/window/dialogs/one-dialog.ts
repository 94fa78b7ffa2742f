import type { BrowserWindow } from 'electron'
import { raceCancellation } from '../../async'

/**
 * Shows a system dialog on the current window and gives its result. Null, without showing it, while another one is
 * open. Null also when the window is closed: Electron then never settles the promises of its dialogs
 * (electron/electron#9952, #36496).
 *
 * @param dialog shows it; the signal aborts when the window is closed, for dialogs that take one
 */
export type ShowDialog = <T>(
  dialog: (window: BrowserWindow | null, closed: AbortSignal) => Promise<T>,
) => Promise<T | null>

/** Allows one dialog at a time, so that a compromised page can't open many. */
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
