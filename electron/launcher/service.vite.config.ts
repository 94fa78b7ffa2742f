import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'
import { listPackages } from './packaging/list-packages.ts'

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/**
 * The service alone, in a folder of its own: its OpenAPI library needs all of zod, which the application's processes
 * would then load too before the first list.
 */
export default defineConfig({
  root: path('../..'),
  logLevel: 'warn',
  resolve: { alias: { '@contract': path('../contract'), '@domain': path('../domain') } },
  plugins: [listPackages()],
  ssr: { noExternal: true, external: ['libsql'] },
  build: {
    ssr: true,
    ssrEmitAssets: true,
    outDir: path('../../out/service'),
    target: 'node20',
    rollupOptions: {
      treeshake: { moduleSideEffects: (id) => !id.includes('/electron/contract/') },
      input: { service: path('../service/index.ts') },
      output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: 'chunks/[name].cjs' },
    },
  },
})
