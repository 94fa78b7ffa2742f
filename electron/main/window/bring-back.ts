import { app, type BrowserWindow, dialog } from 'electron'
import { sleep } from '../async'
import { appUrl } from './page/app-origin'
import type { ShowDialog } from './dialogs/one-dialog'

/** How often the page is loaded again unasked, and within how many milliseconds: one that ends each time would go on. */
const most = 3
const within = 60_000

/** So long the question waits for another dialog to be answered, and again, in milliseconds. */
const dialogMs = 1_000

/**
 * Loads the page again, where it was, whenever its process has ended: what is kept is in the main process. From the
 * fourth time in a minute on the user is asked, and gets the first screen, since the one it was on may be what ends it.
 *
 * @param show shows the question, once no other dialog is open
 * @param told is called with whether the page has just been loaded again unasked: true when it is, false once it was
 *   loaded for another reason
 */
export function bringBack(
  window: BrowserWindow,
  show: ShowDialog,
  told: (again: boolean) => void,
  report: (error: unknown) => void,
): void {
  let times: number[] = []
  let loadingAgain = false

  const tell = (): void => {
    loadingAgain = true
    told(true)
  }

  const ask = async (): Promise<void> => {
    for (;;) {
      const answer = await show((_before, signal) =>
        // Before a window that was never shown the question could not be seen either.
        window.isVisible()
          ? dialog.showMessageBox(window, { ...question, signal })
          : dialog.showMessageBox(question),
      )
      if (answer?.response === 1) return app.quit()
      if (window.isDestroyed()) return
      if (answer) break
      await sleep(dialogMs)
    }
    times = []
    tell()
    await window.loadURL(appUrl)
  }

  window.webContents.on('render-process-gone', (_event, { reason }) => {
    // As it ends with its window.
    if (reason === 'clean-exit' || window.isDestroyed()) return
    const now = performance.now()
    times = [...times.filter((time) => now - time < within), now]
    if (times.length > most) void ask().catch(report)
    else {
      tell()
      window.webContents.reload()
    }
  })
  window.webContents.on('did-finish-load', () => {
    if (!loadingAgain) told(false)
    loadingAgain = false
  })
}

const question = {
  type: 'error' as const,
  title: 'Slipway',
  message: 'The window stopped working.',
  detail:
    'Slipway reloaded it several times, and it stopped each time. Reload it on the first screen, or quit and restart Slipway.',
  buttons: ['Reload', 'Quit'],
  defaultId: 0,
  cancelId: 0,
  noLink: true,
}
