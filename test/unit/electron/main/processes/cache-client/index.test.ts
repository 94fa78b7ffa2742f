import { failure, fail, succeed, type Outcome } from '@contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRequestHandler } from '../../../../../../electron/cache/request-handler'
import type { CacheCall } from '../../../../../../electron/contract/cache'
import { createCache, type CacheNotice } from '../../../../../../electron/main/processes/cache-client'
import { createCacheKeys } from '../../../../../../electron/main/processes/cache-client/keys'
import { createFileKeys } from '../../../../../../electron/main/processes/keychain/file-keys'
import type { Keychain } from '../../../../../../electron/main/processes/keychain/types'
import { keychainInMemory } from '../../../../../support/main/environments'
import { pageBody, several } from '../../../../../support/builders/cached-deployments'
import { createStoreProcess, type ForkedStore } from '../../../../../../electron/main/processes/store-process'

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
    void this.caches.answer(request).then((answer) => this.listener({ id, ...answer }))
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
    const keys = createCacheKeys(createFileKeys(keychain(entries, false)))
    const first = await keys.keyFor('a', false)
    expect(first).toEqual(await keys.keyFor('a', true))
    expect(first).not.toEqual(await keys.keyFor('b', false))
    expect(first.ok && first.value).toMatch(/^[0-9a-f]{64}$/)
    await keys.forget('a')
    expect([...entries.keys()]).toEqual(['marker', 'cache-key-b'])
  })

  test("aren't replaced while the keychain is locked and there is a file", async () => {
    const entries = new Map([['marker', 'open']])
    await createCacheKeys(createFileKeys(keychain(entries, false))).keyFor('a', false)
    const before = new Map(entries)
    const locked = await createCacheKeys(createFileKeys(keychain(entries, true))).keyFor('a', true)
    expect(locked).toMatchObject({ ok: false, failure: { code: 'keychain-locked' } })
    expect(entries).toEqual(before)
  })
})
