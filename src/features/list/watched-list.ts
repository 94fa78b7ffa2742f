import { cutText } from '@contract/deployment-api/list'
import { descriptionOf, filterNames, isInUse } from '@contract/cache/filters'
import { watchLimits } from '@contract/cache/choices'
import { defineStore } from 'pinia'
import { computed } from 'vue'
import { filtersSummary } from './view-summary'
import { useWatchesStore } from '@/features/watches/watches'
import { useDeploymentsStore } from './deployments'
import { useViewsStore } from './views'

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
    if (filterNames.some((name) => descriptionOf(name).isLiveOnly && isInUse(list.applied, name)))
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
