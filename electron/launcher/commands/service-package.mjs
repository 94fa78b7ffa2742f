// npm run package:service: packages the deployment service alone, for this machine's platform, into out/package. It
// then runs where there is no checkout. Arguments after "--": see packaging/service.ts.

import { ensureBuild } from '../setup/build.mjs'
import { ensureDependencies } from '../setup/dependencies.mjs'
import { checkNodeVersion } from '../base/node-version.mjs'
import { runCommand } from '../base/progress.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  await ensureBuild()
  // Loaded here because they need the dependencies that were just installed.
  const { register } = await import('tsx/esm/api')
  register()
  const { packageService } = await import('../packaging/service')
  await packageService(process.argv.slice(2))
  return 0
})
