import { failure, fail, succeed, type Outcome } from '@contract'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRequestHandler } from '../../../../../../electron/cache/request-handler'
import { cacheCallSchema } from '../../../../../../electron/contract/cache'
import {
  createCache,
  type CacheNotice,
  type CacheProcess,
} from '../../../../../../electron/main/processes/cache-client'
import { createCacheKeys } from '../../../../../../electron/main/processes/cache-client/keys'
import type { Keychain } from '../../../../../../electron/main/processes/keychain/types'
import { keychainInMemory } from '../../../../../support/main/keychain-in-memory'
import { pageBody, several } from '../../../../../support/builders/cached-deployments'

/** A cache process in this one. It can be killed or made to hang. */
class FakeProcess implements CacheProcess {
  static readonly all: FakeProcess[] = []
  hangs = false
  private readonly caches = createRequestHandler(() => Promise.resolve())
  private listener: (message: unknown) => void = () => undefined
  private ended: (crashed: boolean) => void = () => undefined

  constructor() {
    FakeProcess.all.push(this)
  }

  postMessage(message: unknown): void {
    const { id, request } = cacheCallSchema.parse(message)
    if (this.hangs) return
    void this.caches.answer(request).then((answer) => this.listener({ id, ...answer }))
  }

  onMessage(listener: (message: unknown) => void): void {
    this.listener = listener
  }

  onExit(listener: (crashed: boolean) => void): void {
    this.ended = listener
  }

  kill(): void {
    this.listener = () => undefined
    this.ended(false)
  }
}

const span = { sentAt: 1, receivedAt: 2 }
const notices: CacheNotice[] = []
const missing: Outcome<never> = fail(failure('keychain-missing', 'There is no keychain.'))

const leadsTo = (baseUrl: string) => (environmentId: string) =>
  Promise.resolve(succeed({ environmentId, baseUrl, headers: {} }))

const make = (fork: () => CacheProcess = () => new FakeProcess()) =>
  createCache({
    fork,
    keys: { keyFor: () => Promise.resolve(missing), forget: () => Promise.resolve() },
    exists: () => true,
    target: leadsTo('https://one.example.com'),
    folder: '/nowhere',
    notice: (notice) => notices.push(notice),
    timeLimitMs: 1000,
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

  test('lets long work end, although a page that is read ahead waits meanwhile', async () => {
    vi.useFakeTimers()
    let takesMs = 0
    class ReadingProcess extends SlowProcess {
      override postMessage(message: unknown): void {
        if (cacheCallSchema.parse(message).request.op !== 'read-ahead') super.postMessage(message)
      }
    }
    const process = new ReadingProcess(() => takesMs)
    const cache = make(() => process)
    const opened = cache.ask('e', 'state', {})
    await vi.runAllTimersAsync()
    expect((await opened).ok).toBe(true)
    void cache.ask('e', 'read-ahead', { digest: '='.repeat(28), body: pageBody(several(1)) })
    await vi.advanceTimersByTimeAsync(0)
    takesMs = 5_000
    const working = cache.ask('e', 'bulk', { on: false })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await working).toMatchObject({ ok: true })
    expect(process.killed).toBe(false)
  })

  test('fails requests that wait for a key when the process ends meanwhile, and opens the cache in the next one', async () => {
    let give: (key: Outcome<never>) => void = () => undefined
    const key = new Promise<Outcome<never>>((resolve) => (give = resolve))
    const cache = createCache({
      fork: () => new FakeProcess(),
      keys: { keyFor: () => key, forget: () => Promise.resolve() },
      exists: () => true,
      target: leadsTo('https://one.example.com'),
      folder: '/nowhere',
      notice: () => undefined,
    })
    const first = cache.ask('e', 'state', {})
    const second = cache.ask('e', 'write-note', { key: 'k', value: 'v' })
    FakeProcess.all[0]?.kill()
    give(missing)
    expect(await Promise.all([first, second])).toMatchObject([
      { ok: false, failure: { code: 'cache', retryable: true } },
      { ok: false, failure: { code: 'cache', retryable: true } },
    ])
    expect((await cache.ask('e', 'state', {})).ok).toBe(true)
    expect(FakeProcess.all).toHaveLength(2)
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

test('a cache that the disk refused to read once counts as opened again, and goes on', async () => {
  const inner = new FakeProcess()
  let listener: (message: unknown) => void = () => undefined
  let refuses = false
  const process: CacheProcess = {
    postMessage(message) {
      const { id, request } = cacheCallSchema.parse(message)
      if (!refuses || request.op !== 'write-page') return inner.postMessage(message)
      refuses = false
      queueMicrotask(() => listener({ id, ok: false, code: 'unread', message: 'malformed', setAside: null }))
    },
    onMessage(own) {
      listener = own
      inner.onMessage(own)
    },
    onExit: () => undefined,
    kill: () => undefined,
  }
  const cache = make(() => process)
  const write = () => cache.ask('e', 'write-page', { body: pageBody(several(2)), span, run: null })
  expect((await write()).ok).toBe(true)
  const before = cache.opening('e')
  notices.length = 0
  refuses = true
  expect(await write()).toMatchObject({ ok: false, failure: { code: 'cache', retryable: true } })
  // A synchronisation notices by this that answers may be missing.
  expect(cache.opening('e')).toBe(before + 1)
  expect(notices).toEqual([{ environmentId: 'e', kind: 'unwritten', reason: 'other' }])
  expect((await write()).ok).toBe(true)
  expect(cache.opening('e')).toBe(before + 1)
})

describe("a file that wasn't closed properly", () => {
  /** A process with given answers, which records its requests. */
  function scripted(uncleanlyClosed: boolean, damagedRows: number, refusedChecks = 0) {
    const requests: string[] = []
    let listener: (message: unknown) => void = () => undefined
    const answers: Record<string, unknown> = {
      open: { setAside: null, uncleanlyClosed, otherService: false },
      check: { damagedRows },
      state: { deployments: 0, gone: 0, synchronisedAt: null, newestAt: null },
    }
    const process: CacheProcess = {
      postMessage(message) {
        const { id, request } = cacheCallSchema.parse(message)
        requests.push(request.op)
        if (request.op === 'check' && refusedChecks-- > 0) {
          queueMicrotask(() => listener({ id, ok: false, code: 'unread', message: '', setAside: null }))
          return
        }
        queueMicrotask(() => listener({ id, ok: true, text: JSON.stringify(answers[request.op] ?? null) }))
      },
      onMessage: (own) => (listener = own),
      onExit: () => undefined,
      kill: () => undefined,
    }
    const cache = createCache({
      fork: () => process,
      keys: { keyFor: () => Promise.resolve(succeed('ab'.repeat(32))), forget: () => Promise.resolve() },
      exists: () => true,
      target: leadsTo('https://one.example.com'),
      folder: '/nowhere',
      notice: (notice) => notices.push(notice),
    })
    return { cache, requests }
  }

  test('is checked some time after it was opened, and damaged rows are reported', async () => {
    vi.useFakeTimers()
    const { cache, requests } = scripted(true, 3)
    await cache.ask('e', 'state', {})
    expect(requests).toEqual(['open', 'state'])
    const before = cache.opening('e')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requests).toEqual(['open', 'state', 'check'])
    expect(cache.opening('e'), 'so that a run starts over').toBe(before + 1)
    expect(notices).toEqual([{ environmentId: 'e', kind: 'damaged-rows', count: 3 }])
  })

  test('is checked again if the disk may only have refused a read', async () => {
    vi.useFakeTimers()
    const { cache, requests } = scripted(true, 3, 1)
    await cache.ask('e', 'state', {})
    await vi.advanceTimersByTimeAsync(60_000)
    expect(requests).toEqual(['open', 'state', 'check', 'check'])
    expect(notices).toEqual([{ environmentId: 'e', kind: 'damaged-rows', count: 3 }])
  })

  test("isn't reported if it is sound, and one that was closed properly isn't checked", async () => {
    vi.useFakeTimers()
    const sound = scripted(true, 0)
    await sound.cache.ask('e', 'state', {})
    const closed = scripted(false, 0)
    await closed.cache.ask('e', 'state', {})
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sound.requests).toContain('check')
    expect(closed.requests).not.toContain('check')
    expect(notices).toEqual([])
  })
})

describe('the keys', () => {
  const keychain = (entries: Map<string, string>, locked: boolean): Keychain =>
    keychainInMemory(entries, () => locked)

  test('are created once, with 32 random bytes for each environment', async () => {
    const entries = new Map([['marker', 'open']])
    const keys = createCacheKeys(() => keychain(entries, false))
    const first = await keys.keyFor('a', false)
    expect(first).toEqual(await keys.keyFor('a', true))
    expect(first).not.toEqual(await keys.keyFor('b', false))
    expect(first.ok && first.value).toMatch(/^[0-9a-f]{64}$/)
    await keys.forget('a')
    expect([...entries.keys()]).toEqual(['marker', 'cache-key-b'])
  })

  test("aren't replaced while the keychain is locked and there is a file", async () => {
    const entries = new Map([['marker', 'open']])
    await createCacheKeys(() => keychain(entries, false)).keyFor('a', false)
    const before = new Map(entries)
    const locked = await createCacheKeys(() => keychain(entries, true)).keyFor('a', true)
    expect(locked).toMatchObject({ ok: false, failure: { code: 'keychain-locked' } })
    expect(entries).toEqual(before)
  })
})
