import type { EnvironmentMode } from '@contract'
import { sampleLeftoverTracingProject } from '@contract'
import type { Store } from '../database/store'
import { sampleDeployments } from './deployments'
import { createRandom } from './random'
import { sampleRepositories } from './repositories'

const seeds: Record<EnvironmentMode, number> = { cloud: 2026, 'self-hosted': 1126 }

/**
 * Fills an empty database with `count` deployments, the repositories of one integration, and a tracing project whose
 * deployment is gone. Leaves any other database unchanged, and returns false. The same mode and count produce the same
 * data on every machine, including identifiers.
 */
export function fillWithSample(store: Store, mode: EnvironmentMode, count: number): Promise<boolean> {
  return store.fill(() => {
    const random = createRandom(seeds[mode])
    const tenantId = random.uuid()
    const repositories = sampleRepositories(random)
    return {
      tenantId,
      repositories,
      leftovers: [{ name: sampleLeftoverTracingProject, createdAt: '2025-03-14T08:30:00.000Z' }],
      deployments: sampleDeployments({ random, mode, tenantId, repositories }, count),
    }
  })
}
