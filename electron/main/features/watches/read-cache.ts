import { randomUUID } from 'node:crypto'
import { fail, type Outcome, succeed } from '@contract'
import { cacheNotes, type CachedQuery } from '@contract/cache'
import { watchLimits } from '@contract/cache/watches/watch-limits'
import type { StoredWatch } from '@contract/ipc/watches-content'
import type { Cache } from '../../processes/cache-client/types'
import { bytesOfFollowed, bytesOfWatchId } from './followed-bytes'
import { seenOf } from './read-service'
import type { WatchedList } from './rules'
import type { FollowedMap, Seen } from './rules/types'

/** How many rows are read at once. */
const rowsAtOnce = 200

/** An environment's cache after a synchronisation, as its watches need it. */
export interface Synchronised {
  /** Identifies the cache, so that the first synchronisation of a new cache is recognised. */
  baseline: string
  lists: WatchedList[]
  /** The watches whose lists are too long to follow. */
  tooLong: Set<string>
  /** The followed deployments that aren't on any list. */
  others: Seen[]
}

/**
 * Reads the cache of an environment for its watches. A list is too long if it has too many deployments to follow, or if
 * they take more than `maxBytes` together with those of the lists before it. Failures: those of the cache;
 * `environment-changed` once the environment leads to another service.
 */
export async function readSynchronised(
  cache: Pick<Cache, 'ask' | 'service'>,
  environmentId: string,
  watches: readonly StoredWatch[],
  followed: FollowedMap,
  maxBytes: number,
): Promise<Outcome<Synchronised>> {
  const service = await cache.service(environmentId)
  if (!service.ok) return service
  const reader = { cache, environmentId, service: service.value }
  const baseline = await baselineOf(reader)
  if (!baseline.ok) return baseline
  const lists: WatchedList[] = []
  const tooLong = new Set<string>()
  const listed = new Set<string>()
  let bytes = 0
  /** Several watches may have the same list. */
  const read = new Map<string, Seen[] | null>()
  for (const watch of watches) {
    if (watch.on.kind !== 'list') continue
    const key = JSON.stringify(watch.on.query)
    if (!read.has(key)) {
      const found = await readList(reader, watch.on.query)
      if (!found.ok) return found
      read.set(key, found.value)
    }
    const members = read.get(key) ?? null
    const added = (members ?? []).filter(({ id }) => !listed.has(id))
    const again = (members?.length ?? 0) - added.length
    const taken = added.reduce((sum, one) => sum + bytesOfFollowed(one, 1), again * bytesOfWatchId)
    const isTooMany = listed.size + added.length > watchLimits.followed || bytes + taken > maxBytes
    if (members === null || isTooMany) {
      tooLong.add(watch.id)
      continue
    }
    for (const { id } of added) listed.add(id)
    bytes += taken
    lists.push({ watchId: watch.id, members, isFirst: watch.baseline !== baseline.value })
  }
  const alone = watches.flatMap(({ on }) => (on.kind === 'deployment' ? on.deploymentId : []))
  const rest = [...new Set([...followed.keys(), ...alone])].filter((id) => !listed.has(id))
  const others = await readByIds(reader, rest)
  if (!others.ok) return others
  return succeed({ baseline: baseline.value, lists, tooLong, others: others.value })
}

interface CacheReader {
  cache: Pick<Cache, 'ask'>
  environmentId: string
  service: string
}

/** The identifier of the cache, created if it has none. */
async function baselineOf({ cache, environmentId, service }: CacheReader): Promise<Outcome<string>> {
  const key = cacheNotes.watched
  const note = await cache.ask(environmentId, 'read-note', { key }, service)
  if (!note.ok) return note
  if (note.value !== null) return succeed(note.value)
  const value = randomUUID()
  const written = await cache.ask(environmentId, 'write-note', { key, value }, service)
  return written.ok ? succeed(value) : written
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

async function pageOf(
  { cache, environmentId, service }: CacheReader,
  query: CachedQuery,
  offset: number,
  snapshot: string | null,
) {
  const request = { query, offset, limit: rowsAtOnce, snapshot }
  const page = await cache.ask(environmentId, 'page', { request }, service)
  if (!page.ok) return fail(page.failure)
  return page
}
