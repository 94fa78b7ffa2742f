import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import manifest from '../../package.json' with { type: 'json' }
import { inProject } from '../../electron/launcher/base.mjs'

/** The folder of the built harness, which Electron starts. It isn't part of out/, which is shipped. */
export const harnessFolder = inProject('.cache/harness')

const external = ['electron', 'libsql']

/** Builds the harness. vitest calls it before the tests that need it. */
export default async function buildHarness(): Promise<void> {
  await build({
    configFile: false,
    root: inProject(),
    logLevel: 'error',
    define: { ELECTRON_MAJOR: Number.parseInt(manifest.devDependencies.electron, 10) },
    resolve: {
      alias: { '@contract': inProject('electron/contract'), '@domain': inProject('electron/domain') },
    },
    ssr: { noExternal: true, external },
    build: {
      ssr: true,
      target: 'node20',
      outDir: harnessFolder,
      rollupOptions: {
        external,
        input: { main: inProject('test/harness/main.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
      },
    },
  })
  mkdirSync(harnessFolder, { recursive: true })
  // Electron needs a folder with a package.json.
  writeFileSync(
    join(harnessFolder, 'package.json'),
    JSON.stringify({ name: 'slipway-harness', version: '0.0.0', main: 'main.cjs' }),
  )
}
