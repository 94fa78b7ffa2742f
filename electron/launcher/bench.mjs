// npm run bench: sets up what is missing and runs the benchmarks in the Node of the Electron that is used. Arguments
// after "--": how many deployments (50,000 by default), and a file for the figures as JSON.

import { ensureDependencies } from './dependencies.mjs'
import { ensureElectronBinary } from './electron-binary.mjs'
import { checkNodeVersion } from './node-version.mjs'
import { inProject } from './places.mjs'
import { runInForeground } from './processes.mjs'
import { runCommand, step } from './steps.mjs'

await runCommand(async () => {
  checkNodeVersion()
  await ensureDependencies()
  const electron = await ensureElectronBinary()
  await step('Building the benchmarks', async () => {
    const { build } = await import('vite')
    await build({
      configFile: false,
      logLevel: 'error',
      resolve: { alias: { '@contract': inProject('electron/contract') } },
      ssr: { noExternal: true, external: ['libsql'] },
      build: {
        ssr: inProject('test/bench/main.ts'),
        outDir: inProject('out/bench'),
        target: 'node18',
        rollupOptions: { external: ['libsql'], output: { format: 'es', entryFileNames: '[name].mjs' } },
      },
    })
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
