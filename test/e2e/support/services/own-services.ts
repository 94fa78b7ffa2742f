import type { Page } from '@playwright/test'
import { sampleIntegrationId } from '@contract'
import { type RunningService, startService } from '../../../support/service/service-process'
import { useEnvironment } from './stub-service'

/** The names of the environments of `OwnServices`. */
export const cloud = 'Company'
export const selfHosted = 'Team'

/** Services of both modes, in which tests may create what they want. What one creates is there for the others. */
export interface OwnServices {
  cloud: RunningService
  selfHosted: RunningService
  dispose: () => Promise<void>
}

export async function startOwnServices(): Promise<OwnServices> {
  const start = (mode: 'cloud' | 'self-hosted') => startService({ mode, sample: 40, provisionMs: 1_000 })
  const [ofCloud, ofSelfHosted] = await Promise.all([start('cloud'), start('self-hosted')])
  return {
    cloud: ofCloud,
    selfHosted: ofSelfHosted,
    async dispose() {
      await Promise.all([ofCloud.dispose(), ofSelfHosted.dispose()])
    },
  }
}

/** Adds the environments of both services; that of the cloud is the current one then. */
export async function useServices(page: Page, services: OwnServices): Promise<void> {
  const baseUrl = services.selfHosted.url
  await useEnvironment(page, { name: selfHosted, baseUrl, mode: 'self-hosted' })
  await useEnvironment(page, {
    name: cloud,
    baseUrl: services.cloud.url,
    integrations: [sampleIntegrationId],
  })
}
