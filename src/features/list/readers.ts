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

/** Where a page begins, and the beginnings of the pages before it, for going back. */
interface PagePosition {
  start: PageStart
  before: readonly PageStart[]
}

type Read = ListPage & { position: PagePosition }

const firstPage: PagePosition = { start: listStart, before: [] }

export const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * Reads the service's list a page at a time. Takes only the answer to the latest request, and only for the environment
 * of that request.
 *
 * @param request what to ask for now; null without an environment
 */
export function createLiveReader(request: () => Omit<ListRequest, 'signal'> | null) {
  const page = shallowRef<DeploymentPage | null>(null)
  const position = shallowRef(firstPage)
  /** Where the next page begins; null at the end. */
  const following = shallowRef<PageStart | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()
  const { loading } = latest
  /** The identifiers of the first page, when it was last loaded, and of all pages since. */
  const knownIds = shallowRef<ReadonlySet<string>>(new Set())
  const canGoBack = computed(() => position.value.before.length > 0)
  const canGoOn = computed(() => following.value !== null)
  let wanted = firstPage
  /** The requests of the current page, and of the latest one. */
  let shownRequest: object | null = null
  let requested: object | null = null

  const load = (target: PagePosition): Promise<void> =>
    take(target, async (asked) => {
      const read = await readListPage(asked, target.start)
      return read.ok ? { ok: true, value: { ...read.value, position: target } } : read
    })

  /** Reads and takes a page. `wantedPage` is read again after a failure. */
  async function take(
    wantedPage: PagePosition,
    read: (asked: ListRequest) => Promise<Outcome<Read>>,
  ): Promise<void> {
    const asked = request()
    if (!asked) return
    wanted = wantedPage
    requested = asked
    const outcome = await latest.make((signal) => read({ ...asked, signal }))
    if (!outcome) return
    if (!outcome.ok) {
      failure.value = outcome.failure.code === 'environment-changed' ? null : outcome.failure
      return
    }
    if (outcome.value.page.environmentId !== asked.environmentId) return
    failure.value = null
    shownRequest = asked
    await show(outcome.value)
  }

  /** Shows a page. In place of a next page that brings nothing new, the page before it ends the list. */
  async function show(read: Read): Promise<void> {
    const before = read.position.before.at(-1)
    const isNext = read.position.before.length > position.value.before.length
    const isKnown = isNext && read.page.deployments.every(({ id }) => knownIds.value.has(id))
    const isRepeated = isKnown && read.page.deployments.length > 0 && read.page.unreadable.length === 0
    if (before && (read.page.received === 0 || isRepeated)) {
      wanted = position.value
      if (page.value && position.value.start === before) {
        page.value = { ...page.value, nextOffset: null, end: 'empty' }
        following.value = null
      } else await load({ start: before, before: read.position.before.slice(0, -1) })
      return
    }
    page.value = read.page
    position.value = read.position
    wanted = read.position
    following.value = read.next
    note(read.page.deployments)
  }

  function note(rows: readonly DeploymentSummary[]): void {
    const before = canGoBack.value ? knownIds.value : []
    knownIds.value = new Set([...before, ...rows.map(({ id }) => id)])
  }

  /** Puts rows that were read again into a page, unless another one is shown by now. */
  function update(from: DeploymentPage, rows: readonly DeploymentSummary[], fetchedAt: string): boolean {
    if (page.value !== from || loading.value) return false
    // Unchanged rows stay the same list: nothing is counted or drawn again.
    const deployments = rows === from.deployments ? from.deployments : [...rows]
    page.value = { ...from, deployments, fetchedAt }
    // These rows are current again. The failure of another page, or of other filters, stays until that one is shown.
    if (wanted === position.value && isSame(shownRequest, request())) failure.value = null
    note(rows)
    return true
  }

  /** A page of several merged lists is read from the beginning, because the known part is outdated. */
  async function readAgain(asked: ListRequest): Promise<Outcome<Read>> {
    const depth = position.value.before.length
    const before: PageStart[] = []
    for (let start = listStart; ;) {
      const read = await readListPage(asked, start)
      if (!read.ok) return read
      if (before.length === depth || !read.value.next) {
        return { ok: true, value: { ...read.value, position: { start, before } } }
      }
      before.push(start)
      start = read.value.next
    }
  }

  /** Whether another page is being loaded. A refresh of this one gives way to a step. */
  const isLeaving = (): boolean => loading.value && wanted !== position.value

  return {
    page,
    failure,
    loading,
    knownIds,
    canGoBack,
    canGoOn,
    update,
    /** Whether the latest request asked for something else than one would now. */
    isOutdated: (): boolean => !isSame(requested, request()),
    /** Loads the first page, unless there is a page already. */
    open: async (): Promise<void> => {
      if (!page.value && !loading.value) await load(firstPage)
    },
    refresh: (): Promise<void> =>
      position.value.start.merged ? take(position.value, readAgain) : load(position.value),
    retry: (): Promise<void> => load(wanted),
    restart: (): Promise<void> => load(firstPage),
    async next(): Promise<void> {
      if (!following.value || isLeaving()) return
      const before = [...position.value.before, position.value.start]
      await load({ start: following.value, before })
    },
    async previous(): Promise<void> {
      const { before } = position.value
      const start = before.at(-1)
      if (start && !isLeaving()) await load({ start, before: before.slice(0, -1) })
    },
    cancel: latest.cancel,
    /** Forgets another environment's list. */
    reset(): void {
      latest.cancel()
      page.value = null
      failure.value = null
      knownIds.value = new Set()
      position.value = firstPage
      following.value = null
      wanted = firstPage
      requested = null
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
    /** Reads the rows that are loaded again. Each keeps its position, whether or not the filters still let it pass. */
    async readAgain(): Promise<void> {
      const snapshot = page.value?.snapshot
      for (const offset of [...chunks.value.keys()]) {
        if (snapshot === undefined || page.value?.snapshot !== snapshot) return
        await read(offset, snapshot)
      }
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
