import type { WrittenItem, WrittenPage } from '@contract/cache'
import { expect, test } from 'vitest'
import { createKnownPages } from '../../../../../electron/cache/store/known-pages'

function page(items: number): WrittenPage {
  const item: WrittenItem = {
    ...{ id: 'id', version: 'hash', name: 'name', created_at: null, updated_at: null },
    was: 'same',
  }
  return {
    items: Array.from({ length: items }, () => item),
    received: items,
    unreadable: 0,
    returnedOffset: 0,
  }
}

/** Remembers this many pages of 100 deployments each; returns which of them are still known. */
function remember(known: ReturnType<typeof createKnownPages>, count: number): number[] {
  for (let index = 0; index < count; index += 1) known.remember(String(index), page(100))
  return Array.from({ length: count }, (_, index) => index).filter((index) => known.find(String(index)))
}

test('remembers as many pages as hold twice what the cache has, and no more', () => {
  expect(
    remember(
      createKnownPages(() => 3_000),
      500,
    ),
  ).toHaveLength(60)
  expect(
    remember(
      createKnownPages(() => 0),
      500,
    ),
  ).toHaveLength(10)
  expect(
    remember(
      createKnownPages(() => 1_000_000),
      1_500,
    ),
  ).toHaveLength(1_200)
})

test('forgets the least recently used first', () => {
  const known = createKnownPages(() => 0)
  for (let index = 0; index < 10; index += 1) known.remember(String(index), page(100))
  expect(known.find('0')).toBeDefined()
  known.remember('10', page(100))
  expect(known.find('1')).toBeUndefined()
  expect(known.find('0')).toBeDefined()
  // The same page again takes no more room, and an empty page takes none.
  for (let time = 0; time < 50; time += 1) known.remember('10', page(100))
  known.remember('empty', page(0))
  expect(known.find('2')).toBeDefined()
})
