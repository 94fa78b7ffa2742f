import type { ListState } from '@contract/cache'
import { descriptionOf, type FilterFields, filterNames, isInUse } from '@contract/cache/filters'
import { deploymentTypeLabel } from '@/ui/format/labels'
import { statusLook } from '@/ui/format/status'

const sourceLabels = { live: 'Live', cached: 'Cached', sorted: 'Live, sorted by the cache' } as const

/** What a view shows, in parts. The texts may be somebody else's. */
export const viewSummary = ({ filters, source, sort, size }: ListState): string[] => [
  sourceLabels[source],
  ...filtersSummary(filters),
  ...(sort ? [`By ${sort.by.replace('_at', '')}, ${sort.descending ? 'descending' : 'ascending'}`] : []),
  `${size} per page`,
]

/** What filters leave, in parts. */
export const filtersSummary = (filters: FilterFields): string[] =>
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
