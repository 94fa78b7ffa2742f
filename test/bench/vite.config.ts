import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

// One file for Electron's Node; libsql stays outside, as in the application.
export default defineConfig({
  root: path('../..'),
  logLevel: 'error',
  resolve: { alias: { '@contract': path('../../electron/contract') } },
  ssr: { noExternal: true, external: ['libsql'] },
  build: {
    ssr: path('main.ts'),
    outDir: path('../../out/bench'),
    target: 'node18',
    rollupOptions: { external: ['libsql'], output: { format: 'es', entryFileNames: '[name].mjs' } },
  },
})
