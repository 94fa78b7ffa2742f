import type { DeploymentSummary } from '@contract'
import { expect, it } from 'vitest'
import { chunkSize, type Chunks } from '@/stores/deployment-list/cached-deployments'
import { type Neighbours, neighboursInCache, neighboursOnPage } from '@/stores/deployment-detail/neighbours'

const row = (id: string) => ({ id, gone_at: null }) as DeploymentSummary & { gone_at: null }
const ids = ({ previous, next }: Neighbours) => [previous?.id, next?.id]
const own = (found: Neighbours) => found.own?.id

it('finds them on the page, none before its first and after its last row', () => {
  const rows = ['a', 'b', 'c'].map(row)
  expect(['a', 'b', 'c', 'x'].map((id) => ids(neighboursOnPage(id, rows)))).toEqual([
    [undefined, 'b'],
    ['a', 'c'],
    ['b', undefined],
    [undefined, undefined],
  ])
  expect(['b', 'x'].map((id) => own(neighboursOnPage(id, rows)))).toEqual(['b', undefined])
})

it('finds them in the cached list, even across chunks, as far as it was read', () => {
  const chunk = (first: number, count: number) =>
    [first, Array.from({ length: count }, (_, index) => row(String(first + index)))] as const
  const chunks = new Map([chunk(chunkSize, 5), chunk(0, chunkSize)]) as unknown as Chunks
  expect(ids(neighboursInCache('99', chunks))).toEqual(['98', '100'])
  expect(ids(neighboursInCache('100', chunks))).toEqual(['99', '101'])
  expect(ids(neighboursInCache('104', chunks))).toEqual(['103', undefined])
  expect(ids(neighboursInCache('0', chunks))).toEqual([undefined, '1'])
  expect(ids(neighboursInCache('x', chunks))).toEqual([undefined, undefined])
  expect(['100', 'x'].map((id) => own(neighboursInCache(id, chunks)))).toEqual(['100', undefined])
})
