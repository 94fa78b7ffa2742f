import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect, type ElectronApplication, type Page, type TestInfo } from '@playwright/test'
import { projectFolder } from '../../../electron/launcher/base.mjs'
import { Keyring, type KeyringState } from './keychain'
import { type Display, startDisplay } from './processes'
import { type OwnServices, startOwnServices } from './services/stub-service'
import { SharedApplication } from './shared-application'
import { Slipway } from './slipway'

export { expect }
export { Keyring } from './keychain'
export { Slipway } from './slipway'

interface Fixtures {
  /**
   * Option: the state of the test's own keyring, for example `test.use({ keyringState: 'locked' })`. By default, the
   * test uses the worker's, which it must not change.
   */
  keyringState: KeyringState | 'shared'
  /** Option: environment variables for the application. */
  variables: Record<string, string>
  /** The folder of the application that is started: the built one, unless a test extends it with another. */
  program: string
  /** The Secret Service. Each data folder has entries of its own in it. */
  keyring: Keyring
  /** The test's own data folder for the application, empty at first. */
  userData: string
  /**
   * Starts the application with `userData` and `keyring`. For a restart: `await slipway.close()`, then `const again =
   * await start()`. All started applications are killed at the end. Errors that weren't announced with `expectErrors`
   * fail the test. `more` are variables of this start only.
   */
  start: (more?: Record<string, string>) => Promise<Slipway>
  /** The application, started and ready. */
  slipway: Slipway
  /** Its window. */
  page: Page
  /** Playwright's handle of it, for code in the main process. */
  app: ElectronApplication
}

interface WorkerFixtures {
  /** The worker's own virtual display. */
  display: Display
  /** The worker's own Secret Service. */
  sharedKeyring: Keyring
}

/**
 * For tests that need an application, a folder or a keyring of their own: each starts, and at its end kills, its own.
 * A failed test leaves a picture of its window and the application's output in test-results/.
 */
export const alone = base.extend<Fixtures, WorkerFixtures>({
  display: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of fixtures out of this pattern
    async ({}, use) => {
      const display = await startDisplay()
      await use(display)
      await display.close()
    },
    { scope: 'worker' },
  ],

  sharedKeyring: [
    // eslint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const keyring = await Keyring.start()
      await use(keyring)
      await keyring.close()
    },
    { scope: 'worker' },
  ],

  keyringState: ['shared', { option: true }],

  variables: [{}, { option: true }],

  // eslint-disable-next-line no-empty-pattern -- as above
  program: async ({}, use) => use(projectFolder),

  keyring: async ({ keyringState, sharedKeyring }, use) => {
    if (keyringState === 'shared') return use(sharedKeyring)
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

  start: async ({ display, keyring, userData, variables, program }, use, testInfo) => {
    const started: Slipway[] = []
    await use(async (more = {}) => {
      const slipway = await Slipway.start({
        userData,
        program,
        environment: { ...display.environment, ...keyring.environment, ...variables, ...more },
      })
      started.push(slipway)
      await slipway.reduceMotion()
      return slipway
    })
    await reportFailure(testInfo, started)
    for (const slipway of started) await slipway.kill()
    const unexpected = started.flatMap((slipway) => slipway.unexpectedErrors())
    expect(unexpected, 'errors that the test did not announce').toEqual([])
  },

  slipway: async ({ start }, use) => use(await start()),
  page: async ({ slipway }, use) => use(slipway.page),
  app: async ({ slipway }, use) => use(slipway.app),
})

/**
 * Playwright's `test` on the real application. The tests of a worker share one application, which is brought back to its
 * first state before each: `slipway`, `page` and `app` are of it, and `userData` is its folder. After `slipway.close()`
 * or `kill()`, `start()` starts it again. The data of the sandboxes stays, so that what creates deployments does so in
 * `services`.
 *
 *     import { alone as test, expect } from './support/fixtures'
 *
 *     test('shows the deployments', async ({ page }) => {
 *       await expect(page.getByRole('heading', { name: 'Deployments' })).toBeVisible()
 *     })
 */
export const test = alone.extend<object, { shared: SharedApplication; services: OwnServices }>({
  services: [
    // eslint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      const services = await startOwnServices()
      await use(services)
      await services.dispose()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  shared: [
    async ({ display, sharedKeyring }, use) => {
      const shared = await SharedApplication.create({
        ...display.environment,
        ...sharedKeyring.environment,
        // Some tests name other hosts, whose names lead nowhere or to this machine.
        SLIPWAY_ALLOW_TRIAL_ENGINE: '1',
      })
      await use(shared)
      await shared.close()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  userData: async ({ shared }, use) => use(shared.userData),
  start: async ({ shared }, use, testInfo) => {
    await shared.reset()
    await use(() => shared.running())
    const runs = shared.runsSinceReset
    await reportFailure(testInfo, runs)
    const unexpected = runs.flatMap((slipway) => slipway.unexpectedErrors())
    expect(unexpected, 'errors that the test did not announce').toEqual([])
  },
})

/** Attaches what the windows of a failed test show, and what their applications printed. */
async function reportFailure(testInfo: TestInfo, started: readonly Slipway[]): Promise<void> {
  const unexpected = started.some((slipway) => slipway.unexpectedErrors().length > 0)
  if (testInfo.status === testInfo.expectedStatus && !unexpected) return
  for (const [index, slipway] of started.entries()) {
    const picture = await slipway.page.screenshot().catch(() => undefined)
    if (picture) await testInfo.attach(`window ${index + 1}`, { body: picture, contentType: 'image/png' })
    await testInfo.attach(`output ${index + 1}`, { body: slipway.output, contentType: 'text/plain' })
  }
}
