// npm run dev: sets up what is missing and starts the application with hot reload. A change of the renderer shows in
// the open window. A change of the main process or of a utility process restarts Slipway. Arguments after "--" go to
// Electron.

import { join } from 'node:path'
import { setUpApplication } from '../application.mjs'
import { interruption } from '../base/processes.mjs'
import { runCommand, printStatus, withProgress } from '../base/progress.mjs'

const userArguments = process.argv.slice(2)

await runCommand(async () => {
  const run = await setUpApplication(userArguments)
  // Loaded here because it needs the dependencies that were just installed.
  const { developmentFolder, startDevelopment } = await import('../development/server.mjs')
  const development = await withProgress('Building for development', () => startDevelopment())
  // A data folder of its own: unfinished code can't damage anyone's data, and it runs beside another Slipway.
  const switches = [`--user-data-dir=${join(developmentFolder, 'user-data')}`]
  try {
    for (;;) {
      const stop = new AbortController()
      const built = development.nextBuild().then(() => {
        printStatus('built again: restarting')
        stop.abort()
      })
      const status = await run(developmentFolder, { switches, stop: stop.signal })
      if (interruption()) return status
      if (stop.signal.aborted) continue
      if (status === 0) return status
      printStatus('Slipway starts again after the next change of the main process.')
      await built
    }
  } finally {
    await development.close()
  }
})
