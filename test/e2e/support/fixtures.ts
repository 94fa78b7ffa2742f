import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect, type ElectronApplication, type Page } from '@playwright/test'
import { type Display, startDisplay } from './display'
import { Keyring, type KeyringState } from './keyring'
import { Slipway } from './slipway'

export { expect }
export { Keyring } from './keyring'
export { Slipway } from './slipway'

interface Fixtures {
  /** An option, "unlocked" by default: `test.use({ keyringState: 'locked' })`. */
  keyringState: KeyringState
  /** An option, none by default: environment variables that the application is started with. */
  variables: Record<string, string>
  /** The test's own Secret Service: lock(), unlock(), freeze(), thaw(), stopService(), startService(). */
  keyring: Keyring
  /** The test's own folder for what the application keeps; empty at the beginning. */
  userData: string
  /**
   * Starts the application on `userData` and `keyring`. For a restart: `await slipway.close()`, then
   * `const again = await start()`. All that were started are closed at the end, and fail the test when errors
   * came that were not announced with `expectErrors`. `more` are variables of one start alone.
   */
  start: (more?: Record<string, string>) => Promise<Slipway>
  /** The application, started and ready. */
  slipway: Slipway
  /** Its window. */
  page: Page
  /** Playwright's handle of it, to evaluate in the main process. */
  app: ElectronApplication
}

interface WorkerFixtures {
  /** A virtual display of the worker's own. */
  display: Display
}

/**
 * Playwright's `test` on the real application:
 *
 *     import { expect, test } from './support/fixtures'
 *
 *     test('shows the deployments', async ({ page }) => {
 *       await expect(page.getByRole('heading', { name: 'Deployments' })).toBeVisible()
 *     })
 *
 * A failed test leaves traces (npx playwright show-trace FILE) and a picture in test-results/.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  display: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures out of this pattern
    async ({}, use) => {
      const display = await startDisplay()
      await use(display)
      await display.close()
    },
    { scope: 'worker' },
  ],

  keyringState: ['unlocked', { option: true }],

  variables: [{}, { option: true }],

  keyring: async ({ keyringState }, use) => {
    const keyring = await Keyring.start(keyringState)
    await use(keyring)
    await keyring.close()
  },

  // eslint-disable-next-line no-empty-pattern -- as above
  userData: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-user-data-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  },

  start: async ({ display, keyring, userData, variables }, use, testInfo) => {
    const started: Slipway[] = []
    await use(async (more = {}) => {
      const slipway = await Slipway.start({
        userData,
        environment: { ...display.environment, ...keyring.environment, ...variables, ...more },
      })
      started.push(slipway)
      return slipway
    })
    keyring.thaw()
    const unexpected = () => started.flatMap((slipway) => slipway.unexpectedErrors())
    const failed = testInfo.status !== testInfo.expectedStatus || unexpected().length > 0
    for (const [index, slipway] of started.entries()) {
      if (failed) {
        const picture = await slipway.page.screenshot().catch(() => undefined)
        if (picture) await testInfo.attach(`window ${index + 1}`, { body: picture, contentType: 'image/png' })
        await testInfo.attach(`output ${index + 1}`, { body: slipway.output, contentType: 'text/plain' })
      }
      await slipway.close(failed ? testInfo.outputPath(`trace-${index + 1}.zip`) : undefined)
    }
    expect(unexpected(), 'errors that the test did not announce').toEqual([])
  },

  slipway: async ({ start }, use) => use(await start()),
  page: async ({ slipway }, use) => use(slipway.page),
  app: async ({ slipway }, use) => use(slipway.app),
})
