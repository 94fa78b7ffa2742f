import { defineConfig } from '@playwright/test'
import shared from '../e2e/playwright.config'

/** Takes as long as requested, and isn't part of npm test. npm run test:trust runs it. */
export default defineConfig({ ...shared, testDir: '.', retries: 0, workers: 1, timeout: 0 })
