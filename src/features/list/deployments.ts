import type { DeploymentSummary } from '@contract'
import type { CachedQuery, CachedSort, ExportedList, ListChoices, ListState } from '@contract/cache'
import {
  type FilterFields,
  filterNames,
  isInUse,
  noFilters,
  publicFilters,
  sentFilters,
} from '@contract/cache/filters'
import { defaultPageSize, splitIds } from '@contract/deployment-api/list'
import { deploymentStatuses, isUnsettled } from '@contract/deployment-api/statuses'
import { useTimeoutFn } from '@vueuse/core'
import { defineStore } from 'pinia'
import { computed, reactive, ref, shallowRef, watch } from 'vue'
import type { ListPosition, ListRows } from '@/ui/table/table'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { useAppStore } from '@/app/stores/app'
import { useChoicesStore } from '@/app/stores/choices'
import { useSyncStore } from '@/app/stores/sync'
import { createCachedReader, createLiveReader, type ListRequest } from './readers'
import { isSame } from '@/ui/format/json-path'

/**
 * A row of the live or the cached list. `gone_at` says since when the service no longer has the deployment,
 * `fetched_at` as of when the cache has it (ISO 8601).
 */
export type ListedRow = DeploymentSummary & { gone_at?: string | null; fetched_at?: string }

/** Where the operator wants the list from. `sorted`: the live list, sorted by the cache. */
type ChosenSource = 'live' | 'cached' | 'sorted'

/** What decides where the list comes from. */
export interface SourceValues {
  chosen: ChosenSource
  /** Whether the search was typed for the cache, which searches more than names, although the live list was chosen. */
  searchesCache: boolean
  isOffline: boolean
  hasCache: boolean
  /** Whether the cache is known to lack deployments. Only a whole one can be sorted. */
  isPartial: boolean
  /** Whether the list is of what is rolling out, which only the cache can tell. */
  rollingOut: boolean
}

/** Where the list comes from, and why. */
export interface ListSource {
  isCached: boolean
  why: 'chosen' | 'sort' | 'offline' | 'search' | 'rollouts'
}

/** Where the list comes from. */
export function sourceOf(values: SourceValues): ListSource {
  const { chosen, searchesCache, isOffline, hasCache, isPartial, rollingOut } = values
  if (chosen === 'cached') return { isCached: true, why: 'chosen' }
  if (chosen === 'sorted' && !isPartial) return { isCached: true, why: 'sort' }
  if (isOffline && (hasCache || rollingOut)) return { isCached: true, why: 'offline' }
  if (rollingOut) return { isCached: true, why: 'rollouts' }
  return searchesCache ? { isCached: true, why: 'search' } : { isCached: false, why: 'chosen' }
}

/** The earlier of two lists if they are the same. */
const unlessSame = <List>(before: List | undefined, now: List): List =>
  before !== undefined && isSame(before, now) ? before : now

const newestFirst: CachedSort = { by: 'created_at', descending: true }

/** How long typing must pause before a search, in milliseconds: at the service, and in the cache. */
export const typingPauseMs = 300
export const cachePauseMs = 150

/**
 * The list of the current environment's deployments: its state (filters, source, order, page size), and what one of two
 * readers has for it, the service's pages or the cache. The state decides the source; nothing else steers the readers.
 */
export const useDeploymentsStore = defineStore('deployments', () => {
  const app = useAppStore()
  const annotations = useAnnotationsStore()
  const choices = useChoicesStore()
  const sync = useSyncStore()

  /** The filters as the fields have them. */
  const filters = reactive<FilterFields>(noFilters())
  /** The filters in use: those of the fields, once typing has paused. */
  const applied = shallowRef<FilterFields>(noFilters())
  /** Whether the initial filters are known. Until then, the list waits for those from the encrypted file. */
  const settled = ref(false)
  const chosen = ref<ChosenSource>('live')
  const searchesCache = ref(false)
  const sort = ref<CachedSort>(newestFirst)
  const pageSize = ref(defaultPageSize)
  /** The position in the list to come back to; null for the top. */
  const position = shallowRef<ListPosition | null>(null)
  /** Whether the operator chose the live list, which comes as soon as the service can be reached. */
  const awaitsLive = ref(false)
  /** The filters in this session, by account: another service behind an environment doesn't get them. */
  const remembered = new Map<string, FilterFields>()

  const offline = computed(() => app.connection?.state === 'offline')
  const source = computed(() =>
    sourceOf({
      chosen: chosen.value,
      searchesCache: searchesCache.value,
      isOffline: offline.value,
      hasCache: sync.hasCache,
      isPartial: sync.cache?.synchronisedAt === null,
      rollingOut: applied.value.rollingOut,
    }),
  )
  const isCached = computed(() => source.value.isCached)
  /** Whether it is shown only to list what is rolling out. Then it is kept as current as the live one. */
  const tellsRollouts = computed(() => source.value.why === 'rollouts')
  /** How many filters are in use, apart from the search. */
  const activeFilters = computed(
    () => filterNames.filter((name) => name !== 'name' && isInUse(filters, name)).length,
  )
  const filtered = computed(() => activeFilters.value > 0 || isInUse(filters, 'name'))
  /** The deployments that favourites and label select; null for all. The same list until others match. */
  const annotatedIds = computed<string[] | null>((before) =>
    unlessSame(before, annotations.matching(applied.value)),
  )
  /** The deployments whose notes match the search. The same list until others match. */
  const noted = computed<string[]>((before) => unlessSame(before, annotations.found(applied.value.name)))

  const typed = (): FilterFields => ({ ...filters, statuses: [...filters.statuses] })
  const state = (): ListState => ({
    filters: typed(),
    source: chosen.value,
    sort: chosen.value === 'live' ? null : { ...sort.value },
    size: pageSize.value,
  })

  /** What to ask the service for. Null without an environment. */
  const request = computed<Omit<ListRequest, 'signal'> | null>(() => {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return null
    const sent = sentFilters(applied.value)
    const named = splitIds(sent.deployment_ids)
    const ids = annotatedIds.value
    return {
      environmentId,
      filters: { limit: pageSize.value, ...sent },
      statuses: [...applied.value.statuses],
      ids: ids && named.length > 0 ? ids.filter((id) => named.includes(id)) : ids,
    }
  })

  /** The query of the cached list. */
  const query = computed<CachedQuery>(() => {
    const { name_contains: search = '', ...others } = sentFilters(applied.value)
    const { statuses, rollingOut } = applied.value
    const own = { ...others, statuses, ...(annotatedIds.value ? { ids: annotatedIds.value } : {}) }
    // A search that began in the live list goes on meaning a part of the name.
    return chosen.value === 'sorted'
      ? { filters: { ...own, name_contains: search }, rollingOut, search: '', sort: sort.value }
      : { filters: own, rollingOut, search, noted: [...noted.value], sort: sort.value }
  })

  const key = (): string | null => app.accountKey
  const live = createLiveReader(key, () => request.value)
  const cached = createCachedReader(key, () => ({
    environmentId: app.currentEnvironmentId!,
    query: query.value,
  }))
  /** Whether rows stay until the operator asks: otherwise, finished rollouts would vanish from the list. */
  const keepsRows = computed(() => tellsRollouts.value && cached.rows.value.length > 0)

  /** Until the service has answered for the first time, what is cached is shown. */
  const showsCache = computed(() => isCached.value || !live.page.value)
  /** The rows that are loaded. */
  const loaded = computed<readonly ListedRow[]>(() =>
    showsCache.value ? cached.loaded.value : live.page.value!.deployments,
  )
  const rows = computed<ListRows<ListedRow>>(() => (showsCache.value ? cached.rows.value : loaded.value))
  const loading = computed(() => (isCached.value ? cached.loading.value : live.loading.value))
  /** Why the list couldn't be read. A cancelled load doesn't count as a failure while a page is shown. */
  const failure = computed(() => {
    // Another notice already says that the service can't be reached.
    const ofService = isCached.value && offline.value ? null : live.failure.value
    const found = (isCached.value && cached.failure.value) || ofService
    return found?.code === 'cancelled' && (isCached.value || live.page.value) ? null : found
  })

  /** The list as it is shown, for an export. */
  function exported(): ExportedList {
    if (isCached.value) return { from: 'cache', query: query.value }
    const ids = annotatedIds.value === null ? {} : { ids: annotatedIds.value }
    return {
      from: 'service',
      filters: { ...sentFilters(applied.value), statuses: applied.value.statuses, ...ids },
    }
  }

  /** Uses the filters as they are now, and reads the list from its start. */
  function apply(): void {
    typing.stop()
    settled.value = true
    if (applied.value.name !== filters.name) {
      searchesCache.value = ['offline', 'search'].includes(source.value.why) && isInUse(filters, 'name')
    }
    applied.value = typed()
  }
  const typing = useTimeoutFn(apply, () => (isCached.value ? cachePauseMs : typingPauseMs), {
    immediate: false,
  })

  /** Changes filters, which are applied at once, or when typing pauses. */
  function filter(fields: Partial<FilterFields>, when: 'now' | 'pause' = 'now'): void {
    Object.assign(filters, fields)
    settled.value = true
    if (when === 'now') apply()
    else typing.start()
  }

  /** Changes the initial filters of a list that isn't loaded yet. */
  function beginWith(fields: Partial<FilterFields>): void {
    Object.assign(filters, fields)
    applied.value = typed()
  }

  /** Shows the list in another state. */
  function show({ filters: fields, source: next, sort: by, size }: ListState): void {
    filter(fields)
    sort.value = by ?? newestFirst
    pageSize.value = size
    setSource(next)
  }

  function setSource(next: ChosenSource): void {
    chosen.value = next
    awaitsLive.value = next === 'live' && offline.value
    searchesCache.value = false
  }

  /** Sets where the list comes from. */
  function choose(next: ChosenSource): void {
    setSource(next)
    // Of the live list, only the status tells.
    if (next === 'live' && filters.rollingOut)
      filter({ rollingOut: false, statuses: deploymentStatuses.filter(isUnsettled) })
  }

  /** Searches in the cache, which covers more than names. */
  function searchInCache(): void {
    if (chosen.value === 'live') searchesCache.value = true
  }

  /** Sets the order; null for the default. The service can't sort: the live list then comes from the cache. */
  function setSort(next: CachedSort | null): void {
    sort.value = next ?? newestFirst
    if (next === null && chosen.value === 'sorted') choose('live')
    else if (next !== null && !isCached.value) choose('sorted')
  }

  /** Reads the cached list, and again with what a page of the service brings. That also tells whether it can be reached. */
  async function refreshCached(): Promise<void> {
    await cached.refresh()
    await live.refresh()
    if (!live.failure.value) await cached.refresh()
  }
  const refresh = (): Promise<void> => (isCached.value ? refreshCached() : live.refresh())
  /** Repeats what failed. */
  const retry = (): Promise<void> => (isCached.value ? refreshCached() : live.retry())

  /** Reads the list, unless it is there or being read. */
  function open(): void {
    if (showsCache.value) void cached.open()
    if (!isCached.value) void live.open()
  }

  /** Sets the rows that are wanted: from `first` up to, not including, `last`. A page has all of its rows. */
  function want(first: number, last: number): void {
    if (showsCache.value) cached.want(first, last)
  }

  /** Begins the list of the current environment as it was left, in this session or an earlier one. */
  function begin(): void {
    const saved = choices.listOf(app.currentEnvironmentId)
    const memory = remembered.get(app.accountKey ?? '')
    beginWith({ ...noFilters(), ...saved?.filters, ...memory })
    settled.value = memory !== undefined || !saved?.hasPrivateFilters
    sort.value = saved?.sort ?? newestFirst
    pageSize.value = saved?.size ?? defaultPageSize
    setSource(saved?.source ?? 'live')
    awaitsLive.value = false
  }
  begin()

  watch(
    () => app.accountKey,
    (_now, before) => {
      typing.stop()
      if (before !== null && settled.value) remembered.set(before, typed())
      position.value = null
      begin()
    },
    { flush: 'sync' },
  )
  /** What is asked for: of the cache or of the service. Another object whenever the list is to be read anew. */
  const asked = computed(() => (isCached.value ? query.value : request.value))
  // The first read is the screen's, by `open`.
  watch([() => app.accountKey, settled, asked], ([account, isSettled], [accountBefore, wasSettled]) => {
    if (account !== accountBefore || !isSettled || !wasSettled) return
    position.value = null
    void (isCached.value ? cached.restart() : live.refresh())
  })
  watch(
    () => sync.ended,
    () => {
      if (isCached.value && sync.state?.last?.end === 'complete') live.failure.value = null
      if (isCached.value && settled.value && !keepsRows.value) void cached.refresh()
    },
  )
  watch(
    offline,
    () => {
      awaitsLive.value = false
      if (isCached.value) live.failure.value = null
    },
    { flush: 'sync' },
  )
  // Every answer of the service fills the cache, and only a synchronisation sends an event.
  watch([offline, isCached], ([isOffline, now]) => {
    if (isOffline || now) void sync.load()
  })
  watch(
    () => JSON.stringify({ ...state(), filters: publicFilters(filters) }),
    (now) =>
      choices.setList(app.currentEnvironmentId, JSON.parse(now) as Omit<ListChoices, 'hasPrivateFilters'>),
  )

  return {
    filters,
    applied,
    settled,
    chosen,
    searchesCache,
    sort,
    pageSize,
    position,
    offline,
    source,
    isCached,
    awaitsLive,
    tellsRollouts,
    keepsRows,
    activeFilters,
    filtered,
    annotatedIds,
    query,
    loaded,
    rows,
    loading,
    failure,
    live,
    cached,
    state,
    request,
    exported,
    filter,
    apply,
    beginWith,
    show,
    choose,
    searchInCache,
    setSort,
    want,
    open,
    refresh,
    retry,
  }
})
