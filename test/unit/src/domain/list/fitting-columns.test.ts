import { expect, it } from 'vitest'
import { crowdedOut } from '@/domain/list/fitting-columns'

const columns = [
  { key: 'name', min: 208 },
  { key: 'status', min: 164 },
  { key: 'source', min: 140 },
  { key: 'updated', min: 104 },
]
const givesWay = ['source', 'hidden', 'updated']

it('lets columns give way in their order, only as many as have to', () => {
  expect(crowdedOut(columns, givesWay, 616)).toEqual([])
  expect(crowdedOut(columns, givesWay, 615)).toEqual(['source'])
  expect(crowdedOut(columns, givesWay, 476)).toEqual(['source'])
  expect(crowdedOut(columns, givesWay, 475)).toEqual(['source', 'updated'])
})

it('keeps the columns that never give way', () => {
  expect(crowdedOut(columns, givesWay, 10)).toEqual(['source', 'updated'])
})
