import {
  type Answers,
  type DeploymentSummary,
  fail,
  failure,
  type Outcome,
  pageLimits,
  splitIds,
  succeed,
} from '@contract'
import type { CachedPageRequest, CachedQuery, CachedSummary, ExportedList } from '@contract/cache'
import { idBatches } from '@contract/deployment-api/list'
import {
  firstRow,
  lastReadable,
  type ListedPage,
  type MergedList,
  mergedList,
  type MergedPage,
  type ReadStatus,
  readMergedPage,
} from '@domain/lists/merged'
import type { Cache } from '../../processes/cache-client'

/** Some deployments of an exported list, in its order. */
export interface Batch {
  deployments: readonly (DeploymentSummary | CachedSummary)[]
  unreadable: number
  /** How long the list is; null if unknown. */
  total: number | null
  /** Whether the list may have deployments that no batch has. */
  mayBeIncomplete: boolean
}

/** What an export reads from. */
export interface ExportSources {
  page: Answers<'deployments'>['deployments.page']
  cache: Pick<Cache, 'ask'>
}

/** How many cached deployments are read at once. */
const cachedBatch = 200

/** Reads a whole list in batches. Ends with the first failure. */
export function readBatches(
  sources: ExportSources,
  environmentId: string,
  list: ExportedList,
  signal: AbortSignal,
): AsyncGenerator<Outcome<Batch>> {
  if (list.from === 'cache') return cachedBatches(sources.cache, environmentId, list.query)
  const { ids, ...filters } = list.filters
  return ids
    ? batchesOf(sources, environmentId, filters, ids, signal)
    : listBatches(sources, environmentId, filters, signal)
}

type ServiceFilters = Omit<Extract<ExportedList, { from: 'service' }>['filters'], 'ids'>

/**
 * Reads only the deployments with these identifiers, each once, as many at a time as one request can name. A service
 * may answer with fewer than were requested, or with others. The rest is requested again, and counts as gone once an
 * answer is empty.
 */
async function* batchesOf(
  sources: ExportSources,
  environmentId: string,
  filters: ServiceFilters,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Outcome<Batch>> {
  const typed = splitIds(filters.deployment_ids)
  const left = new Set(ids.filter((id) => typed.length === 0 || typed.includes(id)))
  for (const batch of idBatches([...left])) {
    for (let requested = batch; ;) {
      requested = requested.filter((id) => left.has(id))
      if (requested.length === 0) break
      const before = left.size
      let received = 0
      let unreadable = 0
      let isWhole = true
      const named = { ...filters, deployment_ids: requested.join(',') }
      for await (const outcome of listBatches(sources, environmentId, named, signal)) {
        if (!outcome.ok) {
          yield outcome
          return
        }
        const { value } = outcome
        received += value.deployments.length
        unreadable += value.unreadable
        isWhole &&= !value.mayBeIncomplete
        const deployments = value.deployments.filter(({ id }) => left.delete(id))
        yield succeed({ ...value, deployments, unreadable: 0, mayBeIncomplete: false })
        if (!requested.some((id) => left.has(id))) break
      }
      if (left.size < before) continue
      // An unreadable entry may or may not be one of those requested, unless the answer has nothing else.
      const isExplained = isWhole && received === 0 && (unreadable === 0 || unreadable >= requested.length)
      const lost = Math.min(unreadable, requested.length)
      yield succeed({ deployments: [], unreadable: lost, total: null, mayBeIncomplete: !isExplained })
      break
    }
  }
}

function listBatches(
  sources: ExportSources,
  environmentId: string,
  { statuses: chosen, ...filters }: ServiceFilters,
  signal: AbortSignal,
): AsyncGenerator<Outcome<Batch>> {
  const statuses = chosen ?? []
  const read = beyondShort((status, offset, limit) =>
    sources.page({ environmentId, query: { ...filters, status, offset, limit } }, signal),
  )
  return statuses.length > 1
    ? mergedBatches(statuses, read)
    : serviceBatches((offset, limit) => read(statuses[0] ?? null, offset, limit))
}

/** A service that always has one more page must not fill the disk. */
const maxDeployments = 1_000_000

/**
 * Each page begins with the last deployment of the page before, which shows whether the list changed in between. A
 * deployment that moved to a later page is exported once. A page that brings nothing new ends the list.
 */
async function* serviceBatches(
  readPage: (offset: number, limit: number) => ReturnType<ReadStatus>,
): AsyncGenerator<Outcome<Batch>> {
  const known = new Set<string>()
  let last: string | null = null
  let read = 0
  for (let offset = 0, covered = 0; ;) {
    const outcome = await readPage(offset, pageLimits.max)
    if (!outcome.ok) {
      yield outcome
      return
    }
    const page = outcome.value
    // Two pages may have the same deployment: a page of one and the page after it were read one after the other.
    const fresh = page.deployments.filter(({ id }) => !known.has(id) && known.add(id))
    // Entries that are read again to find the joint were counted before.
    const unreadable = page.unreadable.filter(({ index }) => offset + index >= covered).length
    const joins = last === null || firstRow(page) === last
    read += page.received
    const isFull = read >= maxDeployments
    const isRepeated = fresh.length === 0 && unreadable === 0
    const mayBeIncomplete = !joins || page.end === 'stuck' || isFull
    yield succeed({ deployments: fresh, unreadable, total: null, mayBeIncomplete })
    if (page.end !== null || isRepeated || isFull) return
    const next: number = page.nextOffset ?? offset + page.received
    const joint: number = next - page.received + (lastReadable(page) ?? -1)
    // Otherwise the same page would be read forever.
    const canJoin: boolean = joint > offset
    last = canJoin ? (page.deployments.at(-1)?.id ?? null) : null
    covered = next
    offset = canJoin ? joint : next
  }
}

/**
 * The interface takes one status. So each status is read as a list of its own, and the lists are merged, as in the live
 * list.
 */
async function* mergedBatches(statuses: readonly string[], read: ReadStatus): AsyncGenerator<Outcome<Batch>> {
  let merged: MergedList | null = mergedList(statuses)
  for (let written = 0; merged !== null;) {
    const outcome: Outcome<MergedPage> = await readMergedPage(merged, pageLimits.max, read)
    if (!outcome.ok) {
      yield outcome
      return
    }
    const { rows, unreadable, next } = outcome.value
    written += rows.length
    const isCut = next !== null && (rows.length === 0 || written >= maxDeployments)
    const mayBeIncomplete = isCut || outcome.value.mayBeIncomplete
    yield succeed({ deployments: rows, unreadable: unreadable.length, total: null, mayBeIncomplete })
    merged = isCut ? null : next
  }
}

/** How often a page of one deployment is read again, until it is the same before and after the next page was read. */
const maxAttempts = 20

/**
 * Continues after a short page: a service may give fewer deployments than requested, such as those that fit into an
 * answer. Only an empty page ends the list.
 *
 * The only deployment on a page may be a known one, so the page after it is read at once. No answer has both. So the
 * first page is read again, and if it has another deployment now, the page after it is discarded. If a deployment
 * before this position is removed between the first two requests, and another is added between the last two, neither is
 * detected.
 */
function beyondShort(read: ReadStatus): ReadStatus {
  return async (status, offset, limit) => {
    let outcome = await read(status, offset, limit)
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      if (!outcome.ok || outcome.value.end !== 'short') return outcome
      const page = outcome.value
      if (page.received > 1) return succeed(goingOn(page))
      const after = await read(status, offset + 1, limit)
      if (!after.ok) return after
      outcome = await read(status, offset, limit)
      const isSame = outcome.ok && outcome.value.received === 1 && firstRow(outcome.value) === firstRow(page)
      if (isSame) return succeed(after.value.received === 0 ? page : withNext(page, goingOn(after.value)))
    }
    return outcome.ok ? succeed({ ...outcome.value, nextOffset: null, end: 'stuck' }) : outcome
  }
}

/** Joins a page of one deployment and the page after it. */
const withNext = (page: ListedPage, { end, nextOffset, ...after }: ListedPage): ListedPage => ({
  ...page,
  end,
  nextOffset,
  received: 1 + after.received,
  deployments: [...page.deployments, ...after.deployments],
  unreadable: [...page.unreadable, ...after.unreadable.map((item) => ({ ...item, index: 1 + item.index }))],
})

/** Marks a short page as not the last one. */
const goingOn = (page: ListedPage): ListedPage =>
  page.end === 'short' ? { ...page, end: null, nextOffset: page.offset + page.received } : page

async function* cachedBatches(
  cache: ExportSources['cache'],
  environmentId: string,
  query: CachedQuery,
): AsyncGenerator<Outcome<Batch>> {
  let snapshot: string | null = null
  for (let offset = 0, total = 1; offset < total; offset += cachedBatch) {
    const request: CachedPageRequest = { query, offset, limit: cachedBatch, snapshot }
    const outcome = await cache.ask(environmentId, 'page', { request })
    if (!outcome.ok) {
      yield outcome
      return
    }
    const page = outcome.value
    if (snapshot !== null && page.snapshot !== snapshot) {
      yield fail(cacheChanged)
      return
    }
    ;({ snapshot, total } = page)
    yield succeed({ deployments: page.deployments, unreadable: 0, total, mayBeIncomplete: false })
  }
}

const cacheChanged = failure('cache', 'The cache changed during the export, so nothing was saved.', {
  advice: 'Export again.',
  retryable: true,
})
