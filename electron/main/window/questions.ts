import { type BrowserWindow, dialog } from 'electron'

/** What the user is asked outside the page. */
export interface Question {
  message: string
  detail: string
  /** What the button says that agrees. */
  agree: string
}

/** Asks the user: whether they agree, or null where another question is open and this one was not asked. */
export type Ask = (question: Question) => Promise<boolean | null>

/**
 * Asks in a dialog of the system, before the window that is there: the page cannot answer for the user. One question is
 * open at a time, so that a page cannot pile them up.
 */
export function questionsIn(current: () => BrowserWindow | null): Ask {
  let asking = false
  return async ({ message, detail, agree }) => {
    if (asking) return null
    asking = true
    try {
      const window = current()
      const options = {
        type: 'warning' as const,
        title: 'Slipway',
        message,
        detail,
        buttons: ['Cancel', agree],
        // Enter and Escape change nothing.
        defaultId: 0,
        cancelId: 0,
        noLink: true,
      }
      const { response } = await (window
        ? dialog.showMessageBox(window, options)
        : dialog.showMessageBox(options))
      return response === 1
    } finally {
      asking = false
    }
  }
}
