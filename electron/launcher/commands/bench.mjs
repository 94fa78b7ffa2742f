// npm run bench: sets up what is missing, display and keyring included, and runs the benchmarks. Arguments after "--":
// --size N (deployments, 100,000 by default), --json FILE (the figures), --only PARTS (some of cache, board, comparison,
// application, idle, form, service, postgres, separated by commas).

import { ensureBuild } from '../setup/build.mjs'
import { ensureDependencies } from '../setup/dependencies.mjs'
import { ensureElectronBinary, environmentFor } from '../engine/electron-binary.mjs'
import { checkNodeVersion } from '../base/node-version.mjs'
import { inProject } from '../base/paths.mjs'
import { lastLines, run, runInForeground } from '../base/processes.mjs'
import { runCommand, SetupFailure, withProgress } from '../base/progress.mjs'
import { ensureSystemLibraries, ensureTestPrograms } from '../setup/system-libraries.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  const electron = await ensureElectronBinary()
  await ensureSystemLibraries(electron.path)
  await ensureTestPrograms()
  await ensureBuild()
  await withProgress('Building the benchmarks', async () => {
    const { status, output } = await run(process.execPath, [
      inProject('node_modules/vite/bin/vite.js'),
      ...['build', '--config', inProject('test/bench/vite.config.ts')],
    ])
    if (status !== 0) {
      throw new SetupFailure(
        `The benchmarks could not be built.\n${lastLines(output)}`,
        'fix the errors above and run npm run bench again.',
      )
    }
  })
  return runInForeground(process.execPath, [inProject('out/bench/main.mjs'), ...process.argv.slice(2)], {
    env: environmentFor(electron),
  })
})
