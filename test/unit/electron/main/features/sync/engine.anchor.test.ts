import { succeed } from '@contract'
import { expect, test } from 'vitest'
import { synchronise } from '../../../../../../electron/main/features/sync/engine'
import type { SyncSource } from '../../../../../../electron/main/features/sync/types'
import { MemoryStore } from '../../../../../support/sync/memory-store'
import { TestClock } from '../../../../../support/sync/test-clock'

const size = 60
const limit = 10

/** A service that lists the least recently changed deployments first, with actions at chosen times. */
class LeastRecentlyChanged implements SyncSource {
  /** How often the beginning of the list was requested. */
  beginnings = 0
  private readonly versions = new Map(Array.from({ length: size }, (_, index) => [`id-${index}`, 1]))
  private readonly happened = new Set<string>()

  constructor(private readonly clock: TestClock) {}

  versionOf = (id: string): string => `v${this.versions.get(id)}`
  get ids(): string[] {
    return [...this.versions.keys()]
  }

  /** Changes deployments at positions of the list, once: they move to its end. */
  changeOnce(what: string, from: number, to: number): string[] {
    if (this.happened.has(what)) return []
    this.happened.add(what)
    const ids = this.ids.slice(from, to)
    for (const id of ids) {
      const version = this.versions.get(id) ?? 0
      this.versions.delete(id)
      this.versions.set(id, version + 1)
    }
    return ids
  }

  /** Called before each page. */
  before: (offset: number) => void = () => undefined

  async fetchPage(offset: number) {
    if (offset === 0) this.beginnings += 1
    this.before(offset)
    const sentAt = this.clock.tick()
    const resources = this.ids.slice(offset, offset + limit).map((id) => ({
      id,
      name: `agent-${(Number(id.slice(3)) * 37) % size}`,
      created_at: null,
      updated_at: new Date(sentAt).toISOString(),
      source_revision_config: { repo_ref: this.versionOf(id) },
    }))
    const body = Buffer.from(JSON.stringify({ resources, offset: offset + resources.length }))
    return succeed({ body, digest: '', span: { sentAt, receivedAt: this.clock.tick() } })
  }

  async fetchByIds() {
    return this.fetchPage(size)
  }
}

test("doesn't accept a changed deployment as proof that nothing before it is missing", async () => {
  const clock = new TestClock()
  const service = new LeastRecentlyChanged(clock)
  const store = new MemoryStore()
  let pass = 1
  let beginningsBefore = 0
  let left: string[] = []
  service.before = (offset) => {
    // Changed content for the second pass to find, so that a third and last pass follows.
    if (pass === 2 && offset > 0) service.changeOnce('early', 20, 21)
    // As the second pass looks at the beginning again, its last call, some others are changed and move to the end.
    if (pass === 2 && offset === 0 && service.beginnings - beginningsBefore === 2) {
      left.push(...service.changeOnce('late', 30, 38))
    }
    // Just before the third gets there, what it has read already is changed: the rest moves forward, past the page
    // that is asked for, which shows nothing but changed ones.
    if (pass === 3 && offset >= size - limit - 1) service.changeOnce('burst', 0, 12)
  }
  const result = await synchronise(
    { source: service, store, clock, random: () => 0.5 },
    { limit, overlap: 3, inFlight: 1 },
    new AbortController().signal,
    (progress) => {
      if (progress.pass !== pass) beginningsBefore = service.beginnings
      pass = progress.pass
    },
  )
  left = left.filter((id) => service.versionOf(id) === 'v2')
  expect(result).toMatchObject({ end: 'complete', passes: 3 })
  expect(left).toHaveLength(8)
  const contents = store.contents()
  expect(left.map((id) => contents.get(id)?.version)).toEqual(left.map(() => 'v2'))
})
