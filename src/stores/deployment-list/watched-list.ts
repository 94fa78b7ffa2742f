import { watchLimits } from '@contract/cache/choices'
import { cutText } from '@contract/deployment-api/list'
import { defineStore } from 'pinia'
import { computed } from 'vue'
import { filtersSummary } from '@/format/view-summary'
import { useWatchesStore } from '@/stores/watches'
import { useCachedDeploymentsStore } from './cached-deployments'
import { useDeploymentsStore } from './deployments'
import { toListFilters } from './filters'
import { useViewsStore } from './views'

/** The list with its present filters, as the subject of a watch. */
export const useWatchedListStore = defineStore('watched-list', () => {
  const cached = useCachedDeploymentsStore()
  const live = useDeploymentsStore()
  const views = useViewsStore()
  const watches = useWatchesStore()

  /** Why this list can't be watched; null if it can. */
  const whyNot = computed(() => {
    const { favourites, label, remoteReconciled, rollingOut, tagValueIds } = live.applied
    if (!watches.state.isRead) return "Watches couldn't be read yet"
    if (favourites || label !== null) return "A list of favourites or of a label can't be watched"
    if (rollingOut)
      return "What is rolling out can't be watched as a list: deployments leave it when they are ready"
    if (remoteReconciled !== null || tagValueIds.trim() !== '')
      return "Lists by tags or reconciliation can't be watched: deployments don't show either"
    return null
  })

  /** Opens the dialog for a watch of the list, named after its view or its filters. */
  function watch(): void {
    if (whyNot.value !== null) return
    const { status: _status, ...filters } = toListFilters(live.applied)
    const { filters: cachedFilters, search } = cached.query
    const query = cached.shown
      ? { filters: cachedFilters, search }
      : { filters: { ...filters, statuses: [...live.applied.statuses] }, search: '' }
    const name =
      views.current?.name ??
      filtersSummary({ ...live.applied, statuses: [...live.applied.statuses] }).join(', ')
    watches.edit({
      list: {
        kind: 'list',
        name: cutText(name || 'All deployments', watchLimits.nameLength - 1),
        query,
      },
    })
  }

  return { whyNot, watch }
})
