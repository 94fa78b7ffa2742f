// npm run dev: sets up what is missing and starts the application for working on it. A change of the renderer shows in
// the open window, one of the main process or of a utility process starts it again. Arguments after "--" go to Electron.

import { join } from 'node:path'
import { setUpApplication } from './application.mjs'
import { interruption } from './base/processes.mjs'
import { runCommand, say, step } from './base/progress.mjs'

const given = process.argv.slice(2)

await runCommand(async () => {
  const run = await setUpApplication(given)
  // Loaded here because it needs the dependencies that were just installed.
  const { developmentFolder, startDevelopment } = await import('./development/server.mjs')
  const development = await step('Building for development', () => startDevelopment())
  // Data of its own, so that a change under way spoils nobody's, and that it runs beside another Slipway.
  const switches = [`--user-data-dir=${join(developmentFolder, 'user-data')}`]
  try {
    for (;;) {
      const stop = new AbortController()
      const built = development.nextBuild().then(() => {
        say('built again: restarting')
        stop.abort()
      })
      const status = await run(developmentFolder, { switches, stop: stop.signal })
      if (interruption()) return status
      if (stop.signal.aborted) continue
      if (status === 0) return status
      say('It starts again with the next change of the main process.')
      await built
    }
  } finally {
    await development.close()
  }
})
