import {
  type CallOutput,
  type DeploymentSummary,
  fail,
  failure,
  type Outcome,
  pageLimits,
  type ParsedCallInput,
  splitIds,
  succeed,
} from '@contract'
import type { CachedPageRequest, CachedQuery, CachedSummary, ExportedList } from '@contract/cache'
import { idBatches } from '@contract/deployment-api/list/id-batches'
import {
  type MergedList,
  mergedList,
  type MergedPage,
  type ReadStatus,
  readMergedPage,
} from '@contract/deployment-api/merged-statuses'
import type { Cache } from '../cache-client'

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
  /** Answers `deployments.page`. */
  page: (
    input: ParsedCallInput<'deployments.page'>,
    signal: AbortSignal,
  ) => Promise<Outcome<CallOutput<'deployments.page'>>>
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

/** Only some deployments: as many as one request can name after each other. */
async function* batchesOf(
  sources: ExportSources,
  environmentId: string,
  filters: ServiceFilters,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Outcome<Batch>> {
  const typed = splitIds(filters.deployment_ids)
  const wanted = ids.filter((id) => typed.length === 0 || typed.includes(id))
  for (const batch of idBatches(wanted))
    yield* listBatches(sources, environmentId, { ...filters, deployment_ids: batch.join(',') }, signal)
}

function listBatches(
  sources: ExportSources,
  environmentId: string,
  { statuses: chosen, ...filters }: ServiceFilters,
  signal: AbortSignal,
): AsyncGenerator<Outcome<Batch>> {
  const statuses = chosen ?? []
  const read: ReadStatus = (status, offset, limit) =>
    sources.page({ environmentId, query: { ...filters, status, offset, limit } }, signal)
  return statuses.length > 1
    ? mergedBatches(statuses, read)
    : serviceBatches((offset, limit) => read(statuses[0] ?? null, offset, limit))
}

/** A service that always has one more page must not fill the disk. */
const mostDeployments = 1_000_000

/**
 * Each page begins with the last deployment of the page before, so that a list that changes meanwhile shows. A deployment
 * that moved to a later page comes once. A short page ends the list only if nothing new comes after it: a service may give
 * fewer deployments than asked for.
 */
async function* serviceBatches(
  readPage: (offset: number, limit: number) => ReturnType<ReadStatus>,
): AsyncGenerator<Outcome<Batch>> {
  const known = new Set<string>()
  let last: string | null = null
  let read = 0
  for (let offset = 0; ;) {
    const outcome = await readPage(offset, pageLimits.max)
    if (!outcome.ok) {
      yield outcome
      return
    }
    const { deployments, unreadable, received, nextOffset, end } = outcome.value
    const fresh = deployments.filter(({ id }) => !known.has(id))
    for (const { id } of fresh) known.add(id)
    const joins = last === null || deployments[0]?.id === last
    read += received
    const isFull = read >= mostDeployments
    // A service may answer the same page for ever.
    const isRepeating = fresh.length === 0 && unreadable.length === 0 && end === null
    const mayBeIncomplete = !joins || end === 'stuck' || isFull || isRepeating
    yield succeed({ deployments: fresh, unreadable: unreadable.length, total: null, mayBeIncomplete })
    const next = nextOffset ?? offset + received
    const isOver = isRepeating || (end !== null && (end !== 'short' || fresh.length === 0))
    if (isOver || isFull) return
    // One page of a single deployment would be read forever.
    const overlap = unreadable.length === 0 && next - 1 > offset ? 1 : 0
    last = overlap === 1 ? (deployments.at(-1)?.id ?? null) : null
    offset = next - overlap
  }
}

/** The interface takes one status: several are read as a list each and merged, as the live list does. */
async function* mergedBatches(statuses: readonly string[], read: ReadStatus): AsyncGenerator<Outcome<Batch>> {
  let merged: MergedList | null = mergedList(statuses)
  for (let written = 0; merged !== null;) {
    const outcome: Outcome<MergedPage> = await readMergedPage(merged, pageLimits.max, beyondShort(read))
    if (!outcome.ok) {
      yield outcome
      return
    }
    const { rows, unreadable, next } = outcome.value
    written += rows.length
    const isCut = next !== null && (rows.length === 0 || written >= mostDeployments)
    const mayBeIncomplete = isCut || outcome.value.mayBeIncomplete
    yield succeed({ deployments: rows, unreadable: unreadable.length, total: null, mayBeIncomplete })
    merged = isCut ? null : next
  }
}

/**
 * Goes on after a short page, as `serviceBatches` does. A page of one deployment may be the one that is known already: what
 * comes after it is read at once.
 */
function beyondShort(read: ReadStatus): ReadStatus {
  return async (status, offset, limit) => {
    const outcome = await read(status, offset, limit)
    if (!outcome.ok || outcome.value.end !== 'short') return outcome
    const page = outcome.value
    const next = offset + page.received
    if (page.received > 1) return succeed({ ...page, end: null, nextOffset: next })
    const after = await read(status, next, limit)
    if (!after.ok) return after
    if (after.value.received === 0) return outcome
    return succeed({
      ...page,
      end: null,
      nextOffset: next + after.value.received,
      received: page.received + after.value.received,
      deployments: [...page.deployments, ...after.value.deployments],
      unreadable: [...page.unreadable, ...after.value.unreadable],
    })
  }
}

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
