import type { Outcome } from '@contract'
import type { ListState, SavedView, ViewContent } from '@contract/cache'
import {
  descriptionOf,
  type FilterFields,
  filterNames,
  isInUse,
  liveOnlyIn,
  privateFilters,
} from '@contract/cache/filters'
import { succeed } from '@contract/core/outcome'
import { collator } from '@contract/core/order'
import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import { call, on } from '@/app/api'
import { freeName } from '@/ui/format/words'
import { useAppStore } from '@/app/stores/app'
import { useDeploymentsStore } from './deployments'
import { deploymentTypeLabel, statusLook } from '@/ui/format/deployment'
import { cutText } from '@contract/deployment-api/list'
import { watchLimits } from '@contract/cache/choices'
import { useWatchesStore } from '@/features/watches/watches'
import { useResource } from '@/app/stores/resource'
import type { LastFilters } from '@contract/app/personal'
import { noLastFilters } from '@contract/app/personal-values'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { useChoicesStore } from '@/app/stores/choices'
import { isSame } from '@/ui/format/json-path'

/** Saved views of the list: for the current environment, and for all. */
export const useViewsStore = defineStore('views', () => {
  const app = useAppStore()
  const list = useDeploymentsStore()
  /** The views of all environments; null until they are read. */
  const {
    value: all,
    failure,
    load,
  } = useResource<readonly SavedView[]>(
    () => 'views',
    () => call('views.list', {}),
  )

  /** The views that can be used here, by name. */
  const available = computed(() =>
    (all.value ?? [])
      .filter(({ environmentId }) => environmentId === null || environmentId === app.currentEnvironmentId)
      .sort((one, other) => collator.compare(one.name, other.name)),
  )

  /** The view that matches the list exactly; null if none does. */
  const current = computed(() => {
    const shown = textOf(list.state())
    return available.value.find((view) => textOf(view) === shown) ?? null
  })

  /** Makes a call that answers with all views. */
  async function take(calling: Promise<Outcome<SavedView[]>>): Promise<Outcome<SavedView[]>> {
    const outcome = await calling
    if (outcome.ok) {
      all.value = outcome.value
      failure.value = null
    }
    return outcome
  }

  /** Loads what isn't loaded yet. */
  async function open(): Promise<void> {
    if (all.value === null) await load()
  }

  /** The view of a name in an environment, or for all (null). */
  const named = (name: string, environmentId: string | null): SavedView | null =>
    all.value?.find((view) => view.name === name.trim() && view.environmentId === environmentId) ?? null

  /** Saves views, in place of those with the same identifiers. */
  const save = (views: SavedView[]): Promise<Outcome<SavedView[]>> => take(call('views.save', { views }))

  /** Adds the views of a file, each under a name that is free wherever the view is offered. Gives their identifiers. */
  async function add(
    views: readonly ViewContent[],
    environmentId: string | null,
  ): Promise<Outcome<readonly string[]>> {
    const added: SavedView[] = []
    const beside = (all.value ?? []).filter(
      (view) => environmentId === null || view.environmentId === null || view.environmentId === environmentId,
    )
    const isTaken = (name: string): boolean => [...beside, ...added].some((view) => view.name === name)
    for (const view of views) {
      const name = freeName(view.name, isTaken, (number) => (number === 1 ? '' : ` (${number})`))
      added.push({ ...view, id: crypto.randomUUID(), environmentId, name })
    }
    const outcome = await save(added)
    return outcome.ok ? succeed(added.map(({ id }) => id)) : outcome
  }

  const remove = (ids: readonly string[]): Promise<Outcome<unknown>> =>
    take(call('views.remove', { ids: [...ids] }))

  on('personal.changed', () => void load())

  return {
    all,
    available,
    current,
    failure,
    open,
    load,
    named,
    save,
    add,
    remove,
  }
})

/** A state as a text that is the same for the same list: the order of members doesn't matter. */
const textOf = ({ filters, source, sort, size }: ListState): string =>
  JSON.stringify([filterNames.map((name) => filters[name]), source, sort?.by, sort?.descending, size])

const sourceLabels = { live: 'Live', cached: 'Cached', sorted: 'Live, sorted by the cache' } as const

/** What a view shows, in parts. The texts may be somebody else's. */
export const viewSummary = ({ filters, source, sort, size }: ListState): string[] => [
  sourceLabels[source],
  ...filtersSummary(filters),
  ...(sort ? [`By ${sort.by.replace('_at', '')}, ${sort.descending ? 'descending' : 'ascending'}`] : []),
  `${size} per page`,
]

/** What filters leave, in parts. */
const filtersSummary = (filters: FilterFields): string[] =>
  filterNames
    .filter((name) => isInUse(filters, name))
    .map((name) => {
      const { kind, label, summary = label } = descriptionOf(name)
      if (kind === 'flag') return summary
      if (name === 'statuses')
        return `${summary}: ${filters.statuses.map((status) => statusLook(status).label).join(', ')}`
      if (name === 'deploymentType') return `${summary}: ${deploymentTypeLabel(filters.deploymentType!)}`
      return `${summary}: ${filters[name]}`
    })

/** The list with its present filters, as the subject of a watch. */
export const useWatchedListStore = defineStore('watched-list', () => {
  const list = useDeploymentsStore()
  const views = useViewsStore()
  const watches = useWatchesStore()

  /** Why this list can't be watched; null if it can. */
  const whyNot = computed(() => {
    const { favourites, label, rollingOut } = list.applied
    if (!watches.state.isRead) return "Watches couldn't be read yet"
    if (favourites || label !== null) return "A list of favourites or of a label can't be watched"
    if (rollingOut)
      return "What is rolling out can't be watched as a list: deployments leave it when they are ready"
    if (liveOnlyIn(list.applied).length > 0)
      return "Lists by tags or reconciliation can't be watched: deployments don't show either"
    return null
  })

  /** Opens the dialog for a watch of the list, named after its view or its filters. */
  function watch(): void {
    if (whyNot.value !== null) return
    const name = views.current?.name ?? filtersSummary(list.applied).join(', ')
    const exported = list.exported()
    const { filters, search } =
      exported.from === 'cache' ? exported.query : { filters: exported.filters, search: '' }
    watches.edit({
      list: {
        kind: 'list',
        name: cutText(name || 'All deployments', watchLimits.nameLength - 1),
        query: { filters, search },
      },
    })
  }

  return { whyNot, watch }
})

/**
 * The filters that are only stored in an encrypted file: typed text, favourites and label. The main process stores them
 * for the service that the environment leads to.
 */
export const useLastFiltersStore = defineStore('last-filters', () => {
  const annotations = useAnnotationsStore()
  const app = useAppStore()
  const choices = useChoicesStore()
  const list = useDeploymentsStore()

  const filters = computed<LastFilters>(() => ({
    ...privateFilters(list.applied),
    searchesCache: list.searchesCache,
  }))

  /** The initial filters. They aren't saved again: favourites that couldn't be read would be lost. */
  let begun: LastFilters | null = null

  /**
   * Restores the filters of the last start. A list that was filtered meanwhile, such as by a saved view, stays as it
   * is. Without an answer, the list starts unfiltered.
   */
  async function restore(): Promise<void> {
    const { currentEnvironmentId: environmentId, accountKey } = app
    if (list.settled || environmentId === null) return
    const outcome = await call('lastFilters.read', { environmentId })
    const found = outcome.ok ? outcome.value : null
    // Until annotations are read, no deployment would match.
    if (found && (found.favourites || found.label !== null)) await annotations.open()
    if (accountKey !== app.accountKey || list.settled) return
    if (found) {
      const { searchesCache, favourites, label, ...texts } = found
      if (searchesCache) list.searchInCache()
      list.beginWith(annotations.byId === null ? texts : { ...texts, favourites, label })
      begun = filters.value
    }
    list.settled = true
  }

  watch(filters, (now, before) => {
    const { currentEnvironmentId: environmentId, environment } = app
    // Opening an environment isn't a change, unless the list was filtered at once.
    if (!list.settled || environmentId === null || isSame(now, before)) return
    if (begun !== null && isSame(now, begun)) return
    begun = null
    const hasPrivateFilters = !isSame(now, noLastFilters)
    const known = choices.listOf(environmentId)?.hasPrivateFilters ?? false
    if (hasPrivateFilters !== known) choices.setList(environmentId, { hasPrivateFilters })
    const service = environment?.service ?? null
    if (service === null || (!hasPrivateFilters && !known)) return
    void call('lastFilters.save', { environmentId, service, filters: now })
  })

  return { restore }
})
