import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const programs = {
  main: 'main.ts',
  cache: 'parts/cache.ts',
  board: 'parts/board.ts',
  comparison: 'parts/comparison.ts',
  'page-service': 'services/page-service.ts',
  'bare-service': 'services/bare-service.ts',
}
const external = ['libsql', '@playwright/test', 'electron']

// One file for each program. One runs in Electron's Node. libsql stays external, as in the application.
export default defineConfig({
  root: path('../..'),
  logLevel: 'error',
  resolve: {
    alias: { '@contract': path('../../electron/contract'), '@domain': path('../../electron/domain') },
  },
  ssr: { noExternal: true, external },
  build: {
    ssr: true,
    outDir: path('../../out/bench'),
    target: 'node20',
    rollupOptions: {
      external,
      input: Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, path(file)])),
      output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
    },
  },
})
