import { rmSync } from 'node:fs'
import { afterEach } from 'vitest'
import { type ServiceStart, temporaryFolder } from './service-process'

/** Services and folders of a test file, which are ended and removed after each of its tests. */
export interface DisposedServices<Service> {
  folder: () => string
  started: (start?: ServiceStart) => Promise<Service>
  /** Runs a step after the test, the latest first. */
  afterTest: (step: () => unknown) => void
}

/**
 * Call it once, at the top of a test file.
 *
 * @param startService starts one in this process, or in a process of its own
 */
export function disposedServices<Service extends { dispose: () => Promise<void> }>(
  startService: (start?: ServiceStart) => Promise<Service>,
): DisposedServices<Service> {
  const steps: (() => unknown)[] = []
  afterEach(async () => {
    for (const step of steps.splice(0).reverse()) await step()
  })
  return {
    folder() {
      const made = temporaryFolder()
      steps.push(() => rmSync(made, { recursive: true, force: true }))
      return made
    },
    async started(start) {
      const service = await startService(start)
      steps.push(() => service.dispose())
      return service
    },
    afterTest: (step) => void steps.push(step),
  }
}
