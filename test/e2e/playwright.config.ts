import { defineConfig } from '@playwright/test'
import { ensureElectronBinary, environmentFor } from '../../electron/launcher/engine'
import { inProject } from '../../electron/launcher/base.mjs'

// Playwright's workers inherit this, and the electron module finds the same binary as the launcher.
Object.assign(process.env, environmentFor(await ensureElectronBinary()))

export default defineConfig({
  testDir: '.',
  // The longest tests come first, so that no worker waits for them at the end.
  projects: [
    { name: 'startup', testMatch: 'startup/*.spec.ts' },
    { name: 'running', testIgnore: 'startup/**' },
  ],
  outputDir: inProject('test-results'),
  // Only ends what hangs. The benchmark measures speed.
  timeout: 90_000,
  expect: { timeout: 20_000 },
  // Each worker has its own display and application, which its tests bring back to its first state.
  workers: 2,
  fullyParallel: true,
  // npm test names the tests that passed only when repeated: each has a cause to find.
  retries: 1,
  forbidOnly: true,
  reporter: 'list',
})
