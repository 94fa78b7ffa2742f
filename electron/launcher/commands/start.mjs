// npm start: sets up what is missing and starts the application. Arguments after "--" go to Electron.

import { setUpApplication } from '../application.mjs'
import { ensureBuild } from '../setup/build.mjs'
import { projectFolder } from '../base/paths.mjs'
import { runCommand } from '../base/progress.mjs'

await runCommand(async () => {
  const run = await setUpApplication(process.argv.slice(2))
  await ensureBuild()
  return run(projectFolder)
})
