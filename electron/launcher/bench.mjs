// npm run bench: sets up what is missing and runs the benchmarks in the Node of the Electron that is used. Arguments
// after "--": how many deployments (50,000 by default), and a file for the figures as JSON.

import { ensureDependencies } from './dependencies.mjs'
import { ensureElectronBinary } from './electron-binary.mjs'
import { checkNodeVersion } from './node-version.mjs'
import { inProject } from './places.mjs'
import { lastLines, run, runInForeground } from './processes.mjs'
import { runCommand, SetupFailure, step } from './steps.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  const electron = await ensureElectronBinary()
  await step('Building the benchmarks', async () => {
    const { status, output } = await run(process.execPath, [
      inProject('node_modules/vite/bin/vite.js'),
      ...['build', '--config', inProject('test/bench/vite.config.ts')],
    ])
    if (status !== 0) {
      throw new SetupFailure(
        `The benchmarks could not be built.\n${lastLines(output)}`,
        'mend what is named and run npm run bench again.',
      )
    }
  })
  const report = process.argv[3] ?? inProject('out/bench/figures.json')
  return runInForeground(
    electron.path,
    [inProject('out/bench/main.mjs'), process.argv[2] ?? '50000', report],
    {
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
    },
  )
})
