import { defineConfig } from '@playwright/test'
import { ensureElectronBinary, environmentFor } from '../../electron/launcher/engine/electron-binary.mjs'
import { inProject } from '../../electron/launcher/base/paths.mjs'

// Playwright's workers inherit this, and the electron module finds the same binary as the launcher.
Object.assign(process.env, environmentFor(await ensureElectronBinary()))

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: inProject('test-results'),
  // Only ends what hangs. The benchmark measures speed.
  timeout: 60_000,
  expect: { timeout: 20_000 },
  // Each worker has its own display and application, which its tests bring back to its first state.
  workers: 2,
  fullyParallel: true,
  // A test that passes only when it is repeated has a cause to find.
  retries: 0,
  forbidOnly: true,
  reporter: 'list',
})
