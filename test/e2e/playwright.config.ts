import { defineConfig } from '@playwright/test'
import { ensureElectronBinary, environmentFor } from '../../electron/launcher/electron-binary.mjs'
import { inProject } from '../../electron/launcher/places.mjs'

// Playwright's workers inherit this, and the electron module finds the same binary as the launcher.
Object.assign(process.env, environmentFor(await ensureElectronBinary()))

export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: inProject('test-results'),
  timeout: 60_000,
  expect: { timeout: 10_000 },
  // Each worker has its own display and each test its own session bus and keyring, so that two do not meet.
  workers: 2,
  fullyParallel: true,
  retries: 0,
  forbidOnly: true,
  reporter: 'list',
})
