import { fail, failure, type Outcome, succeed } from '@contract'
import type { CachedPage } from '@contract/cache'
import type { CacheRequest } from '../../../../../electron/cache/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type AllCaches,
  createAllCaches,
  type EnvironmentAnswer,
} from '../../../../../electron/main/features/all-caches'
import {
  type Cache,
  type CacheNotice,
  createCache,
} from '../../../../../electron/main/processes/cache-client'
import { answered, pageBody } from '../../../../support/builders/answer-bodies'
import { forkCacheHere } from '../../../../support/cache/cache-here'
import { temporaryFolder } from '../../../../support/temporary-folder'
import { createStoreProcess } from '../../../../../electron/main/processes/store-process'

// Each case starts processes of its own.
vi.setConfig({ testTimeout: 120_000 })
import '../../../../support/properties/property-seed'

const span = { sentAt: 1_000, receivedAt: 1_010 }
const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }
const request = { query, offset: 0, limit: 200, snapshot: null }
const locked: Outcome<never> = fail(failure('keychain-locked', 'The keychain is locked.'))

let folder: string
let notices: CacheNotice[]
/** The base URL that each environment leads to. */
let places: Map<string, string>
/** The keys in the keychain. */
let keys: Map<string, string>
let isLocked: boolean
/** The accounts of the keys that were asked for, in this order. */
let askedKeys: string[]
let onKey: () => void
/** Called before the process gets a request. */
let before: (request: CacheRequest) => void
let isOpen: Set<string>
let cache: Cache
let allCaches: AllCaches

/** The client of the cache process, as after a restart. */
function start(started: Promise<unknown> = Promise.resolve()): void {
  isOpen = new Set()
  const process = forkCacheHere()
  cache = createCache({
    process: createStoreProcess({
      fork: () => ({
        ...process,
        postMessage(message) {
          const { request } = message as { request: CacheRequest }
          if (request.op === 'open') isOpen.add(request.environmentId)
          if (request.op === 'close' || request.op === 'remove') isOpen.delete(request.environmentId)
          before(request)
          process.postMessage(message)
        },
      }),
    }),
    keys: {
      async keyFor(account) {
        askedKeys.push(account)
        onKey()
        if (isLocked) return locked
        const key = keys.get(account) ?? String(keys.size).padStart(64, 'a')
        keys.set(account, key)
        return succeed(key)
      },
      forget: async (account) => void keys.delete(account),
    },
    exists: (id) => places.has(id),
    target: async (environmentId) => {
      const baseUrl = places.get(environmentId)
      return baseUrl === undefined ? locked : succeed({ environmentId, baseUrl, headers: {} })
    },
    folder,
    notice: (notice) => notices.push(notice),
  })
  const environments = {
    state: () => ({ environments: [...places.keys()].map((id) => ({ id })) }),
  } as unknown as Parameters<typeof createAllCaches>[1]
  allCaches = createAllCaches(cache, environments, started)
}

/** Fills the cache of an environment with a deployment that is named after the service there. */
async function fill(id: string): Promise<void> {
  const name = `of ${places.get(id)}`
  const from = await cache.service(id)
  if (!from.ok) throw new Error(from.failure.message)
  const body = pageBody([answered(1, { name })])
  await cache.ask(id, 'write-page', { body, span, run: null }, from.value)
  await cache.ask(id, 'write-note', { key: 'synchronised-at', value: '1000' }, from.value)
}

const namesIn = (answer: EnvironmentAnswer<CachedPage> | undefined): unknown =>
  answer?.state === 'cached' ? answer.value.deployments.map(({ name }) => name) : answer?.state

async function names(): Promise<Record<string, unknown>> {
  const answers = await allCaches.ask('page', { request })
  return Object.fromEntries(answers.map((answer) => [answer.environmentId, namesIn(answer)]))
}

async function addAll(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `e${index}`)
  for (const id of ids) places.set(id, `https://${id}.example.com`)
  for (const id of ids) await fill(id)
  await cache.close()
  start()
  askedKeys = []
  return ids
}

beforeEach(() => {
  folder = temporaryFolder()
  notices = []
  places = new Map([['a', 'https://a.example.com']])
  keys = new Map()
  isLocked = false
  askedKeys = []
  onKey = () => undefined
  before = () => undefined
  start()
})
afterEach(async () => {
  await cache.close()
})

describe('reading caches', () => {
  test('asks the keychain once for each of many', async () => {
    const ids = await addAll(60)
    places.delete('a')
    const expected = Object.fromEntries(ids.map((id) => [id, [`of https://${id}.example.com`]]))
    // Two screens at a time.
    expect(await Promise.all([names(), names()])).toEqual([expected, expected])
    await names()
    expect([...askedKeys].sort()).toEqual(ids.map((id) => `cache-key-${id}`).sort())
    expect(notices).toEqual([])
  })

  test('reads nothing before startup is complete', async () => {
    await fill('a')
    await cache.close()
    let end = (): void => undefined
    start(new Promise<void>((resolve) => (end = resolve)))
    askedKeys = []
    const reading = names()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(askedKeys).toEqual([])
    end()
    expect(await reading).toEqual({ a: ['of https://a.example.com'] })
  })

  test('asks a locked keychain once, fails, and keeps no cache in memory for it', async () => {
    await addAll(20)
    await cache.ask('e7', 'state', {})
    isLocked = true
    askedKeys = []
    const answers = await allCaches.ask('page', { request })
    expect(answers.find(({ environmentId }) => environmentId === 'e7')).toMatchObject({ state: 'cached' })
    expect(answers.filter(({ state }) => state === 'failed')).toHaveLength(19)
    expect(answers.find(({ environmentId }) => environmentId === 'e3')).toMatchObject({
      failure: { code: 'keychain-locked' },
    })
    // Those that were being read at that time.
    expect(askedKeys.length).toBeLessThanOrEqual(4)
    expect([...isOpen]).toEqual(['e7'])
    expect(notices).toEqual([])
  })
})

describe('nothing of one environment appears under the name of another', () => {
  test('whatever is edited, synchronised, removed and read at the same time', async () => {
    const environment = fc.constantFrom('x', 'y', 'z')
    const service = fc.constantFrom('1', '2', '3')
    const step = fc.oneof(
      fc.record({ act: fc.constant('read' as const) }),
      fc.record({ act: fc.constant('fill' as const), environment }),
      fc.record({ act: fc.constant('edit' as const), environment, service }),
      fc.record({ act: fc.constant('remove' as const), environment }),
      fc.record({ act: fc.constant('wait' as const) }),
    )
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
        runs += 1
        places = new Map(['x', 'y', 'z'].map((name) => [`${name}${runs}`, `https://${name}.example.com`]))
        for (const id of places.keys()) await fill(id)
        const running: Promise<unknown>[] = []
        for (const one of steps) {
          if (one.act === 'wait') await new Promise((resolve) => setImmediate(resolve))
          else if (one.act === 'read') running.push(expectOwn())
          else {
            const id = `${one.environment}${runs}`
            if (!places.has(id)) continue
            if (one.act === 'edit') places.set(id, `https://${one.service}.example.com`)
            if (one.act === 'fill') running.push(fill(id).catch(() => undefined))
            if (one.act === 'remove') {
              places.delete(id)
              running.push(cache.remove(id))
            }
          }
        }
        await Promise.all(running)
        await expectOwn()
      }),
    )
  })

  /** Each answer is from the service that its environment leads to at that time. */
  async function expectOwn(): Promise<void> {
    const ids = [...places.keys()]
    await Promise.all(
      ids.map(async (id) => {
        const [answer] = await allCaches.ask('page', { request }, { environmentIds: [id] })
        const own = `of ${places.get(id)}`
        if (answer?.state === 'cached') expect(namesIn(answer)).toEqual([own])
        else expect(['not-synchronised', 'failed', undefined]).toContain(answer?.state)
      }),
    )
  }
})
