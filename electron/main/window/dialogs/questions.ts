import { dialog } from 'electron'
import type { ShowDialog } from './one-dialog'

/** What the user is asked outside the page. */
export interface Question {
  message: string
  detail: string
  /** What the button says that agrees. */
  agree: string
  /** What the other one says; "Cancel" where it is not given. */
  decline?: string
}

/**
 * Asks the user: whether they agree, or null where nobody has said so: another dialog is open, one was just declined, or
 * the window was closed meanwhile.
 */
export type Ask = (question: Question) => Promise<boolean | null>

/** So long nothing is asked after a no, and at most after many, in milliseconds. */
export const quiet = { firstMs: 10_000, mostMs: 600_000 } as const

/**
 * Asks in a dialog of the system, before the window that is there: the page cannot answer for the user. It must not wear
 * them down either, so after a no nothing is asked for a while, which doubles with every further one until they agree.
 *
 * @param now a clock in milliseconds that is never set back
 */
export function questionsIn(show: ShowDialog, now: () => number = () => performance.now()): Ask {
  let quietUntil = Number.NEGATIVE_INFINITY
  let quietMs: number = quiet.firstMs
  return async ({ message, detail, agree, decline = 'Cancel' }) => {
    if (now() < quietUntil) return null
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
    if (!agreed) quietUntil = now() + quietMs
    quietMs = agreed ? quiet.firstMs : Math.min(2 * quietMs, quiet.mostMs)
    return agreed
  }
}
