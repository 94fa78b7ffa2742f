import { succeed } from '@contract'
import type { CachedPage } from '@contract/cache'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRequestHandler } from '../../../../../../electron/cache/request-handler'
import type { CacheCall } from '../../../../../../electron/contract/cache'
import { type Cache, createCache } from '../../../../../../electron/main/processes/cache-client'
import type { HttpAnswer, HttpClient } from '../../../../../../electron/main/http/types'
import { type Synchronisation } from '../../../../../../electron/main/features/sync'
import { answered, pageBody } from '../../../../../support/builders/cached-deployments'
import { synchroniseOne } from '../../../../../support/sync/one-environment'
import { temporaryFolder } from '../../../../../support/temporary-folder'
import { createStoreProcess } from '../../../../../../electron/main/processes/store-process'

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
            void caches.answer(request).then((reply) => listener({ id, ...reply }))
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
