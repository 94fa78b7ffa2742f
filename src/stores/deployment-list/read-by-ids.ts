import type { DeploymentPage, DeploymentSummary, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { idBatches } from '@contract/deployment-api/list'
import { call } from '@/api'

/** What the service has of some deployments. */
interface FoundByIds {
  rows: Map<string, DeploymentSummary>
  /** Identifiers that the service was asked for and doesn't have. */
  missing: Set<string>
}

/** Reads deployments by their identifiers, in as many requests as that takes. Failures: those of `deployments.page`. */
export async function readByIds(
  environmentId: string,
  wanted: readonly string[],
  options: { signal: AbortSignal; quiet?: boolean },
): Promise<Outcome<FoundByIds>> {
  const rows = new Map<string, DeploymentSummary>()
  const missing = new Set<string>()
  for (const batch of idBatches(wanted)) {
    for (let ids = batch; ids.length > 0;) {
      const query = { deployment_ids: ids.join(','), limit: ids.length, offset: 0 }
      const outcome: Outcome<DeploymentPage> = await call(
        'deployments.page',
        { environmentId, query },
        options,
      )
      if (!outcome.ok) return outcome
      const { deployments, received } = outcome.value
      for (const row of deployments) rows.set(row.id, row)
      const rest = ids.filter((id) => !rows.has(id))
      if (rest.length < ids.length) {
        // A service may answer fewer at once than it was asked for.
        ids = rest
        continue
      }
      if (received === 0) for (const id of rest) missing.add(id)
      break
    }
  }
  return succeed({ rows, missing })
}
