import { dialog } from 'electron'
import type { ShowDialog } from './one-dialog'

/** A question to the operator outside the page. */
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

/** How long nothing is asked after a refusal, and at most after several, in milliseconds. */
export const quiet = { firstMs: 10_000, maxMs: 600_000 } as const

/**
 * Asks in a system dialog, which a page can't answer for the operator. A page can't ask until they give in either:
 * after a refusal, it has to wait before the next question, twice as long after each further refusal.
 *
 * @param now a monotonic clock in milliseconds
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
    quietMs = agreed ? quiet.firstMs : Math.min(2 * quietMs, quiet.maxMs)
    return agreed
  }
}
