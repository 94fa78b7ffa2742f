// npm run package: sets up what is missing and packages the application for this machine's platform into out/package.
// Arguments after "--": see packaging/package.ts.

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
  const { packageFor } = await import('../packaging/package')
  await packageFor(process.argv.slice(2))
  return 0
})
