import { fail, type Outcome, succeed, cutText, type DeploymentSummary, toSearchParams } from '@contract'
import type { CachedPageRequest, CachedQuery } from '@contract/cache'
import { watchLimits } from '@contract/cache/choices'
import type { StoredWatch } from './store'
import type { Cache, ServiceClient } from '../../processes/cache-client'
import type { FailedRevisions } from '../life/revisions'
import { type FollowedMap, isOnItsWay, type Seen, type WatchedList } from './rules'
import { idBatches } from '@contract/deployment-api/list'
import { listPage } from '../deployments/list'
import type { Environments } from '../../environments'
import { askService, environmentChangedFailure } from '../../environments/known'
import type { HttpTarget } from '../../http/client'

/** How many rows are read at once. */
const rowsAtOnce = 200

/** An environment's cache after a synchronisation, as its watches need it. */
export interface Synchronised {
  lists: WatchedList[]
  /** The watches whose lists are too long to follow. */
  tooLong: Set<string>
  /** The followed deployments that aren't on any list. */
  others: Seen[]
}

/**
 * Reads the cache of an environment for its watches. A list is too long if it has too many deployments to follow,
 * together with those of the lists before it. Failures: those of the cache; `environment-changed` once the environment
 * leads to another service.
 */
export async function readSynchronised(
  cache: Pick<Cache, 'ask' | 'service'>,
  environmentId: string,
  watches: readonly StoredWatch[],
  followed: FollowedMap,
): Promise<Outcome<Synchronised>> {
  const service = await cache.service(environmentId)
  if (!service.ok) return service
  const read = (query: WatchedQuery) => readAll(cache, environmentId, service.value, query)
  const lists: WatchedList[] = []
  const tooLong = new Set<string>()
  const listed = new Set<string>()
  for (const watch of watches) {
    if (watch.on.kind !== 'list') continue
    const found = await read(watch.on.query)
    if (!found.ok) return found
    const members = found.value?.filter(({ isGone }) => !isGone)
    const all = new Set([...listed, ...(members ?? []).map(({ id }) => id)])
    if (!members || all.size > watchLimits.followed) {
      tooLong.add(watch.id)
      continue
    }
    for (const id of all) listed.add(id)
    lists.push({ watchId: watch.id, members, isFirst: !watch.hasBegun })
  }
  const alone = watches.flatMap(({ on }) => (on.kind === 'deployment' ? on.deploymentId : []))
  const ids = [...new Set([...followed.keys(), ...alone])].filter((id) => !listed.has(id))
  const others: Seen[] = []
  for (let from = 0; from < ids.length; from += rowsAtOnce) {
    const found = await read({ filters: { ids: ids.slice(from, from + rowsAtOnce) }, search: '' })
    if (!found.ok) return found
    others.push(...(found.value ?? []))
  }
  return succeed({ lists, tooLong, others })
}

type WatchedQuery = Pick<CachedQuery, 'filters' | 'search'>

/** All that a query finds in a cache, and what is gone of it; null if that is far more than a watch can follow. */
async function readAll(
  cache: Pick<Cache, 'ask'>,
  environmentId: string,
  service: string,
  { filters, search }: WatchedQuery,
): Promise<Outcome<Seen[] | null>> {
  const query: CachedQuery = { filters, search, sort: { by: 'created_at', descending: true } }
  const found: Seen[] = []
  let snapshot: string | null = null
  for (let offset = 0; ; offset += rowsAtOnce) {
    const request: CachedPageRequest = { query, offset, limit: rowsAtOnce, snapshot }
    const page = await cache.ask(environmentId, 'page', { request }, service)
    if (!page.ok) return page
    const { deployments, total } = page.value
    if (total > 2 * watchLimits.followed) return succeed(null)
    snapshot = page.value.snapshot
    found.push(...deployments.map((row) => seenOf(row, row.gone_at !== null)))
    if (offset + rowsAtOnce >= total) return succeed(found)
  }
}

/** The result of asking a service for deployments by their identifiers (interface: List deployments). */
export interface ServiceRequester {
  environments: Environments
  http: ServiceClient
}

/**
 * Asks the current environment's service for deployments. The result leaves out those without an answer. Sends nothing
 * if the environment leads elsewhere than the caller wants.
 *
 * @param isWanted whether a target leads to the service that the identifiers belong to
 */
export async function readFromService(
  { environments, http }: ServiceRequester,
  environmentId: string,
  ids: readonly string[],
  isWanted: (target: HttpTarget) => boolean,
  signal: AbortSignal,
): Promise<Seen[]> {
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
      // Another batch may succeed.
      if (!listed.ok) break
      for (const one of listed.value.deployments) {
        if (wanted.includes(one.id)) found.set(one.id, seenOf(one))
      }
      const missing = wanted.filter((id) => !found.has(id))
      // A service may give fewer deployments than requested.
      wanted = missing.length < wanted.length ? missing : []
    }
  }
  return [...found.values()]
}

/** Deployments with why their latest revision failed, for those that seem to be rolling out. */
export async function withFailures(
  failures: FailedRevisions,
  environmentId: string,
  seen: readonly Seen[],
): Promise<Seen[]> {
  const asked = seen
    .filter(isOnItsWay)
    .flatMap(({ id, latest }) => (latest === null ? [] : [{ id, latestRevisionId: latest }]))
  if (asked.length === 0) return [...seen]
  const told = await failures(
    { environmentId, deployments: asked.slice(0, 100) },
    AbortSignal.timeout(60_000),
  )
  const failed = new Map(told.ok ? told.value.map((one) => [one.revisionId, one]) : [])
  return seen.map((one) => {
    const found = failed.get(one.latest ?? '')
    return found?.deploymentId === one.id ? { ...one, failure: found.message ?? found.status } : one
  })
}

/** The part of a list's row that watches compare. */
const seenOf = (row: DeploymentSummary, isGone = false): Seen => ({
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
