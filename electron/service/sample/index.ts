import { type EnvironmentMode, sampleLeftoverTracingProject } from '@contract'
import type { Store } from '../database/store'
import { sampleDeployments } from './deployments'
import { createRandom } from './random'
import { sampleRepositories } from './repositories'

const seeds: Record<EnvironmentMode, number> = { cloud: 2026, 'self-hosted': 1126 }

/** The tenant of an installation that begins with a sample. */
export const sampleTenant = (mode: EnvironmentMode): string => createRandom(seeds[mode]).uuid()

/**
 * Fills an empty database with `count` deployments, the repositories of one integration, and a tracing project whose
 * deployment is gone. Leaves any other database unchanged, and returns false. The same mode and count produce the same
 * data on every machine, including identifiers.
 */
export function fillWithSample(store: Store, mode: EnvironmentMode, count: number): Promise<boolean> {
  return store.fill(() => {
    const random = createRandom(seeds[mode])
    // The first number is that of `sampleTenant`.
    random.uuid()
    const { tenantId } = store
    const repositories = sampleRepositories(random)
    return {
      repositories,
      leftovers: [sampleLeftoverTracingProject],
      deployments: sampleDeployments({ random, mode, tenantId, repositories }, count),
    }
  })
}
