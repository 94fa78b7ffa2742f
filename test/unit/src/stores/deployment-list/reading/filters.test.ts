import { expect, it } from 'vitest'
import { noFilters, toListFilters } from '@/stores/deployment-list/reading/filters'

it('gives only the filters in use to the query', () => {
  expect(Object.values(toListFilters(noFilters()))).toEqual(Array(7).fill(null))
  expect(
    toListFilters({
      ...noFilters(),
      name: '  bill ',
      remoteReconciled: 'no',
      deploymentIds: ' a, ,b,',
      tagValueIds: ' , ',
    }),
  ).toMatchObject({
    name_contains: 'bill',
    remote_reconciled: false,
    deployment_ids: 'a,b',
    tag_value_ids: null,
  })
})
