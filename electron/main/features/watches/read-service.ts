import {
  cutText,
  type DeploymentSummary,
  fail,
  type Failure,
  type FailureCode,
  toSearchParams,
} from '@contract'
import { idBatches } from '@contract/deployment-api/list/id-batches'
import type { ServiceClient } from '../../processes/cache-client/types'
import { listPage } from '../deployments/list/page'
import { askService } from '../../environments/current-environment'
import { environmentChangedFailure } from '../../environments/model/failures'
import type { Environments } from '../../environments/model/types'
import type { HttpTarget } from '../../http/types'
import type { Seen } from './rules/types'

/** The result of asking a service for deployments by their identifiers (interface: List deployments). */
export interface ServiceRequester {
  environments: Environments
  http: ServiceClient
}

/** The answers of a service. */
interface AnsweredService {
  /** The deployments in its answers. */
  seen: Seen[]
  /** The identifiers that it refused in a request of their own, unless it refused everything. */
  refused: string[]
}

/**
 * Asks the current environment's service for deployments. The result leaves out those without an answer. Sends nothing
 * if the environment leads elsewhere than the caller wants.
 *
 * @param alone identifiers to request one by one, after the others
 * @param isWanted whether a target leads to the service that the identifiers belong to
 */
export async function readFromService(
  requester: ServiceRequester,
  environmentId: string,
  ids: readonly string[],
  alone: readonly string[],
  isWanted: (target: HttpTarget) => boolean,
  signal: AbortSignal,
): Promise<AnsweredService> {
  const found = new Map<string, Seen>()
  const refused: string[] = []
  const batches = [...idBatches(ids), ...alone.map((id) => [id])]
  let splits = 0
  for (let batch = batches.shift(); batch; batch = batches.shift()) {
    const failed = await readBatch(requester, environmentId, batch, isWanted, signal, found)
    if (failed === null) continue
    if (ofBatch.has(failed.code) && batch.length === 1) refused.push(...batch)
    else if (ofBatch.has(failed.code) && splits < maxSplits) {
      splits += 1
      const middle = Math.ceil(batch.length / 2)
      batches.unshift(batch.slice(0, middle), batch.slice(middle))
    } else if (!ofBatch.has(failed.code) && !ofAnswer.has(failed.code)) break
  }
  return { seen: [...found.values()], refused: found.size > 0 ? refused : [] }
}

/** Failures that one identifier may cause for a whole request, or that a smaller request may avoid. */
const ofBatch: ReadonlySet<FailureCode> = new Set(['bad-request', 'not-found-at-service', 'too-large'])

/** Failures of one answer: the next request may succeed. */
const ofAnswer: ReadonlySet<FailureCode> = new Set([
  'service-error',
  'unexpected-status',
  'unreadable-answer',
])

/** How many times a round splits a refused request in two. */
const maxSplits = 24

/** Reads deployments into `found`. Gives why it couldn't continue; null if it could. */
async function readBatch(
  { environments, http }: ServiceRequester,
  environmentId: string,
  batch: readonly string[],
  isWanted: (target: HttpTarget) => boolean,
  signal: AbortSignal,
  found: Map<string, Seen>,
): Promise<Failure | null> {
  for (let wanted = batch; wanted.length > 0;) {
    const limit = wanted.length
    const query = toSearchParams({ deployment_ids: wanted.join(','), limit, offset: 0 })
    const listed = await askService(environments, environmentId, signal, async (target) =>
      isWanted(target)
        ? await listPage(http, target, query, signal, { kind: 'page', limit }, 'watch')
        : fail(environmentChangedFailure),
    )
    if (!listed.ok) return listed.failure
    for (const one of listed.value.deployments) {
      if (wanted.includes(one.id)) found.set(one.id, seenOf(one))
    }
    const missing = wanted.filter((id) => !found.has(id))
    // A service may give fewer deployments than requested.
    wanted = missing.length < wanted.length ? missing : []
  }
  return null
}

/** The part of a list's row that watches compare. */
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
