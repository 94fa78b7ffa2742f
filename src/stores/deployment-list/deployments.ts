import type { DeploymentPage, DeploymentSummary, Failure, Outcome } from '@contract'
import { pageLimits, splitIds } from '@contract/deployment-api/list'
import { defineStore } from 'pinia'
import { computed, reactive, ref, shallowRef, watch } from 'vue'
import type { LeftRow } from '@/composables/list-position'
import { useAnnotationsStore } from '@/stores/annotations'
import { useAppStore } from '@/stores/application/app'
import { createLatestCall } from '@/stores/application/latest-call'
import { useChoicesStore } from '@/stores/application/choices'
import { chosenOf, type FilterFields, noFilters, toListFilters } from './filters'
import { type ListPage, type ListRequest, listStart, type PageStart, readListPage } from './list-page'

/** Where a page begins, and the beginnings of the pages before it, for going back. */
interface PagePosition {
  start: PageStart
  before: readonly PageStart[]
}

/** What the session remembers of an environment. */
interface Remembered {
  filters: FilterFields
  pageSize: number
}

const defaultPageSize = 50

/** How long typing must pause before a search, in milliseconds: at the service, and in the cache. */
export const typingPauseMs = 300
export const cachePauseMs = 150

const firstPage: PagePosition = { start: listStart, before: [] }

const isSameRequest = (one: object | null, other: object): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/**
 * The list of the current environment's deployments: filters, page and answer. The store takes only the answer to the
 * latest request, and only for the environment of that request.
 */
export const useDeploymentsStore = defineStore('deployments', () => {
  const app = useAppStore()
  const annotations = useAnnotationsStore()
  const choices = useChoicesStore()
  const filters = reactive({ ...noFilters(), ...rememberedOf(app.currentEnvironmentId).filters })
  /** Whether the initial filters are known. Until then, the list waits for those from the file. */
  const settled = ref(!hasLastFilters(app.currentEnvironmentId))
  /** The filters in use: those of the fields, once typing has paused. */
  const applied = shallowRef({ ...filters })
  /** Whether the cached list is shown instead, so that the service gets no requests. */
  const aside = ref(false)
  /** Whether filters changed while the cached list was shown. */
  let outdated = false
  const pageSize = ref(rememberedOf(app.currentEnvironmentId).pageSize)
  const page = shallowRef<DeploymentPage | null>(null)
  const position = shallowRef(firstPage)
  /** Where the next page begins; null at the end. */
  const following = shallowRef<PageStart | null>(null)
  const failure = shallowRef<Failure | null>(null)
  /** The row that had the focus when the list was left; null for none. */
  const left = shallowRef<LeftRow | null>(null)
  const latest = createLatestCall()
  const { loading } = latest
  const seenStatuses = shallowRef<ReadonlySet<string>>(new Set())
  /** The identifiers of the first page, when it was last loaded, and of all pages since. */
  const knownIds = shallowRef<ReadonlySet<string>>(new Set())
  const remembered = new Map<string, Remembered>()
  let wanted = firstPage
  /** The request of the current page. */
  let shownRequest: Omit<ListRequest, 'signal'> | null = null
  let typing: ReturnType<typeof setTimeout> | undefined

  /** How many filters are in use, apart from the search. */
  const activeFilters = computed(() => {
    const { name_contains: _search, status: _status, ...others } = toListFilters(filters)
    const own = [filters.statuses.length > 0, filters.rollingOut, filters.favourites, filters.label !== null]
    return [...Object.values(others).map((value) => value !== null), ...own].filter(Boolean).length
  })
  const filtered = computed(() => activeFilters.value > 0 || filters.name.trim() !== '')
  /** The deployments that favourites and label select; null for all. */
  const annotatedIds = computed(() => annotations.matching(filters))
  const canGoBack = computed(() => position.value.before.length > 0)
  const canGoOn = computed(() => following.value !== null)

  const load = (target: PagePosition): Promise<void> =>
    take(target, async (request) => {
      const read = await readListPage(request, target.start)
      return read.ok ? { ok: true, value: { ...read.value, position: target } } : read
    })

  /** Reads and takes a page. `wantedPage` is read again after a failure. */
  async function take(
    wantedPage: PagePosition,
    read: (request: ListRequest) => Promise<Outcome<ListPage & { position: PagePosition }>>,
  ): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return
    abandon()
    // What was typed until now belongs to this request.
    if (!isSameRequest(applied.value, filters)) applied.value = { ...filters }
    settled.value = true
    wanted = wantedPage
    outdated = false
    const requested = request(environmentId)
    const outcome = await latest.make((signal) => read({ ...requested, signal }))
    if (!outcome) return
    if (!outcome.ok) {
      failure.value = outcome.failure.code === 'environment-changed' ? null : outcome.failure
      return
    }
    if (outcome.value.page.environmentId !== app.currentEnvironmentId) return
    failure.value = null
    shownRequest = requested
    await show(outcome.value)
  }

  /** What to ask for: the filters as they are, and the page size. */
  function request(environmentId: string): Omit<ListRequest, 'signal'> {
    const { status: _status, ...others } = toListFilters(filters)
    const listRequest = {
      environmentId,
      filters: { limit: pageSize.value, ...others },
      statuses: filters.statuses,
    }
    const ids = annotatedIds.value
    if (ids === null) return listRequest
    const typed = splitIds(others.deployment_ids)
    return { ...listRequest, ids: typed.length === 0 ? ids : ids.filter((id) => typed.includes(id)) }
  }

  /** Puts rows that were read again into a page, unless another one is shown by now. */
  function update(from: DeploymentPage, rows: readonly DeploymentSummary[], fetchedAt: string): boolean {
    if (page.value !== from || loading.value) return false
    // Unchanged rows stay the same list: nothing is counted or drawn again.
    const deployments = rows === from.deployments ? from.deployments : [...rows]
    page.value = { ...from, deployments, fetchedAt }
    // These rows are current again. The failure of another page, or of other filters, stays until that one is shown.
    if (wanted === position.value && isSameRequest(shownRequest, request(from.environmentId))) {
      failure.value = null
    }
    note(rows)
    return true
  }

  function note(rows: readonly DeploymentSummary[]): void {
    const before = canGoBack.value ? knownIds.value : []
    knownIds.value = new Set([...before, ...rows.map(({ id }) => id)])
    const unseen = rows.filter(({ status }) => !seenStatuses.value.has(status))
    if (unseen.length > 0) {
      seenStatuses.value = new Set([...seenStatuses.value, ...unseen.map(({ status }) => status)])
    }
  }

  /** Shows a page. In place of a next page that brings nothing new, the page before it ends the list. */
  async function show(read: ListPage & { position: PagePosition }): Promise<void> {
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

  /** Cancels the running request, and the one that waits for a pause in typing. */
  function abandon(): void {
    clearTimeout(typing)
    latest.cancel()
  }

  /** Loads the first page, unless there is a page already. */
  async function open(): Promise<void> {
    if (!page.value && !loading.value) await load(firstPage)
  }

  /**
   * Reads the page again. A page of several merged lists is read from the beginning, because the known part is
   * outdated.
   */
  const refresh = (): Promise<void> =>
    position.value.start.merged ? take(position.value, readAgain) : load(position.value)

  async function readAgain(request: ListRequest): Promise<Outcome<ListPage & { position: PagePosition }>> {
    const depth = position.value.before.length
    const before: PageStart[] = []
    for (let start = listStart; ;) {
      const read = await readListPage(request, start)
      if (!read.ok) return read
      if (before.length === depth || !read.value.next) {
        return { ok: true, value: { ...read.value, position: { start, before } } }
      }
      before.push(start)
      start = read.value.next
    }
  }

  const retry = (): Promise<void> => load(wanted)
  const restart = (): Promise<void> => load(firstPage)

  /** Whether another page is being loaded. A refresh of this one gives way to a step. */
  const isLeaving = (): boolean => loading.value && wanted !== position.value

  async function next(): Promise<void> {
    const start = following.value
    if (!start || isLeaving()) return
    await load({ start, before: [...position.value.before, position.value.start] })
  }

  async function previous(): Promise<void> {
    const before = position.value.before
    const start = before.at(-1)
    if (!start || isLeaving()) return
    await load({ start, before: before.slice(0, -1) })
  }

  /** Changes filters and loads the first page: at once, or when typing pauses. */
  function filter(change: Partial<FilterFields>, when: 'now' | 'pause' = 'now'): void {
    Object.assign(filters, change)
    settled.value = true
    clearTimeout(typing)
    if (when === 'now') filterNow()
    else typing = setTimeout(filterNow, aside.value ? cachePauseMs : typingPauseMs)
  }

  /** Applies what was typed without waiting for the pause. */
  function filterNow(): void {
    clearTimeout(typing)
    applied.value = { ...filters }
    if (aside.value) outdated = true
    else void restart()
  }

  /** Changes the initial filters of a list that isn't loaded yet. */
  function beginWith(fields: Partial<FilterFields>): void {
    Object.assign(filters, fields)
    applied.value = { ...filters }
  }

  /** Sets whether the cached list is shown instead. */
  function setAside(now: boolean): void {
    aside.value = now
  }

  /**
   * Reloads from the service after the cached list was shown. A list that waits for its filters is read once it has
   * them.
   */
  function comeBack(): void {
    if (!settled.value) return
    void (outdated ? restart() : refresh())
  }

  /** Sets the page size, within the interface's limits, and loads the first page. */
  function setPageSize(size: number): void {
    const { min, max } = pageLimits
    pageSize.value = Math.min(max, Math.max(min, Math.round(size)))
    void restart()
  }

  /** Shows the list with these filters and this page size. */
  function showAs(fields: FilterFields, size: number): void {
    pageSize.value = size
    filter(fields)
  }

  function switchEnvironment(now: string | null, before: string | null): void {
    if (before !== null && settled.value)
      remembered.set(before, { filters: { ...filters }, pageSize: pageSize.value })
    abandon()
    const memory = now === null ? undefined : remembered.get(now)
    Object.assign(
      filters,
      memory?.filters ?? { ...noFilters(), ...rememberedOf(app.currentEnvironmentId).filters },
    )
    applied.value = { ...filters }
    settled.value = memory !== undefined || !hasLastFilters(app.currentEnvironmentId)
    outdated = false
    pageSize.value = memory?.pageSize ?? rememberedOf(app.currentEnvironmentId).pageSize
    page.value = null
    failure.value = null
    seenStatuses.value = new Set()
    knownIds.value = new Set()
    position.value = firstPage
    following.value = null
    wanted = firstPage
  }

  /** The filters of an environment from an earlier start, and its page size. */
  function rememberedOf(environmentId: string | null): { filters: Partial<FilterFields>; pageSize: number } {
    const saved = choices.listOf(environmentId)
    if (!saved) return { filters: {}, pageSize: defaultPageSize }
    return { filters: chosenOf(saved), pageSize: saved.pageSize ?? defaultPageSize }
  }

  /** Whether the encrypted file has more of an environment's filters. */
  function hasLastFilters(environmentId: string | null): boolean {
    return choices.listOf(environmentId)?.hasLastFilters ?? false
  }

  watch(
    () => annotations.byId,
    (_now, before) => {
      // A list that waits begins with them.
      if (!settled.value) return
      if (annotatedIds.value && !isSameRequest(annotations.matching(filters, before), annotatedIds.value)) {
        filterNow()
      }
    },
  )
  watch(() => app.accountKey, switchEnvironment, { flush: 'sync' })
  watch(
    () => ({ ...chosenOf(filters), pageSize: pageSize.value }),
    (stored) => choices.setList(app.currentEnvironmentId, stored),
  )

  return {
    filters,
    applied,
    settled,
    pageSize,
    page,
    failure,
    loading,
    left,
    seenStatuses,
    knownIds,
    annotatedIds,
    request,
    update,
    activeFilters,
    filtered,
    canGoBack,
    canGoOn,
    open,
    refresh,
    retry,
    restart,
    next,
    previous,
    filter,
    filterNow,
    beginWith,
    setAside,
    comeBack,
    setPageSize,
    showAs,
  }
})
