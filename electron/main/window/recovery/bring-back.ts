import { app, type BrowserWindow, dialog } from 'electron'
import { sleep } from '../../async'
import { appUrl } from '../page/app-origin'
import type { ShowDialog } from '../dialogs/one-dialog'

/**
 * How many reloads are made without a question, and within how many milliseconds. Otherwise a page that crashes each
 * time would be reloaded forever.
 */
const maxReloads = 3
const within = 60_000

/** How long to wait for another dialog before the question is tried again, in milliseconds. */
const dialogMs = 1_000

/**
 * Reloads the page at the same screen when its process ends: all state is in the main process. After more than three
 * times in a minute, asks the operator, and loads the first screen, since the current one may be the cause.
 *
 * @param show shows the question, once no other dialog is open
 * @param onReload is called with true when the page is reloaded after a crash, and with false once it was loaded for
 *   another reason
 */
export function bringBack(
  window: BrowserWindow,
  show: ShowDialog,
  onReload: (afterCrash: boolean) => void,
  report: (error: unknown) => void,
): void {
  let times: number[] = []
  let loadingAgain = false

  const noteReload = (): void => {
    loadingAgain = true
    onReload(true)
  }

  const ask = async (): Promise<void> => {
    for (;;) {
      const answer = await show((_before, signal) =>
        // The dialog of a window that was never shown would be invisible too.
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
    noteReload()
    await window.loadURL(appUrl)
  }

  window.webContents.on('render-process-gone', (_event, { reason }) => {
    // The window is closing.
    if (reason === 'clean-exit' || window.isDestroyed()) return
    const now = performance.now()
    times = [...times.filter((time) => now - time < within), now]
    if (times.length > maxReloads) void ask().catch(report)
    else {
      noteReload()
      window.webContents.reload()
    }
  })
  window.webContents.on('did-finish-load', () => {
    if (!loadingAgain) onReload(false)
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
