import { app, type BrowserWindow, dialog } from 'electron'
import { appUrl } from './app-origin'

/** How often the page is loaded again unasked, and within how many milliseconds: one that ends each time would go on. */
const most = 3
const within = 60_000

/**
 * Loads the page again, where it was, whenever its process has ended: what is kept is in the main process. From the
 * fourth time in a minute on the user is asked, and gets the first screen, since the one it was on may be what ends it.
 *
 * @param told is called each time the page is loaded again
 */
export function bringBack(window: BrowserWindow, told: () => void, report: (error: unknown) => void): void {
  let times: number[] = []

  const ask = async (): Promise<void> => {
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      title: 'Slipway',
      message: 'The window stopped working.',
      detail:
        'Slipway loaded it again several times, and each time it stopped. Reload it on the first screen, or quit and start Slipway again.',
      buttons: ['Reload', 'Quit'],
      defaultId: 0,
      cancelId: 0,
      noLink: true,
    })
    if (response === 1) app.quit()
    else if (!window.isDestroyed()) {
      times = []
      told()
      await window.loadURL(appUrl)
    }
  }

  window.webContents.on('render-process-gone', (_event, { reason }) => {
    // As it ends with its window.
    if (reason === 'clean-exit' || window.isDestroyed()) return
    const now = performance.now()
    times = [...times.filter((time) => now - time < within), now]
    if (times.length > most) void ask().catch(report)
    else {
      told()
      window.webContents.reload()
    }
  })
}
