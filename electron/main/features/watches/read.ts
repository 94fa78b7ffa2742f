import {
  fail,
  type Outcome,
  succeed,
  cutText,
  type DeploymentSummary,
  type Failure,
  type FailureCode,
  toSearchParams,
} from '@contract'
import type { CachedPage, CachedQuery } from '@contract/cache'
import { watchLimits } from '@contract/cache/choices'
import type { StoredWatch } from './store'
import type { Cache, ServiceClient } from '../../processes/cache-client'
import type { FailedRevisions } from '../life/revisions'
import { type WatchedList, type FollowedMap, isOnItsWay, type Seen } from './rules'
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
  const reader = { cache, environmentId, service: service.value }
  const lists: WatchedList[] = []
  const tooLong = new Set<string>()
  const listed = new Set<string>()
  for (const watch of watches) {
    if (watch.on.kind !== 'list') continue
    const found = await readList(reader, watch.on.query)
    if (!found.ok) return found
    const members = found.value
    const added = (members ?? []).filter(({ id }) => !listed.has(id))
    if (members === null || listed.size + added.length > watchLimits.followed) {
      tooLong.add(watch.id)
      continue
    }
    for (const { id } of added) listed.add(id)
    lists.push({ watchId: watch.id, members, isFirst: !watch.hasBegun })
  }
  const alone = watches.flatMap(({ on }) => (on.kind === 'deployment' ? on.deploymentId : []))
  const rest = [...new Set([...followed.keys(), ...alone])].filter((id) => !listed.has(id))
  const others = await readByIds(reader, rest)
  if (!others.ok) return others
  return succeed({ lists, tooLong, others: others.value })
}

interface CacheReader {
  cache: Pick<Cache, 'ask'>
  environmentId: string
  service: string
}

/** The deployments on a list that aren't gone; null if there are more than a watch can follow. */
async function readList(
  reader: CacheReader,
  { filters, search }: Pick<CachedQuery, 'filters' | 'search'>,
): Promise<Outcome<Seen[] | null>> {
  const query: CachedQuery = { filters, search, sort: { by: 'created_at', descending: true } }
  const found: Seen[] = []
  let snapshot: string | null = null
  for (let offset = 0; ; offset += rowsAtOnce) {
    const page = await pageOf(reader, query, offset, snapshot)
    if (!page.ok) return page
    const { deployments, total } = page.value
    if (total > 2 * watchLimits.followed) return succeed(null)
    snapshot = page.value.snapshot
    found.push(...deployments.flatMap((row) => (row.gone_at === null ? seenOf(row) : [])))
    if (found.length > watchLimits.followed) return succeed(null)
    if (offset + rowsAtOnce >= total) return succeed(found)
  }
}

async function readByIds(reader: CacheReader, ids: readonly string[]): Promise<Outcome<Seen[]>> {
  const found: Seen[] = []
  for (let from = 0; from < ids.length; from += rowsAtOnce) {
    const query: CachedQuery = {
      filters: { ids: ids.slice(from, from + rowsAtOnce) },
      search: '',
      sort: { by: 'created_at', descending: true },
    }
    const page = await pageOf(reader, query, 0, null)
    if (!page.ok) return page
    found.push(...page.value.deployments.map((row) => seenOf(row, row.gone_at !== null)))
  }
  return succeed(found)
}

function pageOf(
  { cache, environmentId, service }: CacheReader,
  query: CachedQuery,
  offset: number,
  snapshot: string | null,
): Promise<Outcome<CachedPage>> {
  const request = { query, offset, limit: rowsAtOnce, snapshot }
  return cache.ask(environmentId, 'page', { request }, service)
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
  requester: ServiceRequester,
  environmentId: string,
  ids: readonly string[],
  isWanted: (target: HttpTarget) => boolean,
  signal: AbortSignal,
): Promise<Seen[]> {
  const found = new Map<string, Seen>()
  for (const batch of idBatches(ids)) {
    const failed = await readBatch(requester, environmentId, batch, isWanted, signal, found)
    if (failed && !ofAnswer.has(failed.code)) break
  }
  return [...found.values()]
}

/** Failures of one answer: the next request may succeed. */
const ofAnswer: ReadonlySet<FailureCode> = new Set([
  'bad-request',
  'not-found-at-service',
  'too-large',
  'service-error',
  'unexpected-status',
  'unreadable-answer',
])

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
