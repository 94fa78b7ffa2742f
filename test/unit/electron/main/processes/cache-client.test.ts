import { failure, fail, succeed, type Outcome, type NetworkSettings, systemNetwork } from '@contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRequestHandler } from '../../../../../electron/cache/request-handler'
import type { CacheCall, CacheRequest } from '../../../../../electron/cache/protocol'
import {
  type Cache,
  type CacheNotice,
  createCache,
} from '../../../../../electron/main/processes/cache-client'
import { createFileKeys, type Keychain } from '../../../../../electron/main/processes/keychain'
import { keychainInMemory } from '../../../../support/main/environments'
import { answered, pageBody, several } from '../../../../support/builders/answer-bodies'
import { createStoreProcess, type ForkedStore } from '../../../../../electron/main/processes/store-process'
import { forkCacheHere } from '../../../../support/cache/cache-here'
import { temporaryFolder } from '../../../../support/temporary-folder'

describe('the client of the caches', () => {
  /** A cache process in this one. It can be killed or made to hang. */
  class FakeProcess implements ForkedStore {
    static readonly all: FakeProcess[] = []
    hangs = false
    private readonly caches = createRequestHandler()
    private listener: (message: unknown) => void = () => undefined
    private ended: () => void = () => undefined

    constructor() {
      FakeProcess.all.push(this)
    }

    postMessage(message: unknown): void {
      const { id, request } = message as CacheCall
      if (this.hangs) return
      const answer = this.caches.answer(request)
      queueMicrotask(() => this.listener({ id, ...answer }))
    }

    onMessage(listener: (message: unknown) => void): void {
      this.listener = listener
    }

    onExit(listener: () => void): void {
      this.ended = listener
    }

    kill(): void {
      this.listener = () => undefined
      this.ended()
    }
  }

  const span = { sentAt: 1, receivedAt: 2 }
  const notices: CacheNotice[] = []
  const missing: Outcome<never> = fail(failure('keychain-missing', 'There is no keychain.'))

  const leadsTo = (baseUrl: string) => (environmentId: string) =>
    Promise.resolve(succeed({ environmentId, baseUrl, headers: {} }))

  const make = (fork: () => ForkedStore = () => new FakeProcess()) =>
    createCache({
      process: createStoreProcess({ fork, timeLimitMs: 1000 }),
      keys: { keyFor: () => Promise.resolve(missing), forget: () => Promise.resolve() },
      exists: () => true,
      target: leadsTo('https://one.example.com'),
      folder: '/nowhere',
      notice: (notice) => notices.push(notice),
    })

  beforeEach(() => {
    FakeProcess.all.length = 0
    notices.length = 0
  })
  afterEach(() => vi.useRealTimers())

  describe('the client', () => {
    test('holds a cache in memory if there is no key, and reports that once', async () => {
      const cache = make()
      const written = await cache.ask('e', 'write-page', { body: pageBody(several(2)), span, run: null })
      expect(written.ok && written.value.items.length).toBe(2)
      expect(cache.storage('e')).toBe('memory')
      expect(notices).toMatchObject([{ environmentId: 'e', kind: 'memory-only' }])
      expect(await cache.ask('other', 'state', {})).toMatchObject({ ok: true, value: { deployments: 0 } })
    })

    test('starts the process again after it has ended', async () => {
      const cache = make()
      await cache.ask('e', 'state', {})
      FakeProcess.all[0]?.kill()
      expect((await cache.ask('e', 'state', {})).ok).toBe(true)
      expect(FakeProcess.all).toHaveLength(2)
    })

    test('ends a hanging process, fails waiting requests, and starts another', async () => {
      const cache = make()
      await cache.ask('e', 'state', {})
      const [first] = FakeProcess.all
      if (first) first.hangs = true
      vi.useFakeTimers()
      const waiting = cache.ask('e', 'state', {})
      await vi.advanceTimersByTimeAsync(1001)
      expect(await waiting).toMatchObject({ ok: false, failure: { code: 'cache', retryable: true } })
      vi.useRealTimers()
      expect((await cache.ask('e', 'state', {})).ok).toBe(true)
    })

    /** A process that answers requests one after the other, each after this time. */
    class SlowProcess extends FakeProcess {
      killed = false
      private turn: Promise<unknown> = Promise.resolve()

      constructor(private readonly takesMs: () => number) {
        super()
      }

      override postMessage(message: unknown): void {
        const done = this.turn.then(() => new Promise((resolve) => setTimeout(resolve, this.takesMs())))
        this.turn = done
        void done.then(() => super.postMessage(message))
      }

      override kill(): void {
        this.killed = true
        super.kill()
      }
    }

    test('starts the time limit of each request when those before it are answered', async () => {
      vi.useFakeTimers()
      let takesMs = 0
      const processes: SlowProcess[] = []
      const cache = make(() => {
        const process = new SlowProcess(() => takesMs)
        processes.push(process)
        return process
      })
      const opened = cache.ask('e', 'state', {})
      await vi.runAllTimersAsync()
      expect((await opened).ok).toBe(true)

      // Together they take ten times the limit of one.
      takesMs = 900
      const answers = Promise.all(Array.from({ length: 11 }, () => cache.ask('e', 'state', {})))
      await vi.advanceTimersByTimeAsync(10_000)
      expect((await answers).map(({ ok }) => ok)).toEqual(Array.from({ length: 11 }, () => true))
      expect(processes.map(({ killed }) => killed)).toEqual([false])

      // A hanging request queued after another fails when its own time limit is over.
      const before = cache.ask('e', 'state', {})
      await vi.advanceTimersByTimeAsync(800)
      takesMs = 1_000_000
      const hanging = cache.ask('e', 'state', {})
      await vi.advanceTimersByTimeAsync(1_000)
      expect((await before).ok).toBe(true)
      expect(processes[0]?.killed).toBe(false)
      await vi.advanceTimersByTimeAsync(200)
      expect(processes[0]?.killed).toBe(true)
      expect(await hanging).toMatchObject({ ok: false, failure: { code: 'cache' } })
    })

    test("doesn't endlessly start a process that ends at once", async () => {
      const cache = make()
      for (let count = 0; count < 20; count += 1) {
        await cache.ask('e', 'state', {})
        FakeProcess.all.at(-1)?.kill()
      }
      expect(FakeProcess.all.length).toBeLessThanOrEqual(6)
    })
  })

  describe('the keys', () => {
    const keychain = (entries: Map<string, string>, locked: boolean): Keychain =>
      keychainInMemory(entries, () => locked)

    test('are created once, with 32 random bytes for each environment', async () => {
      const entries = new Map([['marker', 'open']])
      const keys = createFileKeys(keychain(entries, false))
      const first = await keys.keyFor('a', { stored: false })
      expect(first).toEqual(await keys.keyFor('a', { stored: true }))
      expect(first).not.toEqual(await keys.keyFor('b', { stored: false }))
      expect(first.ok && first.value).toMatch(/^[0-9a-f]{64}$/)
      await keys.forget('a')
      expect([...entries.keys()]).toEqual(['marker', 'b'])
    })

    test("aren't replaced while the keychain is locked and there is a file", async () => {
      const entries = new Map([['marker', 'open']])
      await createFileKeys(keychain(entries, false)).keyFor('a', { stored: false })
      const before = new Map(entries)
      const locked = await createFileKeys(keychain(entries, true)).keyFor('a', { stored: true })
      expect(locked).toMatchObject({ ok: false, failure: { code: 'keychain-locked' } })
      expect(entries).toEqual(before)
    })
  })
})

describe('an environment that leads elsewhere', () => {
  const span = { sentAt: 1_000, receivedAt: 1_010 }
  const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }
  const request = { query, offset: 0, limit: 200, snapshot: null }

  let folder: string
  let notices: CacheNotice[]
  /** Where the environment leads; null if that isn't known. */
  let target: { baseUrl: string; headers: Record<string, string>; network?: NetworkSettings } | null
  let exists: boolean
  /** Whether the keychain does not return the cache's key. */
  let locked: boolean
  /** The requests that reached the process. Each is answered once `answering` says so. */
  let reached: CacheRequest['op'][]
  let answering: (op: CacheRequest['op']) => Promise<void>
  /** Ends the process that was started last. */
  let end: () => void
  let cache: Cache

  const headers = { 'X-Tenant-Id': 'a', 'X-Api-Key': 'k' }
  const one = { baseUrl: 'https://one.example.com', headers }
  const two = { baseUrl: 'https://two.example.com', headers }
  const otherTenant = { ...one, headers: { ...headers, 'X-Tenant-Id': 'b' } }
  const otherAccount = { ...one, headers: { ...headers, 'X-Api-Key': 'l' } }

  const otherProxy = { ...one, network: { ...systemNetwork, proxy: { mode: 'none' } } } as const
  const trust = { kind: 'authority', pem: 'of another authority' } as const
  const otherTrust = { ...one, network: { ...systemNetwork, trust } }

  const key = 'ab'.repeat(32)

  function makeCache(timeLimitMs?: number): Cache {
    return createCache({
      process: createStoreProcess({
        timeLimitMs,
        fork: () =>
          forkCacheHere({
            received: (op) => reached.push(op),
            beforeReply: (op) => answering(op),
            started: (own) => (end = own),
          }),
        startsAMinute: 100,
      }),
      keys: {
        keyFor: () =>
          Promise.resolve(
            locked ? fail(failure('keychain-locked', 'The keychain is locked.')) : succeed(key),
          ),
        forget: () => Promise.resolve(),
      },
      exists: () => exists,
      target: (environmentId) =>
        Promise.resolve(
          target === null
            ? fail(failure('keychain-locked', 'The keychain is locked.'))
            : succeed({ environmentId, ...target }),
        ),
      folder,
      notice: (notice) => notices.push(notice),
    })
  }

  beforeEach(() => {
    folder = temporaryFolder()
    notices = []
    target = one
    exists = true
    locked = false
    reached = []
    answering = () => Promise.resolve()
    cache = makeCache()
  })
  afterEach(async () => {
    await cache.close()
  })

  /** Writes an answer of the service that the environment led to when it was requested. */
  async function write(count: number, from?: string) {
    const service = await cache.service('e')
    if (!service.ok) return service
    const body = pageBody(several(count))
    return cache.ask('e', 'write-page', { body, span, run: null }, from ?? service.value)
  }

  async function total(): Promise<number> {
    const page = await cache.ask('e', 'page', { request })
    if (!page.ok) throw new Error(page.failure.message)
    return page.value.total
  }

  for (const [what, other] of [
    ['another address', two],
    ['another tenant', otherTenant],
    ['another account', otherAccount],
    ['wherever another proxy does', otherProxy],
    ['wherever another certificate counts', otherTrust],
  ] as const) {
    test(`an environment that leads to ${what} shows nothing of the old one, even after the edit is undone`, async () => {
      await write(3)
      const answeredBefore = await cache.service('e')
      target = other
      const [page, found, repositories, state] = await Promise.all([
        cache.ask('e', 'page', { request }),
        cache.ask('e', 'deployment', { id: String(answered(1).id) }),
        cache.ask('e', 'repositories', { integrationId: 'i' }),
        cache.ask('e', 'state', {}),
      ])
      expect(page).toMatchObject({ ok: true, value: { total: 0 } })
      expect([found, repositories]).toEqual([succeed(null), succeed(null)])
      expect(state).toMatchObject({ ok: true, value: { deployments: 0, newestAt: null } })
      expect(notices).toEqual([{ environmentId: 'e', kind: 'other-service' }])

      // A late answer of the old service isn't stored.
      const late = await write(5, answeredBefore.ok ? answeredBefore.value : '')
      expect(late).toMatchObject({ ok: false, failure: { code: 'environment-changed' } })
      expect(await total()).toBe(0)
      await write(2)
      expect(await total()).toBe(2)

      target = one
      expect(await total()).toBe(0)
    })
  }

  test("an edit while Slipway wasn't running is noticed at the next start, before anything is shown", async () => {
    await write(3)
    await cache.close()
    cache = makeCache()
    expect(await total()).toBe(3)
    await cache.close()
    target = two
    cache = makeCache()
    expect(await total()).toBe(0)
    expect(notices).toEqual([{ environmentId: 'e', kind: 'other-service' }])
  })

  test('a request from before an edit that is answered after it is repeated', async () => {
    await write(3)
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    answering = (op) => (op === 'page' ? held : Promise.resolve())
    const answer = cache.ask('e', 'page', { request })
    await expect.poll(() => reached.at(-1)).toBe('page')
    target = two
    release()
    const page = await answer
    expect(page.ok && page.value.total).toBe(0)
  })

  test('an edit at any time between request and write never puts the answer of one service into the cache of another', async () => {
    for (let delay = 0; delay < 24; delay += 1) {
      target = one
      const service = await cache.service('e')
      await total()
      const writing = write(3, service.ok ? service.value : '')
      for (let turn = 0; turn < delay; turn += 1) await Promise.resolve()
      target = two
      const reading = total()
      expect(await reading, `edited after ${delay} turns`).toBe(0)
      await writing
      expect(await total(), `edited after ${delay} turns`).toBe(0)
    }
  })

  test('a removed environment gets no cache', async () => {
    await write(3)
    exists = false
    expect(await cache.ask('e', 'state', {})).toMatchObject({ ok: false, failure: { code: 'not-found' } })
  })

  async function crash(): Promise<void> {
    answering = (op) => (op === 'state' ? new Promise(() => undefined) : Promise.resolve())
    const answer = cache.ask('e', 'state', {})
    await expect.poll(() => reached.at(-1)).toBe('state')
    end()
    expect(await answer).toMatchObject({ ok: false, failure: { code: 'cache', retryable: true } })
    answering = () => Promise.resolve()
  }

  test("a process that is ended from outside doesn't cost a cache", async () => {
    await write(3)
    for (let time = 0; time < 4; time += 1) await crash()
    expect(await total()).toBe(3)
    expect(notices).toEqual([])
  })
})
