import type { DeploymentPage, DeploymentType, Failure, ListFilters } from '@contract'
import { pageLimits, splitIds } from '@contract/deployment-api/list/list-limits'
import { defineStore } from 'pinia'
import { computed, reactive, ref, shallowRef, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from './app'
import { createLatestCall } from './latest-call'

/** The filters as the fields have them: texts as typed, null for no choice. */
export interface FilterFields {
  name: string
  status: string | null
  deploymentType: DeploymentType | null
  remoteReconciled: 'yes' | 'no' | null
  imageVersion: string
  tagValueIds: string
  deploymentIds: string
}

/** A page's offset, and the offsets of the pages before it, for going back. */
interface PagePosition {
  offset: number
  before: number[]
}

/** What the session remembers of an environment. */
interface Remembered {
  filters: FilterFields
  pageSize: number
}

/** How long typing must pause before a search, in milliseconds: at the service, and in the cache. */
export const typingPauseMs = 300
export const cachePauseMs = 150

const firstPage = (): PagePosition => ({ offset: 0, before: [] })

export const noFilters = (): FilterFields => ({
  name: '',
  status: null,
  deploymentType: null,
  remoteReconciled: null,
  imageVersion: '',
  tagValueIds: '',
  deploymentIds: '',
})

/** The filters as the list's query has them (interface: List deployments); null for no filter. */
export function toListFilters(fields: FilterFields): ListFilters {
  const text = (typed: string): string | null => typed.trim() || null
  const ids = (typed: string): string | null => splitIds(typed).join(',') || null
  return {
    name_contains: text(fields.name),
    status: fields.status,
    remote_reconciled: fields.remoteReconciled === null ? null : fields.remoteReconciled === 'yes',
    tag_value_ids: ids(fields.tagValueIds),
    image_version: text(fields.imageVersion),
    deployment_type: fields.deploymentType,
    deployment_ids: ids(fields.deploymentIds),
  }
}

/**
 * The list of the current environment's deployments: filters, page and answer. The store takes only the answer to the
 * latest request, and only for the environment of that request.
 */
export const useDeploymentsStore = defineStore('deployments', () => {
  const app = useAppStore()
  const filters = reactive(noFilters())
  /** The filters in use: those of the fields, once typing has paused. */
  const applied = shallowRef(noFilters())
  /** Whether the cached list is shown instead, so that the service gets no requests. */
  const aside = ref(false)
  /** Whether filters changed while the cached list was shown. */
  let outdated = false
  const pageSize = ref(50)
  const page = shallowRef<DeploymentPage | null>(null)
  const position = shallowRef(firstPage())
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()
  const { loading } = latest
  const seenStatuses = shallowRef<ReadonlySet<string>>(new Set())
  const remembered = new Map<string, Remembered>()
  let wanted = firstPage()
  let typing: ReturnType<typeof setTimeout> | undefined

  const activeFilters = computed(
    () => Object.values(toListFilters(filters)).filter((value) => value !== null).length,
  )
  const filtered = computed(() => activeFilters.value > 0)
  const canGoBack = computed(() => position.value.before.length > 0)
  const canGoOn = computed(() => typeof page.value?.nextOffset === 'number')

  async function load(target: PagePosition): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return
    abandon()
    wanted = target
    outdated = false
    const query = { limit: pageSize.value, offset: target.offset, ...toListFilters(filters) }
    const outcome = await latest.make((signal) =>
      call('deployments.page', { environmentId, query }, { signal }),
    )
    if (!outcome) return
    if (!outcome.ok) {
      failure.value = outcome.failure.code === 'environment-changed' ? null : outcome.failure
      return
    }
    if (outcome.value.environmentId !== app.currentEnvironmentId) return
    failure.value = null
    page.value = outcome.value
    position.value = target
    seenStatuses.value = new Set([...seenStatuses.value, ...outcome.value.deployments.map((d) => d.status)])
  }

  /** Cancels the running request, and the one that waits for a pause in typing. */
  function abandon(): void {
    clearTimeout(typing)
    latest.cancel()
  }

  /** Loads the first page, unless there is a page already. */
  async function open(): Promise<void> {
    if (!page.value && !loading.value) await load(firstPage())
  }

  const refresh = (): Promise<void> => load(position.value)
  const retry = (): Promise<void> => load(wanted)
  const restart = (): Promise<void> => load(firstPage())

  async function next(): Promise<void> {
    const offset = page.value?.nextOffset
    if (typeof offset !== 'number' || loading.value) return
    await load({ offset, before: [...position.value.before, position.value.offset] })
  }

  async function previous(): Promise<void> {
    const before = position.value.before
    const offset = before.at(-1)
    if (offset === undefined || loading.value) return
    await load({ offset, before: before.slice(0, -1) })
  }

  /** Changes filters and loads the first page: at once, or when typing pauses. */
  function filter(change: Partial<FilterFields>, when: 'now' | 'pause' = 'now'): void {
    Object.assign(filters, change)
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

  /** Sets whether the cached list is shown instead. */
  function setAside(now: boolean): void {
    aside.value = now
  }

  /** Reloads from the service after the cached list was shown. */
  function comeBack(): void {
    void (outdated ? restart() : refresh())
  }

  /** Sets the page size, within the interface's limits, and loads the first page. */
  function setPageSize(size: number): void {
    const { min, max } = pageLimits
    pageSize.value = Math.min(max, Math.max(min, Math.round(size)))
    void restart()
  }

  function switchEnvironment(now: string | null, before: string | null): void {
    if (before !== null) remembered.set(before, { filters: { ...filters }, pageSize: pageSize.value })
    abandon()
    const memory = now === null ? undefined : remembered.get(now)
    Object.assign(filters, memory?.filters ?? noFilters())
    applied.value = { ...filters }
    outdated = false
    pageSize.value = memory?.pageSize ?? 50
    page.value = null
    failure.value = null
    seenStatuses.value = new Set()
    position.value = firstPage()
    wanted = firstPage()
  }

  watch(() => app.accountKey, switchEnvironment, { flush: 'sync' })

  return {
    filters,
    applied,
    pageSize,
    page,
    failure,
    loading,
    seenStatuses,
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
    setAside,
    comeBack,
    setPageSize,
  }
})
