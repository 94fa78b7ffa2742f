// npm run package: sets up what is missing and packages the application for this machine's platform into out/package.
// It packages the official Electron only. "npm run package -- --for-tests" packages any Electron, to try the package
// out. Never distribute such a package.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensureBuild } from '../setup/build.mjs'
import { ensureDependencies } from '../setup/dependencies.mjs'
import { ensureElectronBinary } from '../engine/electron-binary.mjs'
import { checkNodeVersion } from '../base/node-version.mjs'
import { runCommand, printStatus, SetupFailure, withProgress } from '../base/progress.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  const forTests = process.argv.includes('--for-tests')
  const electron = await ensureElectronBinary()
  if (electron.origin === 'trial-engine' && !forTests) {
    throw new SetupFailure(
      'Only the trial engine is available, which must not be packaged: it is old and gets no security fixes.',
      'run the command where github.com can be reached, or "npm run package -- --for-tests" for a package to try out on this machine.',
    )
  }
  await ensureBuild()
  const version = readFileSync(join(dirname(electron.path), 'version'), 'utf8')
    .trim()
    .replace(/^v/, '')
  const program = await withProgress('Packaging the application', async () => {
    // Loaded here because it needs the dependencies that were just installed.
    const { packageApplication } = await import('../packaging/build.mjs')
    return packageApplication({ electron: electron.path, version })
  })
  printStatus(`packaged into ${dirname(program)}`)
  if (forTests) printStatus('for tests on this machine only: do not distribute it.')
  process.stdout.write(`${program}\n`)
  return 0
})
