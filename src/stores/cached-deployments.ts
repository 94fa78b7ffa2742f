import type { Failure } from '@contract'
import type { CachedPage, CachedQuery, CachedSort, CachedSummary } from '@contract/cache'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, triggerRef, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from './app'
import { toListFilters, useDeploymentsStore } from './deployments'
import { useSyncStore } from './sync'

/** How many rows are read at a time. */
const chunkSize = 100

const newestFirst: CachedSort = { by: 'created_at', descending: true }

/**
 * The cached list: the same filters as the live one, any order, and a search. Rows are read as they come into view, by
 * the snapshot that the first page began, so that they keep their place.
 */
export const useCachedDeploymentsStore = defineStore('cached-deployments', () => {
  const app = useAppStore()
  const live = useDeploymentsStore()
  const sync = useSyncStore()

  /** What the user chose; null until then. */
  const chosen = ref<'live' | 'cached' | null>(null)
  const sort = ref<CachedSort>(newestFirst)
  const page = shallowRef<CachedPage | null>(null)
  const rows = shallowRef(new Map<number, CachedSummary>())
  /** The first page as the copy has it, shown until the service has answered. */
  const preview = shallowRef<CachedPage | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  const pending = new Set<number>()
  let asked = 0

  const offline = computed(() => app.connection?.state === 'offline')
  /** Whether the copy is shown: by choice, or because the service cannot be reached. */
  const shown = computed(() => chosen.value === 'cached' || (offline.value && sync.hasCopy))

  const query = computed<CachedQuery>(() => {
    const { name_contains, ...filters } = toListFilters(live.filters)
    return { filters, search: name_contains ?? '', sort: sort.value }
  })

  async function read(offset: number, snapshot: string | null): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return
    const number = asked
    const request = { query: query.value, offset, limit: chunkSize, snapshot }
    const outcome = await call('copy.page', { environmentId, request }, { quiet: true })
    if (number !== asked || environmentId !== app.currentEnvironmentId) return
    loading.value = false
    pending.delete(offset)
    if (!outcome.ok) {
      failure.value = outcome.failure
      return
    }
    failure.value = null
    // Another snapshot than the one that was asked for: the rows have other places now.
    if (snapshot !== outcome.value.snapshot) rows.value = new Map()
    outcome.value.deployments.forEach((row, index) => rows.value.set(offset + index, row))
    triggerRef(rows)
    page.value = outcome.value
  }

  /** Reads the list from its beginning. */
  async function load(): Promise<void> {
    asked += 1
    pending.clear()
    loading.value = true
    await read(0, null)
  }

  /** Reads what is shown until the service has answered. */
  async function loadPreview(): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || live.page) return
    const request = { query: query.value, offset: 0, limit: live.pageSize, snapshot: null }
    const outcome = await call('copy.page', { environmentId, request }, { quiet: true })
    if (environmentId !== app.currentEnvironmentId || !outcome.ok) return
    preview.value = outcome.value.total > 0 ? outcome.value : null
  }

  /** Reads the rows from `first` up to, not including, `last`, where they are not here yet. */
  function ensure(first: number, last: number): void {
    const snapshot = page.value?.snapshot
    if (snapshot === undefined) return
    const end = Math.min(last, page.value?.total ?? 0)
    for (let offset = Math.floor(first / chunkSize) * chunkSize; offset < end; offset += chunkSize) {
      if (pending.has(offset) || rows.value.has(offset)) continue
      pending.add(offset)
      void read(offset, snapshot)
    }
  }

  function choose(data: 'live' | 'cached'): void {
    chosen.value = data
    if (data === 'live') void live.refresh()
  }

  function setSort(next: CachedSort | null): void {
    sort.value = next ?? newestFirst
  }

  watch(
    () => app.currentEnvironmentId,
    () => {
      asked += 1
      pending.clear()
      page.value = null
      preview.value = null
      rows.value = new Map()
      failure.value = null
      loading.value = false
      chosen.value = null
      sort.value = newestFirst
    },
    { flush: 'sync' },
  )
  watch([shown, query, () => sync.ended], ([now]) => {
    if (now) void load()
  })
  // Back online without having chosen the copy: the service has the word again.
  watch(offline, (now, before) => {
    if (before && !now && chosen.value !== 'cached') void live.refresh()
  })

  return {
    chosen,
    sort,
    page,
    preview,
    rows,
    failure,
    loading,
    offline,
    shown,
    load,
    loadPreview,
    ensure,
    choose,
    setSort,
  }
})
