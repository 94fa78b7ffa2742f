import { rmSync } from 'node:fs'
import { test } from 'vitest'
import { type ServiceStart, temporaryFolder } from './service-process'

/** What a test gets: services and folders that are ended and removed after it, also where tests run at once. */
export interface Disposed<Service> {
  folder: () => string
  started: (start?: ServiceStart) => Promise<Service>
  /** Runs a step after the test, the latest first. */
  afterTest: (step: () => unknown) => void
}

/**
 * Gives the `it` of a test file.
 *
 * @param startService starts a service in this process, or in a process of its own
 */
export const testOf = <Service extends { dispose: () => Promise<void> }>(
  startService: (start?: ServiceStart) => Promise<Service>,
) =>
  test.extend<Disposed<Service>>({
    // eslint-disable-next-line no-empty-pattern -- vitest reads the fixtures' names in it
    afterTest: async ({}, use) => {
      const steps: (() => unknown)[] = []
      await use((step) => void steps.push(step))
      for (const step of steps.reverse()) await step()
    },
    folder: ({ afterTest }, use) =>
      use(() => {
        const made = temporaryFolder()
        afterTest(() => rmSync(made, { recursive: true, force: true }))
        return made
      }),
    started: ({ afterTest }, use) =>
      use(async (start) => {
        const service = await startService(start)
        afterTest(() => service.dispose())
        return service
      }),
  })
