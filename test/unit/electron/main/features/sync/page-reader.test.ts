import { succeed } from '@contract'
import { expect, test } from 'vitest'
import { PageReader } from '../../../../../../electron/main/features/sync/page-reader'
import { defaultRetryPolicy } from '../../../../../../electron/main/features/sync/retry'
import type { FetchedPage } from '../../../../../../electron/main/features/sync/types'
import { MemoryStore } from '../../../../../support/sync/memory-store'
import { TestClock } from '../../../../../support/sync/test-clock'
import { jsonBody } from '../../../../../support/builders/json-body'

const limit = 10

/** A page whose deployments are named by their place in the list. */
function pageAt(offset: number): FetchedPage {
  const resources = Array.from({ length: limit }, (_, index) => ({
    id: `d${offset + index}`,
    name: 'agent',
    created_at: new Date(0).toISOString(),
    updated_at: new Date(0).toISOString(),
    source_revision_config: { repo_ref: 'v1' },
  }))
  const body = jsonBody({ resources, offset: offset + limit })
  return { body, span: { sentAt: 1_000, receivedAt: 1_001 } }
}

function start() {
  const fetched: number[] = []
  const source = {
    fetchPage: (offset: number) => {
      fetched.push(offset)
      return Promise.resolve(succeed(pageAt(offset)))
    },
    fetchByIds: () => Promise.resolve(succeed(pageAt(0))),
  }
  const adapters = { source, store: new MemoryStore(), clock: new TestClock(), random: () => 0.5 }
  const reader = new PageReader(adapters, 1, defaultRetryPolicy, new AbortController().signal)
  reader.allowBytes(1_000_000)
  return { reader, fetched }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const firstIds = (pages: { items: { id: string }[] }[]) => pages.map(({ items }) => items[0]?.id)

test('gives the pages that it wrote ahead and dropped, once, and none that was read', async () => {
  const { reader, fetched } = start()
  reader.expect([0, 10, 20], limit)
  expect(firstIds([await reader.read(0, limit)])).toEqual(['d0'])
  await settled()
  reader.expect([5], limit)
  expect(firstIds([await reader.read(5, limit)])).toEqual(['d5'])
  expect(firstIds(await reader.takeDropped())).toEqual(['d10'])
  expect(await reader.takeDropped()).toEqual([])
  expect(fetched).toEqual([0, 10, 20, 5])
})

test('writes a page that it wrote ahead once', async () => {
  const { reader } = start()
  reader.expect([0, 10], limit)
  await reader.read(0, limit)
  await settled()
  const page = await reader.read(10, limit)
  expect(page.items.map(({ was }) => was)).toEqual(Array(limit).fill('new'))
  expect(await reader.takeDropped()).toEqual([])
})

test('writes nothing ahead while one page is expected', async () => {
  const { reader } = start()
  reader.expect([0], limit)
  await reader.read(0, limit)
  reader.expect([10], limit)
  await settled()
  expect(await reader.takeDropped()).toEqual([])
})
