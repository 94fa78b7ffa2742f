// npm run package: sets up what is missing and packages the application for this machine's platform into
// out/package. Only the official Electron is packaged; "npm run package -- --for-tests" packages whatever Electron
// is there, to try the package out, and the result must not be passed on.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensureBuild } from './setup/build.mjs'
import { ensureDependencies } from './setup/dependencies.mjs'
import { ensureElectronBinary } from './engine/electron-binary.mjs'
import { checkNodeVersion } from './base/node-version.mjs'
import { runCommand, say, SetupFailure, step } from './base/progress.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  const forTests = process.argv.includes('--for-tests')
  const electron = await ensureElectronBinary()
  if (electron.origin === 'stand-in' && !forTests) {
    throw new SetupFailure(
      'Only the stand-in for Electron is here, which must not be packaged for anybody: it is old and gets no security fixes.',
      'run the command where github.com can be reached, or "npm run package -- --for-tests" for a package to try out on this machine.',
    )
  }
  await ensureBuild()
  const version = readFileSync(join(dirname(electron.path), 'version'), 'utf8')
    .trim()
    .replace(/^v/, '')
  const program = await step('Packaging the application', async () => {
    // Loaded here because it is one of the dependencies that were just installed.
    const { packageApplication } = await import('./packaging/build.mjs')
    return packageApplication({ electron: electron.path, version })
  })
  say(`packaged into ${dirname(program)}`)
  if (forTests) say('for tests on this machine only: do not pass it on.')
  process.stdout.write(`${program}\n`)
  return 0
})
