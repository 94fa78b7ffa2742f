import type { ViewContent } from '@contract/cache'
import { deploymentTypeLabel } from './deployment/type'
import { statusLook } from './deployment/status'

const dataLabels = { live: 'Live', cached: 'Cached', sorted: 'Live, sorted by the cache' } as const

/** What a view shows, in parts. The texts may be somebody else's. */
export function viewSummary({ filters, data, sort, pageSize }: Omit<ViewContent, 'name'>): string[] {
  return [
    dataLabels[data],
    ...filtersSummary(filters),
    ...(sort ? [`By ${sort.by.replace('_at', '')}, ${sort.descending ? 'descending' : 'ascending'}`] : []),
    `${pageSize} per page`,
  ]
}

/** What filters leave, in parts. */
export function filtersSummary(filters: ViewContent['filters']): string[] {
  const part = (label: string, value: string | null): string[] => (value ? [`${label}: ${value}`] : [])
  return [
    ...(filters.favourites ? ['Favourites'] : []),
    ...part('Label', filters.label),
    ...part('Search', filters.name),
    ...(filters.rollingOut ? ['Rolling out'] : []),
    ...part('Status', filters.statuses.map((status) => statusLook(status).label).join(', ')),
    ...part('Type', filters.deploymentType && deploymentTypeLabel(filters.deploymentType)),
    ...part('Remote reconciled', filters.remoteReconciled),
    ...part('Image version', filters.imageVersion),
    ...part('Tag value IDs', filters.tagValueIds),
    ...part('Deployment IDs', filters.deploymentIds),
  ]
}
