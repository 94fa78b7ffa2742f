import type { Environment } from '@contract'
import { expect, it } from 'vitest'
import { orderAfterMove } from '@/screens/environments/order'

const environment = (id: string, storage: Environment['storage'] = 'keychain'): Environment => ({
  id,
  name: id,
  storage,
  profile: null,
  service: null,
  problem: null,
})

const all = [environment('sandbox', 'built-in'), ...['a', 'b', 'c', 'd'].map((id) => environment(id))]

it('moves an environment past its neighbour, never past a built-in one or beyond the end', () => {
  expect(orderAfterMove(all, all, 'b', -1)).toEqual(['b', 'a', 'c', 'd'])
  expect(orderAfterMove(all, all, 'b', 1)).toEqual(['a', 'c', 'b', 'd'])
  expect(orderAfterMove(all, all, 'a', -1)).toBeNull()
  expect(orderAfterMove(all, all, 'd', 1)).toBeNull()
  expect(orderAfterMove(all, all, 'sandbox', 1)).toBeNull()
  expect(orderAfterMove(all, all, 'gone', 1)).toBeNull()
})

it('moves past the next one that a search shows, and keeps the others where they are', () => {
  const shown = all.filter(({ id }) => id !== 'b' && id !== 'c')
  expect(orderAfterMove(all, shown, 'd', -1)).toEqual(['d', 'a', 'b', 'c'])
  expect(orderAfterMove(all, shown, 'a', 1)).toEqual(['b', 'c', 'd', 'a'])
})
