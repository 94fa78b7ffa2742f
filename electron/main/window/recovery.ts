import { app, type BrowserWindow, dialog } from 'electron'
import { sleep } from '../async'
import { appUrl } from './page/app-file'
import type { Ask, ShowDialog } from './questions'

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
          ? dialog.showMessageBox(window, { ...stopped, signal })
          : dialog.showMessageBox(stopped),
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

const stopped = {
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

const hangs = {
  message: "The window isn't responding.",
  detail:
    'Wait, or reload it. The form then has what was typed up to about a second before it stopped; request text that had errors is lost. Activity shows the results of creations in progress.',
  decline: 'Wait',
  agree: 'Reload',
}

/**
 * Asks the operator, outside the page, whether to wait for a page that hangs or to reload it. Chromium reports it about
 * 15 seconds after a key or click. A page that hangs can't be reloaded or left, so its process is ended, and
 * `bringBack` reloads it.
 *
 * @param ask has a quiet period of its own: users who wait here have declined nothing else
 */
export function watchForHanging(
  { webContents }: Pick<BrowserWindow, 'webContents'>,
  ask: Ask,
  report: (error: unknown) => void,
): void {
  let isHanging = false
  webContents.on('responsive', () => (isHanging = false))
  webContents.on('unresponsive', () => {
    isHanging = true
    ask(hangs)
      .then((agreed) => {
        if (agreed && isHanging) webContents.forcefullyCrashRenderer()
      })
      .catch(report)
  })
}

/**
 * Handles uncaught errors. A rejected promise leaves the application intact and is only reported. An exception may not,
 * so the operator decides whether to go on.
 */
export function watchForUncaughtErrors(report: (error: unknown) => void, quit: () => void): void {
  let asking = false
  process.on('unhandledRejection', report)
  process.on('uncaughtException', (error) => {
    report(error)
    if (asking) return
    asking = true
    void dialog
      .showMessageBox({
        type: 'error',
        title: 'Slipway',
        message: 'Something went wrong inside Slipway.',
        detail:
          'You can continue, but restart Slipway if it behaves unexpectedly. Activity shows what was sent.',
        buttons: ['Continue', 'Quit'],
        defaultId: 0,
        cancelId: 0,
      })
      .then(({ response }) => {
        asking = false
        if (response === 1) quit()
      })
      .catch(report)
  })
}
