import type { Failure } from '@contract'
import type { CachedPage, CachedQuery, CachedSort, CachedSummary } from '@contract/cache'
import { pageLimits } from '@contract/deployment-api/list'
import { deploymentStatuses, isUnsettled } from '@contract/deployment-api/statuses'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call } from '@/api'
import type { ListPosition } from '@/composables/list-position'
import { useAnnotationsStore } from '@/stores/annotations'
import { useAppStore } from '@/stores/application/app'
import { useChoicesStore } from '@/stores/application/choices'
import { useDeploymentsStore } from './deployments'
import { toListFilters } from './filters'
import { useSyncStore } from '@/stores/application/sync'

/** How many rows are read at once. */
export const chunkSize = 100

/** How many chunks stay in memory; those furthest from the view go first. */
export const maxChunks = 20

/**
 * How many chunks are read at the same time. Dragging the scroll bar passes many, and only the last ones are needed.
 */
const maxAtOnce = 2

/** Rows that were read, by the index of each chunk's first row. */
export type Chunks = ReadonlyMap<number, readonly CachedSummary[]>

const chunkOf = (index: number): number => Math.floor(index / chunkSize) * chunkSize

/** The row of an index; undefined where it is not loaded. */
export function rowOf(chunks: Chunks, index: number): CachedSummary | undefined {
  return chunks.get(chunkOf(index))?.[index % chunkSize]
}

/**
 * Why the list comes from the cache although the operator didn't choose that: the service can't sort, or it is
 * reachable again and the search works better in the cache.
 */
type CacheReason = 'sort' | 'search'

const newestFirst: CachedSort = { by: 'created_at', descending: true }

/**
 * The cached list: the filters of the live one, any order, and a search. Rows are read as they come into view, from the
 * snapshot of the first page, so that they keep their positions.
 */
export const useCachedDeploymentsStore = defineStore('cached-deployments', () => {
  const app = useAppStore()
  const live = useDeploymentsStore()
  const sync = useSyncStore()
  const choices = useChoicesStore()
  const annotations = useAnnotationsStore()

  /** What the operator chose; null until then. */
  const chosen = ref<'live' | 'cached' | null>(null)
  /** Why the cached list was chosen automatically; null if the operator chose it. */
  const reason = ref<CacheReason | null>(null)
  const sort = ref<CachedSort>(newestFirst)
  const page = shallowRef<CachedPage | null>(null)
  const chunks = shallowRef<Chunks>(new Map())
  /** The first page from the cache, shown until the service has answered. */
  const preview = shallowRef<CachedPage | null>(null)
  const failure = shallowRef<Failure | null>(null)
  /** Why the last refresh couldn't ask the service; null after a success. */
  const refreshFailure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  /** The position in the list to come back to; null for the top. */
  const savedPosition = shallowRef<ListPosition | null>(null)
  const pending = new Set<number>()
  /** The rows to load: from `first` up to, not including, `last`. */
  let wanted = { first: 0, last: chunkSize }
  let requestNumber = 0
  /** Whether the search was typed while the cached list was shown. */
  const searchedAside = ref(false)
  /** Whether the operator chose the live list since the service got out of reach. */
  const choseLive = ref(false)

  const offline = computed(() => app.connection?.state === 'offline')
  /** Whether the live list comes as soon as the service can be reached, because the operator chose it. */
  const awaitsLive = computed(() => choseLive.value && chosen.value === 'live')
  /** A sorted list needs the whole cache. Until that is known, an earlier start's choice holds. */
  const isSortedInPart = computed(() => reason.value === 'sort' && sync.cache?.synchronisedAt === null)
  /**
   * Whether the cached list is shown: by choice, because the service can't be reached, or to list what is rolling out.
   */
  const shown = computed(
    () =>
      (chosen.value === 'cached' && !isSortedInPart.value) ||
      (offline.value && sync.hasCache) ||
      live.applied.rollingOut,
  )
  /** Whether it is shown only to list what is rolling out. Then it is kept as current as the live one. */
  const tellsRollouts = computed(() => live.applied.rollingOut && chosen.value !== 'cached' && !offline.value)
  /** Whether rows stay until the operator asks: otherwise, finished rollouts would vanish from the list. */
  const keepsRows = computed(() => tellsRollouts.value && (page.value?.total ?? 0) > 0)

  /** Whether the search was typed for the cache although the live list was chosen. */
  const searchesCache = computed(
    () =>
      live.applied.name.trim() !== '' &&
      (reason.value === 'search' || (searchedAside.value && chosen.value !== 'cached')),
  )

  /** The same list until other deployments match. */
  const noted = computed<readonly string[]>((before) => {
    const now = annotations.found(live.applied.name)
    return before && before.join() === now.join() ? before : now
  })

  const query = computed<CachedQuery>(() => {
    const { name_contains, status: _status, ...asked } = toListFilters(live.applied)
    const filters = live.annotatedIds === null ? asked : { ...asked, ids: live.annotatedIds }
    const statuses = [...live.applied.statuses]
    const { rollingOut } = live.applied
    const search = name_contains ?? ''
    // A search that began in the live list goes on meaning a part of the name.
    return reason.value === 'sort'
      ? { filters: { ...filters, statuses, name_contains: search }, rollingOut, search: '', sort: sort.value }
      : { filters: { ...filters, statuses }, rollingOut, search, noted: [...noted.value], sort: sort.value }
  })

  async function read(offset: number, snapshot: string | null): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return
    const number = requestNumber
    pending.add(offset)
    const request = { query: query.value, offset, limit: chunkSize, snapshot }
    const outcome = await call('cache.page', { environmentId, request }, { quiet: true })
    if (number !== requestNumber || environmentId !== app.currentEnvironmentId) return
    loading.value = false
    pending.delete(offset)
    if (!outcome.ok) {
      failure.value = outcome.failure
      return
    }
    failure.value = null
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

  /** Sets the rows to load: from `first` up to, not including, `last`. */
  function want(first: number, last: number): void {
    wanted = { first, last }
    readMissing()
  }

  /** Reads the list again, from what is in view. */
  async function load(): Promise<void> {
    requestNumber += 1
    pending.clear()
    loading.value = true
    await read(chunkOf(wanted.first), null)
  }

  /** Reads the rows that are loaded again. Each keeps its position, whether or not the filters still let it pass. */
  async function readAgain(): Promise<void> {
    const snapshot = page.value?.snapshot
    for (const offset of [...chunks.value.keys()]) {
      if (snapshot === undefined || page.value?.snapshot !== snapshot) return
      await read(offset, snapshot)
    }
  }

  /** Reads the list, unless it is there or being read. */
  async function open(): Promise<void> {
    if (!page.value && !loading.value) await load()
  }

  /** Reads another list, from its start. */
  async function restart(): Promise<void> {
    wanted = { first: 0, last: chunkSize }
    savedPosition.value = null
    await load()
  }

  /** Reads the page that is shown until the service has answered. */
  async function loadPreview(): Promise<void> {
    const { currentEnvironmentId: environmentId, accountKey } = app
    if (environmentId === null || live.page) return
    const request = { query: query.value, offset: 0, limit: live.pageSize, snapshot: null }
    const outcome = await call('cache.page', { environmentId, request }, { quiet: true })
    if (accountKey !== app.accountKey || !outcome.ok) return
    preview.value = outcome.value.total > 0 ? outcome.value : null
  }

  /** Saves the position in the list, to come back to. */
  function savePosition(position: ListPosition | null): void {
    savedPosition.value = position
  }

  function setChosen(data: 'live' | 'cached'): void {
    chosen.value = data
    reason.value = null
    refreshFailure.value = null
    choseLive.value = data === 'live' && offline.value
  }

  function choose(data: 'live' | 'cached'): void {
    setChosen(data)
    if (data !== 'live') return
    // Of the live list, only the status tells.
    if (live.filters.rollingOut) {
      live.filter({ rollingOut: false, statuses: deploymentStatuses.filter(isUnsettled) })
    } else live.comeBack()
  }

  /** Shows the list as an earlier start left it. */
  function restore(): void {
    const saved = choices.listOf(app.currentEnvironmentId)
    const data = saved?.data ?? null
    chosen.value = data === 'sorted' ? 'cached' : data
    reason.value = data === 'sorted' ? 'sort' : null
    sort.value = saved?.sort ?? newestFirst
  }

  /**
   * Searches in the cache instead: as when the list was left, or after the service found nothing.
   */
  function searchAgain(): void {
    if (chosen.value === 'cached') return
    chosen.value = 'cached'
    reason.value = 'search'
  }

  /** Sets the order; null for the default. Without one, a list that was sorted from the live one is live again. */
  function setSort(next: CachedSort | null): void {
    sort.value = next ?? newestFirst
    if (next === null && reason.value === 'sort') choose('live')
  }

  /** Sorts the live list, which the service doesn't do: shows it from the cache. */
  function sortLive(next: CachedSort): void {
    sort.value = next
    reason.value = 'sort'
    chosen.value = 'cached'
  }

  /**
   * Sets whether the list is live, from the cache, or live and sorted by the cache. Without `by`, the order is the
   * default. The live list is read with the filters that follow.
   */
  function showAs(data: 'live' | 'cached' | 'sorted', by: CachedSort | null): void {
    sort.value = by ?? newestFirst
    if (data === 'sorted') sortLive(sort.value)
    else if (data === 'cached' || chosen.value === 'cached') setChosen(data)
  }

  /** Reads the list again, and asks the service for its first page, which also tells whether it can be reached. */
  async function refresh(): Promise<void> {
    const { currentEnvironmentId: environmentId, accountKey } = app
    await load()
    if (environmentId === null) return
    const query = { limit: pageLimits.max, offset: 0 }
    const outcome = await call('deployments.page', { environmentId, query })
    if (accountKey !== app.accountKey || !shown.value) return
    refreshFailure.value = outcome.ok || outcome.failure.code === 'cancelled' ? null : outcome.failure
    if (outcome.ok) await load()
  }

  watch(
    () => app.accountKey,
    () => {
      requestNumber += 1
      pending.clear()
      page.value = null
      preview.value = null
      chunks.value = new Map()
      savedPosition.value = null
      wanted = { first: 0, last: chunkSize }
      failure.value = null
      loading.value = false
      searchedAside.value = false
      refreshFailure.value = null
      restore()
    },
    { flush: 'sync' },
  )
  restore()
  watch([chosen, reason, sort], () => {
    const data = reason.value === 'sort' ? 'sorted' : reason.value === 'search' ? null : chosen.value
    choices.setList(app.currentEnvironmentId, { data, sort: sort.value })
  })
  watch(
    shown,
    (now, before) => {
      live.setAside(now)
      // Sorting needs a complete cache. Until it is, the live list stays.
      if (before && !now && chosen.value === 'cached') live.comeBack()
    },
    { immediate: true, flush: 'sync' },
  )
  watch([shown, query, () => sync.ended], ([now, asks], [before, askedBefore]) => {
    // The list that waits for its filters is read once it has them.
    if (!now || !live.settled) return
    if (!before || asks !== askedBefore) void restart()
    else if (!keepsRows.value) void load()
  })
  watch(
    () => sync.ended,
    () => {
      if (sync.state?.last?.end === 'complete') refreshFailure.value = null
    },
  )
  // Every answer of the service fills the cache, and only a synchronisation sends an event.
  watch([offline, chosen], ([unreachable, data]) => {
    if (unreachable || data === 'cached') void sync.load()
  })
  watch(
    () => live.applied.name,
    () => {
      searchedAside.value = shown.value
      if (reason.value === 'search' && live.applied.name.trim() === '') choose('live')
    },
  )
  watch(
    [offline, () => app.accountKey],
    () => {
      choseLive.value = false
    },
    { flush: 'sync' },
  )
  // Back online, unless the operator chose the cached list: show the live one. A search keeps its meaning.
  watch(
    offline,
    (now, before) => {
      if (!before || now) return
      refreshFailure.value = null
      if (chosen.value === 'cached') return
      if (searchedAside.value && live.applied.name.trim() !== '') {
        chosen.value = 'cached'
        reason.value = 'search'
      } else live.comeBack()
    },
    { flush: 'sync' },
  )

  return {
    chosen,
    reason,
    sort,
    page,
    preview,
    chunks,
    failure,
    refreshFailure,
    loading,
    offline,
    awaitsLive,
    shown,
    tellsRollouts,
    keepsRows,
    query,
    savedPosition,
    savePosition,
    open,
    load,
    readAgain,
    loadPreview,
    want,
    choose,
    searchesCache,
    searchAgain,
    setSort,
    sortLive,
    showAs,
    refresh,
  }
})
