import type { DeploymentPage, DeploymentSummary, ListQuery, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { idBatches } from '@contract/deployment-api/list'
import { mergedList, type MergedList, readMergedPage } from '@domain/lists/merged'
import { call } from '@/app/api'
import { computed } from 'vue'
import { useResource } from '@/app/stores/resource'
import type { ListRows } from '@/ui/table/table'
import type { CachedPage, CachedQuery, CachedSummary } from '@contract/cache'

/** Where a page begins: at an offset of the service's list, or in several lists that are shown as one. */
interface PageStart {
  /** With several lists: how many rows are on the pages before. */
  offset: number
  merged?: MergedList
}

/** A page, and where the next one begins; null at the end. */
interface ListPage extends Omit<DeploymentPage, 'nextOffset'> {
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
export const listStart: PageStart = { offset: 0 }

/**
 * Reads a page of the list. The interface takes one status: several are read as a list each and merged. Failures: those
 * of `deployments.page`.
 */
export function readListPage(request: ListRequest, start: PageStart): Promise<Outcome<ListPage>> {
  // An identifier with a comma can't be asked for.
  const ids = request.ids?.filter((id) => !id.includes(','))
  return ids ? readOf(request, ids, start.offset) : readPage(request, start)
}

const emptyPage = (environmentId: string, offset: number): ListPage => ({
  environmentId,
  offset,
  received: 0,
  deployments: [],
  unreadable: [],
  end: 'empty',
  next: null,
  fetchedAt: new Date().toISOString(),
})

/** Reads some deployments: from `offset` of their identifiers, as many as a page has and one request can name. */
async function readOf(
  request: ListRequest,
  ids: readonly string[],
  offset: number,
): Promise<Outcome<ListPage>> {
  const { environmentId, filters } = request
  const [batch] = idBatches(ids.slice(offset, offset + filters.limit))
  if (!batch) return succeed(emptyPage(environmentId, offset))
  const batchRequest = { ...request, filters: { ...filters, deployment_ids: batch.join(',') } }
  const read = await readPage(batchRequest, listStart)
  if (!read.ok) return read
  const end = offset + batch.length
  const isLast = end >= ids.length
  // Other filters or the service may exclude all of these.
  if (read.value.received === 0 && !isLast) return await readOf(request, ids, end)
  return succeed({
    ...read.value,
    offset,
    end: isLast ? 'short' : null,
    next: isLast ? null : { offset: end },
  })
}

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
    const { nextOffset, ...page } = outcome.value
    return succeed({ ...page, next: nextOffset === null ? null : { offset: nextOffset } })
  }
  const merged = await readMergedPage(start.merged ?? mergedList(statuses), filters.limit, read)
  if (!merged.ok) return merged
  const { rows, unreadable, readAt, next } = merged.value
  return succeed({
    ...emptyPage(environmentId, start.offset),
    received: rows.length + unreadable.length,
    deployments: rows,
    unreadable,
    end: next ? null : 'short',
    next: next && { offset: start.offset + rows.length, merged: next },
    fetchedAt: readAt,
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
  const batches = idBatches(wanted)
  for (let ids = batches.shift(); ids; ids = batches.shift()) {
    const query = { deployment_ids: ids.join(','), limit: ids.length, offset: 0 }
    const outcome = await call('deployments.page', { environmentId, query }, options)
    if (!outcome.ok) return outcome
    for (const row of outcome.value.deployments) rows.set(row.id, row)
    const rest = ids.filter((id) => !rows.has(id))
    // A service may answer fewer at once than it was asked for.
    if (rest.length > 0 && rest.length < ids.length) batches.unshift(rest)
    else if (outcome.value.received === 0) for (const id of rest) missing.add(id)
  }
  return succeed({ rows, missing })
}

/** A page of the live list, as it is shown. */
interface ShownPage {
  page: ListPage
  /** Where the pages up to it begin. */
  starts: readonly PageStart[]
  /** What was asked for. */
  asked: object
  /** The identifiers of the first page, when it was last loaded, and of all pages since. */
  known: ReadonlySet<string>
}

/**
 * Reads the service's list a page at a time.
 *
 * @param key the current environment with its account; null without one
 * @param request what to ask for now, the same object until that changes; null without an environment
 */
export function createLiveReader(
  key: () => string | null,
  request: () => Omit<ListRequest, 'signal'> | null,
) {
  /** The page that was requested last, by the beginnings up to it. */
  let wanted: readonly PageStart[] = [listStart]
  const {
    value: shown,
    failure,
    loading,
    load,
  } = useResource<ShownPage>(key, (signal) => readTo(wanted, signal))
  const canGoBack = computed(() => (shown.value?.starts.length ?? 0) > 1)

  /** Loads the page at the last of the beginnings. */
  function show(target: readonly PageStart[]): Promise<void> {
    wanted = target
    return load()
  }

  async function readTo(target: readonly PageStart[], signal: AbortSignal): Promise<Outcome<ShownPage>> {
    const before = shown.value
    const asked = request()!
    const read = (start: PageStart) => readListPage({ ...asked, signal }, start)
    // What is known of several lists is outdated: they are read again from their beginning.
    let starts = target === before?.starts && target.at(-1)!.merged ? [listStart] : target
    let outcome = await read(starts.at(-1)!)
    while (outcome.ok && outcome.value.next && starts.length < target.length) {
      starts = [...starts, outcome.value.next]
      outcome = await read(outcome.value.next)
    }
    if (!outcome.ok) return outcome
    const page = outcome.value
    const isNext = before !== null && starts.length > before.starts.length
    const isFirst = starts.length === 1
    if (!isFirst && (page.received === 0 || (isNext && isRepeated(page, before.known)))) {
      if (!isNext) return await readTo(starts.slice(0, -1), signal)
      // In place of a next page that brings nothing new, the page before it ends the list.
      wanted = before.starts
      return succeed({ ...before, page: { ...before.page, next: null, end: 'empty' } })
    }
    wanted = starts
    const ids = page.deployments.map(({ id }) => id)
    return succeed({
      page,
      starts,
      asked,
      known: new Set([...(isFirst || !before ? [] : before.known), ...ids]),
    })
  }

  /** Whether another page is being loaded. A refresh of this one gives way to a step. */
  const isLeaving = (): boolean => loading.value && wanted !== shown.value?.starts

  return {
    page: computed(() => shown.value?.page ?? null),
    failure,
    loading,
    canGoBack,
    canGoOn: computed(() => Boolean(shown.value?.page.next)),
    isKnown: (id: string): boolean => shown.value?.known.has(id) ?? false,
    /** Puts rows that were read again into the page. */
    update(next: (row: DeploymentSummary) => DeploymentSummary, fetchedAt: string): void {
      const before = shown.value
      if (!before) return
      const rows = before.page.deployments
      const now = rows.map(next)
      // Unchanged rows stay the same list: nothing is counted or drawn again.
      const deployments = now.every((row, index) => row === rows[index]) ? rows : now
      shown.value = { ...before, page: { ...before.page, deployments, fetchedAt } }
      // These rows are current again. The failure of another page, or of other filters, stays until that one is shown.
      if (wanted === before.starts && before.asked === request()) failure.value = null
    },
    /** Loads the first page, unless there is a page already. */
    open: async (): Promise<void> => {
      if (!shown.value && !loading.value) await show([listStart])
    },
    /** Loads the page again; the first one if something else is asked for by now. */
    refresh: (): Promise<void> => show(shown.value?.asked === request() ? shown.value.starts : [listStart]),
    /** Loads the page that was requested last. */
    retry: (): Promise<void> => load(),
    restart: (): Promise<void> => show([listStart]),
    async next(): Promise<void> {
      const { starts, page } = shown.value ?? {}
      if (starts && page?.next && !isLeaving()) await show([...starts, page.next])
    },
    async previous(): Promise<void> {
      if (canGoBack.value && !isLeaving()) await show(shown.value!.starts.slice(0, -1))
    },
  }
}

/** Whether a page has only known rows. */
const isRepeated = ({ deployments, unreadable }: ListPage, known: ReadonlySet<string>): boolean =>
  deployments.length > 0 && unreadable.length === 0 && deployments.every(({ id }) => known.has(id))

/** How many rows are read at once. */
export const chunkSize = 100

/** What is read of the cached list. */
interface ShownRows {
  /** The part that was read last. */
  page: CachedPage
  rows: ListRows<CachedSummary>
}

const chunkOf = (index: number): number => Math.floor(index / chunkSize) * chunkSize

/**
 * Reads the cached list as its rows come into view, from the snapshot of the first page, so that they keep their
 * positions.
 *
 * @param key the current environment with its account; null without one
 * @param query what to ask for now, and of which environment
 */
export function createCachedReader(
  key: () => string | null,
  query: () => { environmentId: string; query: CachedQuery },
) {
  /** The rows to load: from `first` up to, not including, `last`. */
  const top = { first: 0, last: chunkSize }
  let wanted = top
  /** The chunk that is being read as it came into view; null for none. */
  let reading: number | null = null
  const {
    value: shown,
    failure,
    loading,
    load,
    make,
  } = useResource<ShownRows>(key, (signal) => read(chunkOf(wanted.first), null, signal))

  async function read(
    offset: number,
    snapshot: string | null,
    signal: AbortSignal,
  ): Promise<Outcome<ShownRows>> {
    const { environmentId, query: asked } = query()
    const request = { query: asked, offset, limit: chunkSize, snapshot }
    const outcome = await call('cache.page', { environmentId, request }, { signal })
    if (!outcome.ok) return outcome
    const page = outcome.value
    // In another snapshot the rows have other positions.
    const known = shown.value?.page.snapshot === page.snapshot ? shown.value.rows : []
    const rows = known.slice()
    rows.length = page.total
    page.deployments.forEach((row, index) => (rows[offset + index] = row))
    return succeed({ page, rows })
  }

  /** Reads wanted rows one chunk after the other. A chunk that isn't wanted any more gives way to one that is. */
  async function readOn(): Promise<void> {
    if (!shown.value || loading.value || failure.value) return
    const { page, rows } = shown.value
    let offset = chunkOf(wanted.first)
    while (rows[offset]) offset += chunkSize
    if (offset >= Math.min(wanted.last, page.total) || offset === reading) return
    reading = offset
    const found = await make((signal) => read(offset, page.snapshot, signal), true)
    if (!found) return
    reading = null
    shown.value = found
    void readOn()
  }

  /** Reads the list again, from what is in view. */
  async function refresh(): Promise<void> {
    reading = null
    await load()
    void readOn()
  }

  /** Reads another list, from its start. */
  function restart(): Promise<void> {
    wanted = top
    return refresh()
  }

  return {
    page: computed(() => shown.value?.page ?? null),
    failure,
    loading,
    /** The rows of the list. A new object for every change. */
    rows: computed(() => shown.value?.rows ?? []),
    /** The rows that are loaded. */
    loaded: computed(() => (shown.value?.rows ?? []).filter((row) => row !== undefined)),
    /** Sets the rows to load: from `first` up to, not including, `last`. */
    want(first: number, last: number): void {
      wanted = { first, last }
      void readOn()
    },
    /** Reads the list, unless it is there or being read. */
    open: async (): Promise<void> => {
      if (!shown.value && !loading.value) await restart()
    },
    refresh,
    restart,
    /** Replaces loaded rows. Each keeps its position, whether or not the filters still let it pass. */
    update(next: (row: CachedSummary) => CachedSummary, fetchedAt: string): void {
      if (!shown.value) return
      const rows = shown.value.rows.map((row) => {
        const now = row && next(row)
        return now === row ? row : now && { ...now, fetched_at: fetchedAt }
      })
      shown.value = { ...shown.value, rows }
    },
  }
}
