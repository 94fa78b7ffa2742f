import { fail, failure, type Outcome as OutcomeOf, succeed } from '@contract'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { synchronise, type SyncResult } from '../../../../../../electron/main/features/sync/engine'
import type { FetchedPage } from '../../../../../../electron/main/features/sync/reader'
import { answered, jsonBody } from '../../../../../support/builders/answer-bodies'
import { MemoryStore, SqliteStore, type TestStore } from '../../../../../support/sync/stores'
import {
  type Behaviour,
  ModelService,
  TestClock,
  randomFrom,
} from '../../../../../support/sync/model-service'

describe('the cache', () => {
  const rate = (max: number): fc.Arbitrary<number> =>
    fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: max, noNaN: true }))

  const behaviours: fc.Arbitrary<Behaviour> = fc.record({
    size: fc.integer({ min: 0, max: 120 }),
    order: fc.constantFrom(
      'newest',
      'newest',
      'oldest',
      'changed',
      'changed-last',
      'name',
      'shuffled',
      'restless',
    ),
    insert: rate(0.5),
    remove: rate(0.5),
    update: rate(0.5),
    events: fc.constantFrom(0, 5, 40, 400),
    bursts: fc.constantFrom(0, 0, 5, 40),
    burst: rate(0.9),
    reorders: fc.constantFrom(0, 0, 1, 3),
    reorder: fc.constantFrom(0.03, 0.2),
    short: fc.constant(0),
    repeat: fc.constant(0),
    disorder: rate(0.5),
    fail: rate(0.3),
    offsets: fc.constantFrom('items', 'items', 'asked', 'tokens'),
    room: fc.constant(Number.POSITIVE_INFINITY),
    rarity: fc.constant(Number.POSITIVE_INFINITY),
  })

  const runs = fc.record({
    behaviour: behaviours,
    seed: fc.integer(),
    limit: fc.integer({ min: 8, max: 25 }),
    inFlight: fc.integer({ min: 1, max: 6 }),
    /** How many deployments the cache had before, and how many of them were removed since. */
    known: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.nat({ max: 20 }),
    /** After how many calls the application is closed, once or twice, and started again. */
    interruptions: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 2 }),
  })

  /** How often a run starts over. Three attempts often fail if three in ten requests do. */
  const maxStarts = 400

  type RunCase = typeof runs extends fc.Arbitrary<infer T> ? T : never

  interface Outcome {
    result: SyncResult
    problems: string[]
  }

  /** Simulates a run. Returns what is wrong with the cache afterwards. */
  async function play(
    { behaviour, seed, limit, inFlight, known, removed, interruptions }: RunCase,
    store: TestStore,
  ): Promise<Outcome> {
    const clock = new TestClock()
    const random = randomFrom(seed)
    const service = new ModelService(behaviour, random, clock)
    const adapters = { source: service, store, clock, random }

    // The cache's content before the run: some existing deployments in an older version, and some removed ones.
    for (let index = 0; index < removed; index += 1) service.insert()
    const before = [...service.deployments.values()].filter(() => random() < known)
    const old = before.map(({ id, name, created, updated, version }) => ({
      id,
      name,
      created_at: new Date(created).toISOString(),
      updated_at: new Date(updated).toISOString(),
      source_revision_config: { repo_ref: `v${version}` },
    }))
    const then = { sentAt: clock.tick(), receivedAt: clock.tick() }
    const body = Buffer.from(JSON.stringify({ resources: old, offset: 0 }))
    await store.writePage({ body, span: then }, 0)
    for (let index = 0; index < removed; index += 1) service.remove()

    const atStart = new Set(service.deployments.keys())
    const versionsAtPass = new Map<number, Map<string, number>>()
    let quietAtPass = false
    const noteVersions = (pass: number): void => {
      if (versionsAtPass.has(pass)) return
      quietAtPass = service.quiet
      versionsAtPass.set(
        pass,
        new Map([...service.deployments.values()].map(({ id, version }) => [id, version])),
      )
    }

    const stops = [...interruptions]
    let result: SyncResult
    let lastPass = 1
    let starts = 0
    do {
      const controller = new AbortController()
      const stopAt = service.calls + (stops.shift() ?? Number.POSITIVE_INFINITY)
      result = await synchronise(adapters, { limit, overlap: 3, inFlight }, controller.signal, (progress) => {
        lastPass = progress.pass
        if (progress.phase === 'reading') noteVersions(progress.pass)
        if (service.calls >= stopAt) controller.abort()
      })
      starts += 1
      store.restart()
    } while ((result.end === 'cancelled' || result.end === 'failed') && starts < maxStarts)

    const problems: string[] = []
    // In a list without an order, or with stale answers, not every pass reads everything.
    const dependable = result.order !== 'unknown' && behaviour.repeat === 0
    // Where nothing shows a gap, an incomplete list can look complete.
    const isProvable = behaviour.offsets !== 'tokens' && behaviour.order !== 'restless'
    const versions = versionsAtPass.get(dependable ? lastPass : 1)
    const contents = store.contents()
    for (const id of atStart) {
      const deployment = service.deployments.get(id)
      if (!deployment) continue
      const stored = contents.get(id)
      if (!stored) {
        if (isProvable && result.end === 'complete') problems.push(`${id} is missing`)
      } else if (stored.gone) problems.push(`${id} is marked as gone`)
      else if (Number(stored.version.slice(1)) < (versions?.get(id) ?? 0)) {
        problems.push(`${id} is ${stored.version}, was v${versions?.get(id)} before`)
      } else if (dependable && quietAtPass && stored.version !== `v${deployment.version}`) {
        problems.push(`${id} is ${stored.version}, not v${deployment.version}`)
      }
    }
    if (result.end === 'cancelled' || result.end === 'failed') problems.push(`ended ${result.end}`)
    return { result, problems }
  }

  /** A cache that is replaced at some requests. Each of them then fails or reaches the new one. */
  class BrokenStore extends MemoryStore {
    private requests = 0
    /** How often it was replaced. */
    breaks = 0

    constructor(private readonly breaksAt: { request: number; fails: boolean }[]) {
      super()
    }

    private async breaking<T>(work: () => Promise<OutcomeOf<T>>): Promise<OutcomeOf<T>> {
      this.requests += 1
      const broken = this.breaksAt.find(({ request }) => request === this.requests)
      if (!broken) return work()
      this.breaks += 1
      this.beginAnew()
      return broken.fails ? fail(failure('cache', 'The file was damaged.', { retryable: true })) : work()
    }

    override writePage = (page: FetchedPage, run: number) => this.breaking(() => super.writePage(page, run))
    /** Its end commits what was gathered. */
    override bulk = (on: boolean) => (on ? super.bulk(on) : this.breaking(() => super.bulk(on)))
    override unseen = (run: number, after: number, limit: number) =>
      this.breaking(() => super.unseen(run, after, limit))
  }

  describe('synchronise', () => {
    test.each([
      { cache: 'a cache in memory', open: () => new MemoryStore() },
      { cache: "the application's own cache", open: () => new SqliteStore() },
    ])('leaves everything that existed throughout in $cache, whatever the service does', async ({ open }) => {
      const ends: Record<string, number> = {}
      await fc.assert(
        fc.asyncProperty(runs, async (run) => {
          const store = open()
          const { result, problems } = await play(run, store)
          store.close()
          ends[result.end] = (ends[result.end] ?? 0) + 1
          expect(problems).toEqual([])
        }),
        { endOnFailure: true },
      )
      console.log(ends)
    })

    test('leaves everything that existed throughout, if a page has as much as fits into an answer', async () => {
      // Only what shifts the list, and how much fits, has an effect.
      const calm = {
        update: 0,
        bursts: 0,
        reorders: 0,
        short: 0,
        repeat: 0,
        disorder: 0,
        fail: 0,
      } as const
      const fits = fc.record({
        room: fc.integer({ min: 1, max: 8 }),
        rarity: fc.constantFrom(2, 10, 40, 100),
        size: fc.integer({ min: 0, max: 200 }),
        order: fc.constantFrom('newest', 'oldest', 'name'),
        offsets: fc.constant('items'),
      })
      const ends: Record<string, number> = {}
      await fc.assert(
        fc.asyncProperty(runs, fits, fc.integer({ min: 8, max: 100 }), async (run, fit, limit) => {
          const store = new MemoryStore()
          const { result, problems } = await play(
            { ...run, limit, behaviour: { ...run.behaviour, ...calm, ...fit } },
            store,
          )
          ends[result.end] = (ends[result.end] ?? 0) + 1
          expect(problems).toEqual([])
        }),
        { endOnFailure: true },
      )
      console.log(ends)
    })

    test('starts over, and leaves nothing out, if the cache is replaced during the run', async () => {
      const breaks = fc.array(fc.record({ request: fc.integer({ min: 2, max: 60 }), fails: fc.boolean() }), {
        minLength: 1,
        maxLength: 2,
      })
      // With a stable order and offsets, only the cache has an effect.
      const calm = { order: 'newest', repeat: 0, short: 0, disorder: 0, offsets: 'items' } as const
      let broken = 0
      await fc.assert(
        fc.asyncProperty(runs, breaks, async (run, breaksAt) => {
          const store = new BrokenStore(breaksAt)
          const { result, problems } = await play({ ...run, behaviour: { ...run.behaviour, ...calm } }, store)
          broken += store.breaks
          expect(problems).toEqual([])
          expect(result.end).toBe('complete')
        }),
        { endOnFailure: true },
      )
      expect(broken).toBeGreaterThan(10)
    })
  })
})

describe('the end of a list', () => {
  type Item = ReturnType<typeof answered>
  type Service = (all: Item[], offset: number, limit: number) => { resources: unknown; offset?: unknown }

  /** A page as the interface describes it. */
  const page = (all: Item[], offset: number, limit: number) => {
    const resources = all.slice(offset, offset + limit)
    return { resources, offset: offset + resources.length }
  }

  const lastPage = (all: Item[], limit: number): number =>
    Math.max(0, Math.ceil(all.length / limit) - 1) * limit

  const services: Record<string, Service> = {
    'as the interface describes': page,
    'its last page beyond the end': (all, offset, limit) =>
      offset < all.length ? page(all, offset, limit) : page(all, lastPage(all, limit), limit),
    'its last page beyond the end, with an offset that goes on': (all, offset, limit) => ({
      ...(offset < all.length ? page(all, offset, limit) : page(all, lastPage(all, limit), limit)),
      offset: offset + limit,
    }),
    'null as its last offset': (all, offset, limit) => ({
      ...page(all, offset, limit),
      ...(offset + limit >= all.length ? { offset: null } : {}),
    }),
    'null as every offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: null }),
    'no offset': (all, offset, limit) => ({ resources: all.slice(offset, offset + limit) }),
    'an offset as a text': (all, offset, limit) => ({
      ...page(all, offset, limit),
      offset: `${offset + limit}`,
    }),
    'an odd text as an offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: 'next' }),
    'a negative offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: -1 }),
    'a broken offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: 1.5 }),
    'an object as an offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: { next: 1 } }),
    'the offset of the request': (all, offset, limit) => ({ ...page(all, offset, limit), offset }),
    'zero as every offset': (all, offset, limit) => ({ ...page(all, offset, limit), offset: 0 }),
    'the length of the list as every offset': (all, offset, limit) => ({
      ...page(all, offset, limit),
      offset: all.length,
    }),
    'an offset far beyond the end': (all, offset, limit) => ({
      ...page(all, offset, limit),
      offset: 10 ** 9,
    }),
    'the number of the page as an offset': (all, offset, limit) => ({
      ...page(all, offset * limit, limit),
      offset: offset + 1,
    }),
    'pages that begin at hundreds, from the third one on': (all, offset, limit) =>
      page(all, offset > 250 ? offset - (offset % 100) : offset, limit),
    'null for an empty page': (all, offset, limit) =>
      offset < all.length ? page(all, offset, limit) : { resources: null, offset },
    'an empty object for an empty page': (all, offset, limit) =>
      offset < all.length ? page(all, offset, limit) : { resources: {}, offset: null },
  }

  const several = (count: number): Item[] => Array.from({ length: count }, (_, index) => answered(index))

  async function sync(service: Service, count: number, known: Item[] = []) {
    const all = several(count)
    let requests = 0
    const answer = (body: unknown) => {
      requests += 1
      const span = { sentAt: 1_000 * requests, receivedAt: 1_000 * requests + 1 }
      return Promise.resolve(succeed({ body: jsonBody(body), span }))
    }
    const store = new SqliteStore()
    const source = {
      fetchPage: (offset: number, limit: number) => answer(service(all, offset, limit)),
      fetchByIds: (ids: string[]) =>
        answer(
          page(
            all.filter(({ id }) => ids.includes(String(id))),
            0,
            100,
          ),
        ),
    }
    const adapters = { source, store, clock: new TestClock(), random: () => 0.5 }
    await store.writePage({ body: jsonBody(page(known, 0, count)), span: { sentAt: 1, receivedAt: 2 } }, 0)
    const { end, passes } = await synchronise(adapters, {}, new AbortController().signal, () => undefined)
    const cached = store.contents().size
    store.close()
    return { end, cached, requests, passes }
  }

  describe.each(Object.entries(services))('a service that answers with %s', (_, service) => {
    test.each([0, 1, 4, 99, 100, 101, 450])(
      'gives all of %i deployments, for few requests',
      async (count) => {
        const { end, cached, requests } = await sync(service, count)
        expect([end, cached]).toEqual(['complete', count])
        expect(requests).toBeLessThanOrEqual(2 * Math.ceil(count / 100) + 20)
      },
    )
  })

  test('a deployment that a page shows which is written ahead and then not read is found by the pass', async () => {
    let isShort = false
    // The short third page makes those useless that were requested with it. The new deployment is on the next one.
    const service: Service = (all, offset, limit) => {
      const cut = offset === 196 && !isShort
      isShort ||= cut
      return page(all, offset, cut ? 50 : limit)
    }
    const known = several(450).filter((_, index) => index !== 350)
    expect(await sync(service, 450, known)).toMatchObject({ end: 'complete', cached: 450, passes: 2 })
  })

  test.each([4, 100, 250])(
    'a service that ignores the offset gives what it shows of %i deployments',
    async (count) => {
      const { end, cached, requests } = await sync((all, _offset, limit) => page(all, 0, limit), count)
      expect([end, cached]).toEqual([count < 100 ? 'complete' : 'unsettled', Math.min(count, 100)])
      expect(requests).toBeLessThanOrEqual(22)
    },
  )
})
