// npm run service: sets up what is missing and runs the built-in deployment service on its own, in plain Node,
// without Electron. Arguments after "--" go to the service.

import { ensureBuild } from '../setup/build.mjs'
import { ensureDependencies } from '../setup/dependencies.mjs'
import { checkNodeVersion } from '../base/node-version.mjs'
import { inProject } from '../base/paths.mjs'
import { runInForeground } from '../base/processes.mjs'
import { runCommand } from '../base/progress.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  await ensureBuild()
  return runInForeground(process.execPath, [inProject('out/main/service.cjs'), ...process.argv.slice(2)])
})
