import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const alias = {
  '@contract': path('electron/contract'),
  '@': path('src'),
}

// The natives stay outside the bundles; everything else is bundled, so that a package holds nothing but out/.
const external = ['electron', 'keytar', 'libsql']

// Targets are written out because the code must also run on Electron 25 (Node 18, Chrome 114).
export default defineConfig({
  main: {
    resolve: { alias },
    build: {
      target: 'node18',
      externalizeDeps: false,
      rollupOptions: {
        external,
        input: {
          index: path('electron/main/index.ts'),
          keychain: path('electron/keychain/index.ts'),
          service: path('electron/service/index.ts'),
          cache: path('electron/cache/index.ts'),
        },
        output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'chunks/[name].cjs' },
      },
    },
  },
  preload: {
    resolve: { alias },
    build: {
      target: 'node18',
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
    plugins: [vue()],
    build: {
      target: 'chrome114',
      outDir: path('out/renderer'),
      rollupOptions: { input: { index: path('src/index.html') } },
    },
  },
})
