import { type BrowserWindow, dialog } from 'electron'
import { raceCancellation } from '../async'

/** A question to the operator outside the page. System dialogs don't scroll, so its text fits on a small screen. */
export interface Question {
  message: string
  detail: string
  /** The label of the button that agrees. */
  agree: string
  /** The label of the other button; "Cancel" by default. */
  decline?: string
}

/**
 * Asks the operator. Gives whether they agree; null without an answer: another dialog is open, one was just declined,
 * or the window was closed.
 */
export type Ask = (question: Question) => Promise<boolean | null>

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

/** How long nothing is asked after a refusal, in milliseconds. */
const quietMs = 10_000

/**
 * Asks in a system dialog, which a page can't answer for the operator. A page can't ask until they give in either:
 * after a refusal, it has to wait before the next question.
 */
export function questionsIn(show: ShowDialog): Ask {
  let quietUntil = Number.NEGATIVE_INFINITY
  return async ({ message, detail, agree, decline = 'Cancel' }) => {
    if (performance.now() < quietUntil) return null
    const options = {
      type: 'warning' as const,
      title: 'Slipway',
      message,
      detail,
      buttons: [decline, agree],
      // Enter and Escape change nothing.
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    }
    const answer = await show((window, signal) =>
      window
        ? dialog.showMessageBox(window, { ...options, signal })
        : // Without a window to close, macOS doesn't take a signal.
          dialog.showMessageBox(options),
    )
    if (answer === null) return null
    const agreed = answer.response === 1
    if (!agreed) quietUntil = performance.now() + quietMs
    return agreed
  }
}
