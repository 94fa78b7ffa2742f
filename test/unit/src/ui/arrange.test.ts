import { expect, it } from 'vitest'
import { arranged, moved } from '@/ui/widgets/arrange'

const keys = ['a', 'b', 'c', 'd']

it('keeps the chosen order, without unknown and repeated keys, and puts a new key where it is by default', () => {
  expect(arranged(keys, [])).toEqual(keys)
  expect(arranged(keys, ['d', 'gone', 'b', 'd', 'a'])).toEqual(['d', 'b', 'c', 'a'])
  expect(arranged(keys, ['c', 'b'])).toEqual(['a', 'c', 'd', 'b'])
})

it('moves a key by one place, and none beyond the ends', () => {
  expect(moved(keys, 'c', -1)).toEqual(['a', 'c', 'b', 'd'])
  expect(moved(keys, 'a', 1)).toEqual(['b', 'a', 'c', 'd'])
  expect(moved(keys, 'a', -1)).toEqual(keys)
  expect(moved(keys, 'd', 1)).toEqual(keys)
  expect(moved(keys, 'unknown', 1)).toEqual(keys)
})
