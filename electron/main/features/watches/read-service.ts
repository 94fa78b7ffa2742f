import { type DeploymentSummary, fail, type Outcome, succeed, toSearchParams } from '@contract'
import { cutText } from '@contract'
import { idBatches } from '@contract/deployment-api/list/id-batches'
import type { ServiceClient } from '../../processes/cache-client/types'
import { listPage } from '../deployments/list/page'
import { askService } from '../../environments/current-environment'
import { environmentChangedFailure } from '../../environments/model/failures'
import type { Environments } from '../../environments/model/types'
import type { HttpTarget } from '../../http/types'
import type { Seen } from './rules/types'

/** What a service has of deployments that were asked for by their identifiers (interface: List deployments). */
export interface AskedService {
  environments: Environments
  http: ServiceClient
}

/**
 * Asks the current environment's service for deployments. Those that it doesn't answer about are left out. Failures: those of
 * `askService`; `environment-changed` if the environment leads elsewhere than the caller wants, and then nothing is sent.
 *
 * @param isWanted whether a target leads to the service that the identifiers belong to
 */
export async function readFromService(
  { environments, http }: AskedService,
  environmentId: string,
  ids: readonly string[],
  isWanted: (target: HttpTarget) => boolean,
  signal: AbortSignal,
): Promise<Outcome<Seen[]>> {
  const found = new Map<string, Seen>()
  for (const batch of idBatches(ids)) {
    for (let wanted = batch; wanted.length > 0;) {
      const limit = wanted.length
      const query = toSearchParams({ deployment_ids: wanted.join(','), limit, offset: 0 })
      const listed = await askService(environments, environmentId, signal, async (target) =>
        isWanted(target)
          ? await listPage(http, target, query, signal, { kind: 'page', limit }, 'watch')
          : fail(environmentChangedFailure),
      )
      if (!listed.ok) return listed
      // A cache on the way may have answered with what was.
      if (listed.value.isStale) break
      for (const one of listed.value.value.deployments) {
        if (wanted.includes(one.id)) found.set(one.id, seenOf(one))
      }
      const missing = wanted.filter((id) => !found.has(id))
      // A service may answer fewer at once than it was asked for.
      wanted = missing.length < wanted.length ? missing : []
    }
  }
  return succeed([...found.values()])
}

/** What counts of a row of the list. */
export const seenOf = (row: DeploymentSummary, isGone = false): Seen => ({
  id: row.id,
  name: row.name,
  status: row.status,
  latest: row.latest_revision_id,
  active: row.active_revision_id,
  runs: runsOf(row),
  isGone,
})

function runsOf({ image_version, image_uri, repo_ref }: DeploymentSummary): string | null {
  const runs = image_version ?? image_uri ?? repo_ref
  return runs === null ? null : cutText(runs, 80)
}
