import { expect, it } from 'vitest'
import { viewSummary } from '@/format/view-summary'
import { noFilters } from '@/stores/deployment-list/filters'

it('says what a view filters by, its order and its page size, and omits what is not set', () => {
  expect(
    viewSummary({ filters: { ...noFilters(), statuses: [] }, data: 'live', sort: null, pageSize: 50 }),
  ).toEqual(['Live', '50 per page'])
  const all = {
    name: 'agent',
    statuses: ['READY', 'ODD'],
    rollingOut: true,
    deploymentType: 'prod' as const,
    remoteReconciled: 'no' as const,
    imageVersion: 'v1',
    tagValueIds: 't',
    deploymentIds: 'd',
    favourites: true,
    label: 'mine',
  }
  const sort = { by: 'updated_at' as const, descending: true }
  expect(viewSummary({ filters: all, data: 'cached', sort, pageSize: 20 })).toEqual([
    'Cached',
    'Favourites',
    'Label: mine',
    'Search: agent',
    'Rolling out',
    'Status: Ready, ODD',
    'Type: Production',
    'Remote reconciled: no',
    'Image version: v1',
    'Tag value IDs: t',
    'Deployment IDs: d',
    'By updated, descending',
    '20 per page',
  ])
})
