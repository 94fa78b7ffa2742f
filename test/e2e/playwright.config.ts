import { defineConfig } from '@playwright/test'
import { ensureElectronBinary, environmentFor } from '../../electron/launcher/engine/electron-binary.mjs'
import { inProject } from '../../electron/launcher/base/paths.mjs'

// Playwright's workers inherit this, and the electron module finds the same binary as the launcher.
Object.assign(process.env, environmentFor(await ensureElectronBinary()))

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: inProject('test-results'),
  // Long enough for a machine of a third of the usual speed: this only stops what hangs. The benchmark measures
  // speed.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  // Each worker has its own display, and each test its own data folder, so that they can't interfere.
  workers: 2,
  fullyParallel: true,
  // Each test starts a desktop, a keyring and services. npm test names tests that passed only when repeated. A fault
  // that is there in every run fails.
  retries: 1,
  forbidOnly: true,
  reporter: 'list',
})
