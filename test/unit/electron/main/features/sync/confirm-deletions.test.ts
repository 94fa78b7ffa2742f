import { succeed } from '@contract'
import { expect, it } from 'vitest'
import { confirmDeletions } from '../../../../../../electron/main/features/sync/confirm-deletions'
import { PageReader } from '../../../../../../electron/main/features/sync/page-reader'
import { defaultRetryPolicy } from '../../../../../../electron/main/features/sync/retry'
import { MemoryStore } from '../../../../../support/sync/memory-store'
import { TestClock } from '../../../../../support/sync/test-clock'

it.each([1, 3, 100])(
  'marks the deployments that are gone, and nothing else, if an answer has room for %i',
  async (room) => {
    const clock = new TestClock()
    const store = new MemoryStore()
    const all = Array.from({ length: 60 }, (_, index) => ({
      id: `id-${index}`,
      name: `agent-${index}`,
      created_at: null,
      updated_at: new Date(clock.now()).toISOString(),
      source_revision_config: { repo_ref: 'v1' },
    }))
    const answer = (resources: typeof all) => {
      const body = Buffer.from(JSON.stringify({ resources, offset: resources.length }))
      return succeed({ body, digest: '', span: { sentAt: clock.tick(), receivedAt: clock.tick() } })
    }
    const cached = answer(all)
    if (cached.ok) await store.writePage(cached.value, 0)
    const there = all.slice(0, 50)
    const fetchByIds = async (ids: string[]) =>
      answer(there.filter(({ id }) => ids.includes(id)).slice(0, room))
    const source = { fetchPage: async () => answer([]), fetchByIds }
    const adapters = { source, store, clock, random: () => 0.5 }
    const reader = new PageReader(adapters, 1, defaultRetryPolicy, new AbortController().signal)
    reader.allowBytes(1e9)

    // The run has seen only the first of them.
    const seen = there.slice(0, 1)
    const again = answer(seen)
    if (again.ok) await store.writePage(again.value, 1)
    expect(await confirmDeletions(adapters, reader, 1, ['id-0'])).toBe(10)
    const gone = [...store.contents()].filter(([, copied]) => copied.gone).map(([id]) => id)
    expect(gone).toEqual(all.slice(50).map(({ id }) => id))
  },
)
