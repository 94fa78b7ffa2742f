import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'
import manifest from '../package.json' with { type: 'json' }

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** A time limit of a test, which grows with the values that a property tries. */
const longer = (ms: number): number => Math.max(ms, 800 * Number(process.env.PROPERTY_RUNS ?? 0))

/** Test files that replace modules, or load them anew, need modules of their own; the others of a worker share theirs. */
const isolated = readdirSync(path('.'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file.replaceAll('\\', '/')}`)
  .filter((file) => /vi\.(?:mock|resetModules)\(/.test(readFileSync(path(`../${file}`), 'utf8')))
const isOf = (folder: string) => (file: string) => file.startsWith(`test/${folder}/`)
const isOfPage = isOf('unit/src')
const isOfService = isOf('service')

// Projects: Node, the renderer (with a DOM), the built service over HTTP on SQLite and on PostgreSQL (both need
// out/service/service.cjs, the second a PostgreSQL), and faults of the network (need Electron and a display).
export default defineConfig({
  root: path('..'),
  plugins: [vue()],
  define: {
    ELECTRON_MAJOR: Number.parseInt(manifest.devDependencies.electron, 10),
    DEV_SERVER_PORT: 'null',
    UPDATES: 'null',
  },
  resolve: {
    alias: {
      '@contract': path('../electron/contract'),
      '@domain': path('../electron/domain'),
      '@': path('../src'),
    },
  },
  test: {
    maxWorkers: 2,
    // They only end what hangs.
    testTimeout: longer(20_000),
    hookTimeout: 20_000,
    setupFiles: [path('support/properties/property-seed.ts')],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: ['test/unit/src/**', ...isolated],
          environment: 'node',
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit-isolated',
          include: isolated.filter((file) => !isOfPage(file) && !isOfService(file)),
          environment: 'node',
        },
      },
      {
        extends: true,
        test: {
          name: 'renderer',
          include: ['test/unit/src/**/*.test.ts'],
          exclude: isolated,
          environment: 'happy-dom',
          setupFiles: [path('support/page/set-up.ts')],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'renderer-isolated',
          include: isolated.filter(isOfPage),
          environment: 'happy-dom',
          setupFiles: [path('support/page/set-up.ts')],
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          testTimeout: longer(120_000),
          hookTimeout: 120_000,
          include: ['test/service/{access,interface,life,repositories,running,sqlite}/*.test.ts'],
          exclude: isolated,
          environment: 'node',
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'service-isolated', include: isolated.filter(isOfService), environment: 'node' },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          testTimeout: longer(120_000),
          hookTimeout: 120_000,
          include: [
            'test/service/postgres/*.test.ts',
            // What has to do with the database.
            'test/service/access/{audit,tenants}.test.ts',
            'test/service/interface/list.test.ts',
            'test/service/life/{deployments,revisions,uploads}.test.ts',
            'test/service/repositories/import.test.ts',
            'test/service/running/durability.test.ts',
          ],
          environment: 'node',
          isolate: false,
          globalSetup: path('support/service/postgres/service-on-postgres.ts'),
        },
      },
      {
        extends: true,
        test: {
          name: 'packages',
          include: ['test/packages/*.test.ts'],
          environment: 'node',
          testTimeout: 600_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          testTimeout: 60_000,
          hookTimeout: 60_000,
          include: ['test/faults/**/*.test.ts'],
          environment: 'node',
          globalSetup: path('harness/build.ts'),
        },
      },
    ],
  },
})
