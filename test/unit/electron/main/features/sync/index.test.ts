import { builtInEnvironments, failure, fail, type JournalEntry, succeed } from '@contract'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SyncState } from '../../../../../../electron/contract/cache'
import type { CacheCall, CacheRequest } from '../../../../../../electron/cache/protocol'
import { createCache, type Cache } from '../../../../../../electron/main/processes/cache-client'
import type { Environments } from '../../../../../../electron/main/environments'
import {
  request,
  type Answer,
  type Send,
  type HttpClient,
  type HttpAnswer,
} from '../../../../../../electron/main/http/client'
import type { SynchronisationEnd } from '../../../../../../electron/main/stored/journal'
import {
  createSynchronisation,
  Schedule,
  type Synchronisation,
} from '../../../../../../electron/main/features/sync'
import { ReconnectWatch } from '../../../../../../electron/main/features/offline'
import { answered, pageBody, several } from '../../../../../support/builders/answer-bodies'
import { forkCacheHere } from '../../../../../support/cache/cache-here'
import { createStoreProcess, type ForkedStore } from '../../../../../../electron/main/processes/store-process'
import type { CachedPage } from '@contract/cache'
import { createRequestHandler } from '../../../../../../electron/cache/request-handler'
import { synchroniseOne } from '../../../../../support/sync/one-environment'
import { temporaryFolder } from '../../../../../support/temporary-folder'

describe('synchronisations', () => {
  const minute = 60_000
  const sandbox = builtInEnvironments.cloud.id

  /** An answer that is JSON, but not a list. */
  const answered = (status = 200): Promise<Answer> =>
    Promise.resolve({
      status,
      contentType: 'application/json',
      retryAfter: null,
      date: null,
      body: Readable.from([Buffer.from('{"resources":3}')]),
    })

  /**
   * A synchronisation in the background of the environment "e", whose service answers as `service` says: it is out of
   * reach or hangs, always or only from an offset on.
   */
  function make(
    service: { reachable: boolean; hangs: boolean; onlyFrom?: number },
    other?: HttpClient['request'],
    forkCache: () => ForkedStore = () => forkCacheHere(),
  ) {
    const shown = { welcome: true, current: 'e', isRemoved: false, hasSandbox: false }
    const states: SyncState[] = []
    const ended: SynchronisationEnd[] = []
    const begun: boolean[] = []
    let requests = 0
    const environments = {
      destination: () => null,
      state: () => ({
        currentEnvironmentId: shown.current,
        environments: [
          ...(shown.isRemoved ? [] : [{ id: 'e', name: 'Harbour' }]),
          ...(shown.hasSandbox ? [{ id: sandbox, name: 'Sandbox' }] : []),
        ],
      }),
      ready: (environmentId: string) =>
        Promise.resolve(
          succeed({ target: { environmentId, baseUrl: 'https://service.example', headers: {} } }),
        ),
    } as unknown as Environments
    const http = {
      request: (request) => {
        const { query, signal } = request
        requests += 1
        if (other) return other(request)
        const isWell = Number(query?.get('offset')) < (service.onlyFrom ?? 0)
        if (service.hangs && !isWell) {
          return new Promise((resolve) => {
            signal?.addEventListener('abort', () => resolve(fail(failure('cancelled', 'Cancelled.'))))
          })
        }
        if (!service.reachable && !isWell)
          return Promise.resolve(fail(failure('internal', 'The service is broken.')))
        const body = query?.get('offset') === '0' ? pageBody(several(5)) : pageBody([], 5)
        return Promise.resolve(succeed({ status: 200, json: null, body }))
      },
    } as HttpClient
    const synchronisation = createSynchronisation({
      environments,
      http,
      cache: createCache({
        process: createStoreProcess({ fork: forkCache }),
        keys: {
          keyFor: () => Promise.resolve(fail(failure('keychain-missing', 'None.'))),
          forget: () => Promise.resolve(),
        },
        exists: () => !shown.isRemoved,
        target: (environmentId) =>
          Promise.resolve(succeed({ environmentId, baseUrl: 'https://service.example', headers: {} })),
        folder: '/nowhere',
        notice: () => undefined,
      }),
      journal: {
        beginSynchronisation: (_place, automatic) => {
          begun.push(automatic)
          return Promise.resolve(String(begun.length))
        },
        endSynchronisation: (_id: JournalEntry['id'], end) => {
          ended.push(end)
          return Promise.resolve()
        },
      },
      changed: (state) => states.push(state),
      mayWork: () => shown.welcome,
      report: (error) => {
        throw error
      },
    })
    /** Lets time pass; what is due runs every few seconds. */
    const pass = async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 20_000) {
        synchronisation.tick()
        await vi.advanceTimersByTimeAsync(Math.min(20_000, ms - passed))
      }
    }
    return { synchronisation, shown, states, begun, ended, pass, requests: () => requests }
  }

  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  describe('in the background', () => {
    test('runs at once, and again after each interval', async () => {
      const { synchronisation, begun, ended, pass } = make({ reachable: true, hangs: false })
      await pass(1 * minute)
      expect(ended).toMatchObject([{ state: 'complete', seen: 5, added: 5, changed: 0, gone: 0 }])
      await pass(13 * minute)
      expect(begun).toEqual([true])
      await pass(2 * minute)
      expect(ended).toMatchObject([{ added: 5 }, { state: 'complete', seen: 5, added: 0 }])

      await synchronisation.setInterval('e', 60)
      await pass(58 * minute)
      expect(begun).toHaveLength(2)
      await pass(3 * minute)
      expect(begun).toHaveLength(3)
      await synchronisation.setInterval('e', 0)
      await pass(300 * minute)
      expect(begun).toHaveLength(3)
    })

    test('that ends unsettled is no complete one, so that the board calls nothing missing', async () => {
      // It ignores the offset, so nothing shows where its list ends.
      const always = { status: 200, body: pageBody(several(100)) }
      const { synchronisation, ended, pass } = make({ reachable: true, hangs: false }, () =>
        Promise.resolve(succeed(always)),
      )
      await pass(1 * minute)
      expect(ended).toMatchObject([{ state: 'unsettled', seen: 100 }])
      expect((await synchronisation.state('e')).cache).toMatchObject({
        deployments: 100,
        synchronisedAt: null,
      })
    })

    test("doesn't begin while the window is hidden or the service can't be reached, and begins after", async () => {
      const { shown, pass, requests } = make({ reachable: true, hangs: false })
      shown.welcome = false
      await pass(60 * minute)
      expect(requests()).toBe(0)
      shown.welcome = true
      await pass(20_000)
      expect(requests()).toBeGreaterThan(0)
    })

    test('begins again soon after it was cancelled, not only after the interval', async () => {
      const service = { reachable: true, hangs: true }
      const { synchronisation, shown, ended, pass } = make(service)
      await pass(20_000)
      expect((await synchronisation.state('e')).progress).toMatchObject({ automatic: true })
      // The window is hidden meanwhile: what has begun goes on.
      shown.welcome = false
      await pass(20_000)
      expect(ended).toEqual([])
      shown.welcome = true
      await synchronisation.cancel('e')
      expect(ended).toMatchObject([{ state: 'cancelled' }])
      service.hangs = false
      await pass(2 * minute)
      expect(ended).toMatchObject([{ state: 'cancelled' }, { state: 'complete', seen: 5 }])
    })
  })

  describe('a service that fails', () => {
    const failing: [how: string, Send][] = [
      ['is busy', () => answered(503)],
      ['cuts the connection', () => Promise.reject(new Error('net::ERR_CONNECTION_RESET'))],
      ['answers with no list', () => answered()],
    ]

    test.each(failing)('gets three requests for a page if it %s', async (_how, send) => {
      const urls: string[] = []
      const counted: Send = (message, ...more) => {
        urls.push(message.url)
        return send(message, ...more)
      }
      const { synchronisation, ended, pass } = make({ reachable: true, hangs: false }, (sent) =>
        request(sent, counted),
      )
      await synchronisation.setInterval('e', 0)
      await synchronisation.start('e')
      await pass(5 * minute)
      expect(ended).toMatchObject([{ state: 'failed' }])
      expect(urls).toHaveLength(3)
      expect(new Set(urls).size).toBe(1)
    })

    test('is synchronised automatically once it answers again', async () => {
      const service = { reachable: false, hangs: false, onlyFrom: 5 }
      const { ended, pass } = make(service)
      await pass(20_000)
      expect(ended).toMatchObject([{ state: 'failed', seen: 5 }])
      service.reachable = true
      await pass(20_000)
      expect(ended).toMatchObject([{ state: 'failed' }, { state: 'complete', seen: 5, added: 0 }])
    })
  })

  describe('the end of a synchronisation', () => {
    test("fails if what was gathered can't be committed", async () => {
      let commits = 0
      const refuses = (op: CacheRequest['op']) => (op === 'bulk' && ++commits === 2 ? 'disk-full' : null)
      const { synchronisation, ended, pass } = make({ reachable: true, hangs: false }, undefined, () =>
        forkCacheHere({ refuses }),
      )
      await pass(20_000)
      expect(ended).toMatchObject([{ state: 'failed', failure: { code: 'disk-full' } }])
      expect((await synchronisation.state('e')).cache).toMatchObject({ synchronisedAt: null })
    })

    test('is no failure if the environment is removed meanwhile', async () => {
      const received = (op: CacheRequest['op']): void => {
        if (op === 'unseen') shown.isRemoved = true
      }
      const { shown, ended, pass } = make({ reachable: true, hangs: false }, undefined, () =>
        forkCacheHere({ received }),
      )
      await pass(20_000)
      expect(ended).toMatchObject([{ state: 'cancelled', failure: null }])
    })
  })

  describe('of many environments', () => {
    test('only the current one is synchronised, however many are requested', async () => {
      const { synchronisation, begun, requests } = make({ reachable: true, hangs: true })
      const others = Array.from({ length: 40 }, (_, place) => `other-${place}`)
      for (const outcome of await Promise.all(others.map((id) => synchronisation.start(id)))) {
        expect(outcome).toMatchObject({ ok: false, failure: { code: 'environment-changed' } })
      }
      expect(await synchronisation.start('e')).toMatchObject({ ok: true })
      await vi.advanceTimersByTimeAsync(1_000)
      expect(begun).toHaveLength(1)
      expect(requests()).toBe(1)
    })

    test('a sandbox that never was synchronised is, once, after the current one', async () => {
      const { synchronisation, shown, ended, pass } = make({ reachable: true, hangs: false })
      shown.hasSandbox = true
      await pass(20_000)
      expect(ended).toHaveLength(2)
      expect(await synchronisation.state(sandbox)).toMatchObject({ last: { end: 'complete' } })
      await pass(30 * minute)
      const { last } = await synchronisation.state(sandbox)
      expect(Date.now() - Date.parse(last!.at)).toBeGreaterThan(29 * minute)
      expect(ended.length).toBeGreaterThan(2)
    })
  })

  test("is repeated soon if its cache's process ends during the first run", async () => {
    let end = (): void => undefined
    let looks = 0
    const { ended, pass } = make({ reachable: true, hangs: false }, undefined, () =>
      forkCacheHere({
        started: (endProcess) => (end = endProcess),
        received: (op) => {
          if (op === 'unseen' && ++looks === 1) end()
        },
      }),
    )
    await pass(40_000)
    expect(ended).toMatchObject([
      { state: 'failed', failure: { code: 'cache' } },
      { state: 'complete', seen: 5 },
    ])
  })

  describe('an unreachable service', () => {
    const connection = { environmentId: 'e', at: null, reason: null }

    test('gets a request at growing intervals while it is offline, and none once it is online', async () => {
      const at: number[] = []
      const start = Date.now()
      const watch = new ReconnectWatch(() => {
        at.push(Math.round((Date.now() - start) / 1000))
        // The outcome of the request is reported like any other.
        watch.note({ ...connection, state: 'offline' })
        return Promise.resolve()
      })
      watch.note({ ...connection, state: 'offline' })
      watch.note({ ...connection, state: 'offline' })
      await vi.advanceTimersByTimeAsync(5 * minute)
      expect(at).toEqual([3, 9, 21, 45, 93, 153, 213, 273])

      watch.note({ ...connection, state: 'online' })
      await vi.advanceTimersByTimeAsync(10 * minute)
      expect(at).toHaveLength(8)
      watch.note({ ...connection, state: 'offline' })
      await vi.advanceTimersByTimeAsync(3_000)
      expect(at).toHaveLength(9)
      watch.stop()
    })
  })
})

describe('an edit of the environment', () => {
  const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }

  let folder: string
  let baseUrl: string
  let cache: Cache
  let synchronisation: Synchronisation
  /** The service waits for this before it answers with anything beyond its first page. */
  let answering: Promise<void>
  let requests: string[]

  const serviceOf = (name: string): string => `https://${name}.example.com`

  /** A service of 250 deployments with the service's name. */
  function answer(target: string, query: URLSearchParams | undefined): HttpAnswer {
    const name = new URL(target).hostname.split('.')[0]!
    const offset = Number(query?.get('offset') ?? 0)
    const limit = Number(query?.get('limit') ?? 100)
    const ids = query?.get('deployment_ids')?.split(',')
    const all = Array.from({ length: 250 }, (_, index) =>
      answered(index + (name === 'old' ? 0 : 1000), { name: `${name}-${String(index).padStart(3, '0')}` }),
    )
    const resources = ids
      ? all.filter(({ id }) => ids.includes(id as string))
      : all.slice(offset, offset + limit)
    return { status: 200, body: pageBody(resources, offset + resources.length) }
  }

  beforeEach(() => {
    folder = temporaryFolder()
    baseUrl = serviceOf('old')
    answering = Promise.resolve()
    requests = []
    const target = () => Promise.resolve(succeed({ environmentId: 'e', baseUrl, headers: {} }))
    cache = createCache({
      process: createStoreProcess({
        fork() {
          const caches = createRequestHandler()
          let listener: (message: unknown) => void = () => undefined
          return {
            postMessage(message) {
              const { id, request } = message as CacheCall
              const reply = caches.answer(request)
              queueMicrotask(() => listener({ id, ...reply }))
            },
            onMessage: (own) => (listener = own),
            onExit: () => undefined,
            kill: () => undefined,
          }
        },
      }),
      keys: { keyFor: () => Promise.resolve(succeed('ab'.repeat(32))), forget: () => Promise.resolve() },
      exists: () => true,
      target,
      folder,
      notice: ({ kind, environmentId }) => {
        if (kind === 'other-service') synchronisation.renew(environmentId)
      },
    })
    const http = {
      async request({ target: { baseUrl: to }, query }) {
        requests.push(`${to} ${query?.get('offset') ?? ''}`)
        const outcome = succeed(answer(to, query))
        if (query?.get('offset') !== '0') await answering
        return outcome
      },
    } as HttpClient
    synchronisation = synchroniseOne(
      async () =>
        succeed({ target: (await target()).ok ? { environmentId: 'e', baseUrl, headers: {} } : null }),
      http,
      cache,
    )
  })
  afterEach(async () => {
    await synchronisation.close()
    await cache.close()
  })

  async function shown(): Promise<CachedPage> {
    const page = await cache.ask('e', 'page', { request: { query, offset: 0, limit: 200, snapshot: null } })
    if (!page.ok) throw new Error(page.failure.message)
    return page.value
  }

  const idle = (): Promise<void> =>
    expect.poll(async () => (await synchronisation.state('e')).progress, { timeout: 20_000 }).toBeNull()

  async function expectOnlyNew(): Promise<void> {
    await synchronisation.start('e')
    await idle()
    const { total, deployments } = await shown()
    expect(total).toBe(250)
    expect(deployments.filter(({ name }) => !name.startsWith('new-'))).toEqual([])
    expect((await synchronisation.state('e')).cache).toMatchObject({ deployments: 250, gone: 0 })
  }

  test("a synchronisation that runs during an edit of the environment writes nothing into the new service's cache", async () => {
    let release: () => void = () => undefined
    answering = new Promise((resolve) => (release = resolve))
    await synchronisation.start('e')
    await expect.poll(() => requests.some((line) => !line.endsWith(' 0'))).toBe(true)
    expect((await shown()).total).toBe(100)
    baseUrl = serviceOf('new')
    release()
    expect((await shown()).total).toBe(0)
    await idle()
    const state = await synchronisation.state('e')
    expect(state).toMatchObject({ last: null, cache: { deployments: 0, synchronisedAt: null } })
    await expectOnlyNew()
  })

  test("an interrupted synchronisation leaves nothing in another service's cache", async () => {
    let release: () => void = () => undefined
    answering = new Promise((resolve) => (release = resolve))
    await synchronisation.start('e')
    await expect.poll(() => requests.some((line) => !line.endsWith(' 0'))).toBe(true)
    const closing = synchronisation.close()
    release()
    await closing
    requests = []
    baseUrl = serviceOf('new')
    expect((await shown()).deployments).toEqual([])
  })
})

describe('their schedule', () => {
  const minute = 60_000

  test('is due at once if it never ran, otherwise after the interval, and never at 0', () => {
    expect(new Schedule(null).isDue(0, 15)).toBe(true)
    expect(new Schedule(0).isDue(14 * minute, 15)).toBe(false)
    expect(new Schedule(0).isDue(15 * minute, 15)).toBe(true)
    expect(new Schedule(null).isDue(1e12, 0)).toBe(false)
  })

  const waitOf = (schedule: Schedule): number | undefined =>
    Array.from({ length: 61 }, (_, minutes) => minutes).find((at) => schedule.isDue(at * minute, 5))

  test('is due again at once after a failure, waits longer after each further one, an hour at most, and not after a success', () => {
    const schedule = new Schedule(null)
    const waits = Array.from({ length: 9 }, () => {
      schedule.ended(0, 0, 'failed')
      return waitOf(schedule)
    })
    expect(waits).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60])
    schedule.ended(0, 0, 'well')
    expect(waitOf(schedule)).toBe(5)
    schedule.ended(0, 0, 'failed')
    expect(waitOf(schedule)).toBe(0)
  })

  test('waits a minute after it was cancelled', () => {
    const schedule = new Schedule(0)
    schedule.ended(0, 0, 'cancelled')
    expect(waitOf(schedule)).toBe(1)
  })
})
