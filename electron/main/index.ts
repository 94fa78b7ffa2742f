/** Starts the main process: the window first, then what answers its calls. */
import { app } from 'electron'
import { checkCommandLine } from './command-line'
import { log } from './log'
import { levelFrom } from './log/log'
import { logFolder, watchApplication } from './log/watch-application'
import { report } from './report'
import { createMainWindow } from './window'
import { registerAppScheme } from './window/app-protocol'
import { watchForUncaughtErrors } from './window/last-resort'

checkCommandLine()
watchForUncaughtErrors(report, () => app.quit())
registerAppScheme()

if (app.requestSingleInstanceLock()) {
  log.open(logFolder(), levelFrom(process.env))
  watchApplication(log)
  void app.whenReady().then(async () => {
    const window = createMainWindow()
    const { startApplication } = await import('./application')
    startApplication(window, __dirname)
  })
} else {
  app.quit()
}
