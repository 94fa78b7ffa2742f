/** Starts the main process: the window first, then the handlers of its calls. */
import { join } from 'node:path'
import { app } from 'electron'
import { forkBuiltInService, forkStore, startReadingThread, useForked } from './processes/start'
import type { ForkedStore } from './processes/store-process'
import { setSwitches } from './application/command-line'
import { takeCalls } from './ipc/waiting'
import { levelFrom, log, report } from './log'
import { logFolder, watchApplication } from './log/watch-application'
import {
  avoidUnusableTemporaryFolder,
  endWithoutFolder,
  endWithoutLock,
  isNoFolder,
  userFolder,
} from './application/user-folder'
import { createMainWindow } from './window'
import { takeAppLinks } from './window/links/app-links'
import { registerAppScheme } from './window/page/app-protocol'
import { watchForUncaughtErrors } from './window/recovery'

setSwitches()
watchForUncaughtErrors(report, () => app.quit())
// The terminal may close while Slipway runs. Write errors on it must not end the process.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
registerAppScheme()
const unusable = avoidUnusableTemporaryFolder()
if (unusable !== null)
  process.stderr.write(`Slipway uses the system's folder for temporary files: ${unusable}.\n`)

const folder = userFolder()
if (folder === null) endWithoutFolder()
else if (!isNoFolder(folder) && app.requestSingleInstanceLock()) {
  log.open(logFolder(), levelFrom(process.env))
  watchApplication(log)
  const links = takeAppLinks(process.argv.slice(1))
  void app.whenReady().then(async () => {
    const calls = takeCalls()
    const window = createMainWindow()
    await calls.first
    // The list is shown from the cache first, whose process also gets the key from the keychain.
    const fork = (): ForkedStore => forkStore(join(__dirname, 'cache.cjs'))
    const store = useForked(fork(), fork, (child, listener) => child.onExit(listener))
    const { startApplication } = await import('./application')
    startApplication(window, calls, links, {
      store,
      answers: () => startReadingThread(join(__dirname, 'answers.cjs')),
      builtInService: (args, variables) =>
        forkBuiltInService(join(__dirname, '../service/service.cjs'), args, variables),
    })
  })
} else {
  endWithoutLock(folder)
}
