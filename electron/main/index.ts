/** Starts the main process: the window first, then what answers its calls. */
import { mkdirSync } from 'node:fs'
import { app } from 'electron'
import { report } from './report'
import { createMainWindow } from './window'
import { registerAppScheme } from './window/app-protocol'
import { watchForUncaughtErrors } from './window/last-resort'

// Tests give each application a folder of its own; the lock of the single instance goes by it too.
const userData = process.env['SLIPWAY_USER_DATA']
if (userData) {
  mkdirSync(userData, { recursive: true })
  app.setPath('userData', userData)
}

watchForUncaughtErrors(report, () => app.quit())
registerAppScheme()

if (app.requestSingleInstanceLock()) {
  void app.whenReady().then(async () => {
    const window = createMainWindow()
    const { startApplication } = await import('./application')
    startApplication(window, __dirname)
  })
} else {
  app.quit()
}
