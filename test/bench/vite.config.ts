import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

const programs = ['main', 'cache', 'board', 'comparison', 'page-service', 'bare-service']
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
    target: 'node18',
    rollupOptions: {
      external,
      input: Object.fromEntries(programs.map((name) => [name, path(`${name}.ts`)])),
      output: { format: 'es', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
    },
  },
})
