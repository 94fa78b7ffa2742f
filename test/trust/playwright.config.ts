import { defineConfig } from '@playwright/test'
import shared from '../e2e/playwright.config'

/** Takes as long as requested, and isn't part of npm test. See electron/launcher/commands/trust.mjs. */
export default defineConfig({ ...shared, testDir: '.', retries: 0, workers: 1, timeout: 0 })
