import { fileURLToPath } from 'node:url'
import unocss from '@unocss/vite'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { listPackages } from './electron/launcher/packaging/list-packages.ts'
import styles from './src/app/theme/uno.config'
import manifest from './package.json' with { type: 'json' }

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const alias = {
  '@contract': path('electron/contract'),
  '@domain': path('electron/domain'),
  '@': path('src'),
}

/** The file of all that the first screen needs. */
const startFile = 'start'

/**
 * Puts what the page loads behind what it shows until then, so that it shows that without waiting, and keeps the
 * schemas out of what it loads first: they take as long as all the rest of it.
 */
function paintFirst(): Plugin {
  return {
    name: 'paint-first',
    enforce: 'post',
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const loads = /^ *<(?:script|link)\b[^>]*\bassets\/[^>]*>(?:<\/script>)?\n/gm
        const lines = html.match(loads)?.join('') ?? ''
        return html.replace(loads, '').replace(/^ *<\/body>/m, (end) => `${lines}${end}`)
      },
    },
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || chunk.name !== startFile) continue
        if (chunk.moduleIds.some((id) => id.includes('/node_modules/zod/'))) {
          this.error(
            'The first screen would load zod: import from a file of electron/contract without schemas, such as core/labels or core/outcome.',
          )
        }
      }
    },
  }
}

/**
 * Where a build looks for newer versions, and the publisher's key (SPKI in base64). Without them it doesn't look: only
 * who publishes packages sets them.
 */
function updates(): { address: string; key: string } | null {
  const { SLIPWAY_UPDATE_ADDRESS: address, SLIPWAY_UPDATE_KEY: key } = process.env
  if (!address && !key) return null
  if (address && key && /^(?:https:\/\/|http:\/\/127\.0\.0\.1[:/])/.test(address)) return { address, key }
  throw new Error('SLIPWAY_UPDATE_ADDRESS (https) and SLIPWAY_UPDATE_KEY belong together.')
}

// The natives stay outside the bundles; everything else is bundled, so that a package holds nothing but out/.
const external = ['electron', 'keytar', 'libsql']

// Targets are written out because the code must also run on the trial engine (decision 0001).
export default defineConfig({
  main: {
    resolve: { alias },
    plugins: [listPackages()],
    define: {
      ELECTRON_MAJOR: Number.parseInt(manifest.devDependencies.electron, 10),
      // Only electron/launcher/development.ts names one.
      DEV_SERVER_PORT: 'null',
      UPDATES: JSON.stringify(updates()),
    },
    build: {
      target: 'node20',
      externalizeDeps: false,
      rollupOptions: {
        external,
        // Each process loads those schemas of the contract that it needs: making all of them takes longer than its
        // start.
        treeshake: { moduleSideEffects: (id) => !id.includes('/electron/contract/') },
        input: {
          index: path('electron/main/index.ts'),
          cache: path('electron/cache/index.ts'),
          answers: path('electron/main/processes/answers/worker.ts'),
        },
        output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'chunks/[name].cjs' },
      },
    },
  },
  preload: {
    resolve: { alias },
    plugins: [listPackages()],
    build: {
      target: 'node20',
      externalizeDeps: false,
      rollupOptions: {
        external,
        input: { index: path('electron/preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer: {
    root: path('src'),
    resolve: { alias },
    // The main process puts another one in its place with each answer (see app-protocol.ts).
    html: { cspNonce: 'nonce-of-this-answer' },
    plugins: [vue(), unocss(styles), paintFirst(), listPackages()],
    build: {
      target: 'chrome130',
      outDir: path('out/renderer'),
      rollupOptions: {
        input: { index: path('src/index.html') },
        output: {
          // One file for all that the first screen needs: each further one is a question to the main process.
          codeSplitting: { groups: [{ name: startFile, tags: ['$initial'] }] },
          // The stacks in a log keep their names.
          minify: { compress: true, mangle: false, codegen: true },
        },
      },
    },
  },
})
