import { rmSync } from 'node:fs'
import { afterEach } from 'vitest'
import { type RunningService, type ServiceStart, startService, temporaryFolder } from './service-process'

/** Services and folders of a test file, which are ended and removed after each of its tests. */
export interface DisposedServices {
  folder: () => string
  started: (start?: ServiceStart) => Promise<RunningService>
  /** Runs a step after the test, the latest first. */
  afterTest: (step: () => unknown) => void
}

/** Call it once, at the top of a test file. */
export function disposedServices(): DisposedServices {
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
