import type { DeploymentPage, DeploymentSummary, Failure, ListQuery, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { idBatches } from '@contract/deployment-api/list'
import { mergedList, type MergedList, readMergedPage } from '@domain/lists/merged'
import { call } from '@/app/api'
import { computed, shallowRef, ref } from 'vue'
import { createLatestCall } from '@/app/stores/resource'
import type { CachedPage, CachedQuery, CachedSummary } from '@contract/cache'

/** Where a page begins: at an offset of the service's list, or in several lists that are shown as one. */
interface PageStart {
  /** With several lists: how many rows are on the pages before. */
  offset: number
  merged: MergedList | null
}

/** A page, and where the next one begins; null at the end. */
interface ListPage {
  page: DeploymentPage
  next: PageStart | null
}

/** What to read: the filters, any number of statuses, and how many rows. */
export interface ListRequest {
  environmentId: string
  filters: Omit<ListQuery, 'offset' | 'status'>
  statuses: readonly string[]
  /** Only these deployments, none of them if it is empty; null for all. */
  ids?: readonly string[] | null
  /** Cancels the requests when aborted. */
  signal: AbortSignal
  /** Whether to show no progress: for reads in the background. */
  quiet?: boolean
}

/** The beginning of the list. */
export const listStart: PageStart = { offset: 0, merged: null }

/**
 * Reads a page of the list. The interface takes one status: several are read as a list each and merged. Failures: those
 * of `deployments.page`.
 */
export function readListPage(request: ListRequest, start: PageStart): Promise<Outcome<ListPage>> {
  // An identifier with a comma can't be asked for.
  const ids = request.ids?.filter((id) => !id.includes(','))
  return ids ? readOf(request, ids, start.offset) : readPage(request, start)
}

/** Reads some deployments: from `offset` of their identifiers, as many as a page has and one request can name. */
async function readOf(
  request: ListRequest,
  ids: readonly string[],
  offset: number,
): Promise<Outcome<ListPage>> {
  const { environmentId, filters } = request
  const [batch] = idBatches(ids.slice(offset, offset + filters.limit))
  if (!batch) return succeed({ page: emptyPage(environmentId, offset), next: null })
  const batchRequest = { ...request, filters: { ...filters, deployment_ids: batch.join(',') } }
  const read = await readPage(batchRequest, listStart)
  if (!read.ok) return read
  const end = offset + batch.length
  // Other filters or the service may exclude all of these.
  if (read.value.page.received === 0 && end < ids.length) return await readOf(request, ids, end)
  const isLast = end >= ids.length
  return succeed({
    page: { ...read.value.page, offset, nextOffset: isLast ? null : end, end: isLast ? 'short' : null },
    next: isLast ? null : { offset: end, merged: null },
  })
}

const emptyPage = (environmentId: string, offset: number): DeploymentPage => ({
  environmentId,
  offset,
  received: 0,
  deployments: [],
  unreadable: [],
  nextOffset: null,
  end: 'empty',
  fetchedAt: new Date().toISOString(),
})

async function readPage(request: ListRequest, start: PageStart): Promise<Outcome<ListPage>> {
  const { environmentId, filters, statuses, signal, quiet } = request
  const read = (status: string | null, offset: number, limit: number): Promise<Outcome<DeploymentPage>> =>
    call(
      'deployments.page',
      { environmentId, query: { ...filters, status, offset, limit } },
      { signal, quiet },
    )
  if (statuses.length <= 1) {
    const outcome = await read(statuses[0] ?? null, start.offset, filters.limit)
    if (!outcome.ok) return outcome
    const { nextOffset } = outcome.value
    return succeed({
      page: outcome.value,
      next: nextOffset === null ? null : { offset: nextOffset, merged: null },
    })
  }
  const merged = await readMergedPage(start.merged ?? mergedList(statuses), filters.limit, read)
  if (!merged.ok) return merged
  const { rows, unreadable, readAt, next } = merged.value
  const end = start.offset + rows.length
  return succeed({
    page: {
      environmentId,
      offset: start.offset,
      received: rows.length + unreadable.length,
      deployments: rows,
      unreadable,
      nextOffset: next && end,
      end: next ? null : 'short',
      fetchedAt: readAt,
    },
    next: next && { offset: end, merged: next },
  })
}

/** What the service has of some deployments. */
export interface FoundByIds {
  rows: ReadonlyMap<string, DeploymentSummary>
  /** Identifiers that the service was asked for and doesn't have. */
  missing: ReadonlySet<string>
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

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Reads the service's list a page at a time. Takes only the answer to the latest request, and only for the environment
 * of that request.
 *
 * @param request what to ask for now, the same object until that changes; null without an environment
 */
export function createLiveReader(request: () => Omit<ListRequest, 'signal'> | null) {
  const page = shallowRef<DeploymentPage | null>(null)
  /** Where the pages up to the shown one begin. */
  const starts = shallowRef<readonly PageStart[]>([listStart])
  /** Where the next page begins; null at the end. */
  const following = shallowRef<PageStart | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()
  const { loading } = latest
  /** The identifiers of the first page, when it was last loaded, and of all pages since. */
  let knownIds: ReadonlySet<string> = new Set()
  const canGoBack = computed(() => starts.value.length > 1)
  const canGoOn = computed(() => following.value !== null)
  /** The page that was requested last, by the beginnings up to it. */
  let wanted = starts.value
  /** The request of the page that is shown. */
  let shown: object | null = null

  /** Loads the page at the last of the beginnings. It is read again after a failure. */
  async function load(target: readonly PageStart[]): Promise<void> {
    const asked = request()
    if (!asked) return
    wanted = target
    const outcome = await latest.make((signal) => readFrom({ ...asked, signal }, target))
    if (!outcome) return
    if (!outcome.ok) {
      failure.value = outcome.failure.code === 'environment-changed' ? null : outcome.failure
      return
    }
    const read = outcome.value
    if (read.page.environmentId !== asked.environmentId) return
    failure.value = null
    shown = asked
    const isNext = read.starts.length > starts.value.length
    if (read.starts.length > 1 && (read.page.received === 0 || (isNext && isRepeated(read.page)))) {
      await endBefore(read.starts, isNext)
      return
    }
    page.value = read.page
    starts.value = wanted = read.starts
    following.value = read.next
    note(read.page.deployments)
  }

  /** Reads a page. That of several lists is read again from the beginning: what is known of them is outdated. */
  async function readFrom(
    asked: ListRequest,
    target: readonly PageStart[],
  ): Promise<Outcome<ListPage & { starts: readonly PageStart[] }>> {
    const isAgain = target === starts.value && target.at(-1)!.merged !== null
    let read = isAgain ? [listStart] : target
    for (;;) {
      const outcome = await readListPage(asked, read.at(-1)!)
      if (!outcome.ok) return outcome
      const { next } = outcome.value
      if (read.length === target.length || !next) return succeed({ ...outcome.value, starts: read })
      read = [...read, next]
    }
  }

  /** Whether a page has only rows of the pages before it. */
  const isRepeated = ({ deployments, unreadable }: DeploymentPage): boolean =>
    deployments.length > 0 && unreadable.length === 0 && deployments.every(({ id }) => knownIds.has(id))

  /** In place of a next page that brings nothing new, the page before it ends the list. */
  async function endBefore(target: readonly PageStart[], isNext: boolean): Promise<void> {
    if (!isNext || !page.value) return await load(target.slice(0, -1))
    wanted = starts.value
    page.value = { ...page.value, nextOffset: null, end: 'empty' }
    following.value = null
  }

  function note(rows: readonly DeploymentSummary[]): void {
    knownIds = new Set([...(canGoBack.value ? knownIds : []), ...rows.map(({ id }) => id)])
  }

  /** Whether another page is being loaded. A refresh of this one gives way to a step. */
  const isLeaving = (): boolean => loading.value && wanted !== starts.value

  return {
    page,
    failure,
    loading,
    canGoBack,
    canGoOn,
    isKnown: (id: string): boolean => knownIds.has(id),
    /** Puts rows that were read again into the page. */
    update(next: (row: DeploymentSummary) => DeploymentSummary, fetchedAt: string): void {
      if (!page.value) return
      const before = page.value.deployments
      const now = before.map(next)
      // Unchanged rows stay the same list: nothing is counted or drawn again.
      const deployments = now.every((row, index) => row === before[index]) ? before : now
      page.value = { ...page.value, deployments, fetchedAt }
      // These rows are current again. The failure of another page, or of other filters, stays until that one is shown.
      if (wanted === starts.value && shown === request()) failure.value = null
      note(deployments)
    },
    /** Loads the first page, unless there is a page already. */
    open: async (): Promise<void> => {
      if (!page.value && !loading.value) await load([listStart])
    },
    /** Loads the page again; the first one if something else is asked for by now. */
    refresh: (): Promise<void> => load(shown === request() ? starts.value : [listStart]),
    retry: (): Promise<void> => load(wanted),
    restart: (): Promise<void> => load([listStart]),
    async next(): Promise<void> {
      if (following.value && !isLeaving()) await load([...starts.value, following.value])
    },
    async previous(): Promise<void> {
      if (canGoBack.value && !isLeaving()) await load(starts.value.slice(0, -1))
    },
    /** Forgets another environment's list. */
    reset(): void {
      latest.cancel()
      page.value = failure.value = following.value = shown = null
      starts.value = wanted = [listStart]
      knownIds = new Set()
    },
  }
}

/** How many rows are read at once. */
export const chunkSize = 100

/** How many chunks stay in memory; those furthest from the view go first. */
export const maxChunks = 20

/**
 * How many chunks are read at the same time. Dragging the scroll bar passes many, and only the last ones are needed.
 */
const maxAtOnce = 2

/** Rows that were read, by the index of each chunk's first row. */
type Chunks = ReadonlyMap<number, readonly CachedSummary[]>

const chunkOf = (index: number): number => Math.floor(index / chunkSize) * chunkSize

/**
 * Reads the cached list as its rows come into view, from the snapshot of the first page, so that they keep their
 * positions.
 *
 * @param query what to ask for now, and of which environment; null without one
 */
export function createCachedReader(query: () => { environmentId: string; query: CachedQuery } | null) {
  const page = shallowRef<CachedPage | null>(null)
  const chunks = shallowRef<Chunks>(new Map())
  const failure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  const pending = new Set<number>()
  /** The rows to load: from `first` up to, not including, `last`. */
  let wanted = { first: 0, last: chunkSize }
  let requestNumber = 0

  async function read(offset: number, snapshot: string | null): Promise<void> {
    const asked = query()
    if (!asked) return
    const number = requestNumber
    pending.add(offset)
    const request = { query: asked.query, offset, limit: chunkSize, snapshot }
    const { environmentId } = asked
    const outcome = await call('cache.page', { environmentId, request })
    if (number !== requestNumber) return
    loading.value = false
    pending.delete(offset)
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) return
    // In another snapshot the rows have other positions.
    const loaded = page.value?.snapshot === outcome.value.snapshot ? chunks.value : []
    page.value = outcome.value
    chunks.value = withoutFar(new Map([...loaded, [offset, outcome.value.deployments]]))
    readMissing()
  }

  function withoutFar(all: Map<number, readonly CachedSummary[]>): Chunks {
    const middle = (wanted.first + wanted.last - chunkSize) / 2
    const near = [...all.keys()].sort((one, other) => Math.abs(one - middle) - Math.abs(other - middle))
    for (const offset of near.slice(maxChunks)) all.delete(offset)
    return all
  }

  /** Reads wanted rows that are not loaded yet. */
  function readMissing(): void {
    if (!page.value || loading.value || failure.value) return
    const { snapshot, total } = page.value
    const end = Math.min(wanted.last, total)
    for (let offset = chunkOf(wanted.first); offset < end; offset += chunkSize) {
      if (pending.size >= maxAtOnce) return
      if (!pending.has(offset) && !chunks.value.has(offset)) void read(offset, snapshot)
    }
  }

  /** Reads the list again, from what is in view. */
  async function load(): Promise<void> {
    requestNumber += 1
    pending.clear()
    loading.value = true
    await read(chunkOf(wanted.first), null)
  }

  /** Begins at the first row with the next read. */
  function rewind(): void {
    wanted = { first: 0, last: chunkSize }
  }

  return {
    page,
    failure,
    loading,
    /** The rows of the list. A new object for every change. */
    rows: computed(() => {
      const loaded = chunks.value
      return {
        total: page.value?.total ?? 0,
        at: (index: number): CachedSummary | undefined => loaded.get(chunkOf(index))?.[index % chunkSize],
      }
    }),
    /** The rows that are loaded. */
    loaded: computed(() => [...chunks.value.values()].flat()),
    /** Sets the rows to load: from `first` up to, not including, `last`. */
    want(first: number, last: number): void {
      wanted = { first, last }
      readMissing()
    },
    /** Reads the list, unless it is there or being read. */
    open: async (): Promise<void> => {
      if (!page.value && !loading.value) await load()
    },
    refresh: load,
    /** Reads another list, from its start. */
    restart(): Promise<void> {
      rewind()
      return load()
    },
    /** Replaces loaded rows. Each keeps its position, whether or not the filters still let it pass. */
    update(next: (row: CachedSummary) => CachedSummary, fetchedAt: string): void {
      const updated = (row: CachedSummary): CachedSummary => {
        const now = next(row)
        return now === row ? row : { ...now, fetched_at: fetchedAt }
      }
      chunks.value = new Map([...chunks.value].map(([offset, rows]) => [offset, rows.map(updated)]))
    },
    /** Forgets another environment's list. */
    reset(): void {
      requestNumber += 1
      pending.clear()
      rewind()
      page.value = null
      chunks.value = new Map()
      failure.value = null
      loading.value = false
    },
  }
}
