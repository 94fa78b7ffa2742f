import { defineConfig } from '@playwright/test'
import { ensureElectronBinary, environmentFor } from '../../electron/launcher/engine/electron-binary.mjs'
import { inProject } from '../../electron/launcher/base/paths.mjs'

// Playwright's workers inherit this, and the electron module finds the same binary as the launcher.
Object.assign(process.env, environmentFor(await ensureElectronBinary()))

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: inProject('test-results'),
  // What hangs is stopped; a machine of a third of the usual speed is not. Speed is the benchmark's matter.
  timeout: 180_000,
  expect: { timeout: 20_000 },
  // Each worker has its own display and each test its own session bus and keyring, so that two do not meet.
  workers: 2,
  fullyParallel: true,
  // Whole desktops, keyrings and services start for each test. One that passes only when repeated is named at
  // the end of npm test; a fault that is there at every run fails.
  retries: 1,
  forbidOnly: true,
  reporter: 'list',
})
