import { failure, fail, type NetworkSettings, succeed, systemNetwork } from '@contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CacheRequest } from '../../../../../../electron/contract/cache'
import {
  type Cache,
  type CacheNotice,
  createCache,
} from '../../../../../../electron/main/processes/cache-client'
import { answered, pageBody, several } from '../../../../../support/builders/cached-deployments'
import { forkCacheHere } from '../../../../../support/cache/cache-here'
import { temporaryFolder } from '../../../../../support/temporary-folder'
import { createStoreProcess } from '../../../../../../electron/main/processes/store-process'

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
        Promise.resolve(locked ? fail(failure('keychain-locked', 'The keychain is locked.')) : succeed(key)),
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
