// npm run service: sets up what is missing and runs the built-in deployment service on its own, in plain Node,
// without Electron. Arguments after "--" go to the service.

import { ensureBuild } from './build.mjs'
import { ensureDependencies } from './dependencies.mjs'
import { checkNodeVersion } from './node-version.mjs'
import { inProject } from './places.mjs'
import { runInForeground } from './processes.mjs'
import { runCommand } from './steps.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  await ensureBuild()
  return runInForeground(process.execPath, [inProject('out/main/service.cjs'), ...process.argv.slice(2)])
})
