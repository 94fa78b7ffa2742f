import { type Answers, fail, failure, succeed, type Failure } from '@contract'
import type { SyncState } from '@contract/cache'
import type { CacheFailureCode, CacheRequest } from '../../../../../electron/cache/protocol'
import { afterEach, beforeEach, describe, expect, test, it, vi } from 'vitest'
import {
  createOffline as createClient,
  type Offline,
  withFallback,
} from '../../../../../electron/main/features/offline'
import type { Environments } from '../../../../../electron/main/environments'
import type { HttpClient } from '../../../../../electron/main/http/client'
import type { Journal } from '../../../../../electron/main/stored/journal'
import { createFileKeys, type Keychain } from '../../../../../electron/main/processes/keychain'
import { pageBody, several } from '../../../../support/builders/answer-bodies'
import { forkCacheHere } from '../../../../support/cache/cache-here'
import { temporaryFolder } from '../../../../support/temporary-folder'
import { createStoreProcess } from '../../../../../electron/main/processes/store-process'
import { JsonText } from '../../../../../electron/main/processes/answers'
import type { Cache } from '../../../../../electron/main/processes/cache-client'
import { type Deployments, noSuchDeployment } from '../../../../../electron/main/features/deployments/list'

describe('storing answers', () => {
  let folder: string
  let entries: Map<string, string>
  let locked: boolean
  /** The service waits for this before it answers. */
  let answering: Promise<void>
  let client: Offline | null
  let current: string
  /** The requests that the cache process refuses. */
  let refused: Partial<Record<CacheRequest['op'], CacheFailureCode>>
  /** The caches that were reported as set aside. */
  let aside: string[]

  const keychain = (): Keychain => ({
    looksEmptyWhenLocked: true,
    entryLimit: null,
    get: async (account) => succeed(locked ? null : (entries.get(account) ?? null)),
    async set(account, value) {
      if (locked) return fail(failure('keychain-locked', 'The keychain is locked.'))
      entries.set(account, value)
      return succeed(null)
    },
    delete: async () => succeed(false),
    giveUp: () => undefined,
    renew: () => undefined,
  })

  /** Ends the running parts, and starts as after a restart. */
  async function restart(): Promise<Offline> {
    await client?.close()
    client = createClient({
      process: createStoreProcess({ fork: () => forkCacheHere({ refuses: (op) => refused[op] ?? null }) }),
      folder,
      keys: createFileKeys(keychain()),
      environments: {
        destination: () => null,
        state: () => ({
          currentEnvironmentId: current,
          environments: [{ id: 'e', name: 'Harbour', profile: {} }],
        }),
        ready: () => Promise.resolve(succeed({ target: { environmentId: 'e', baseUrl: '', headers: {} } })),
      } as unknown as Environments,
      http: {
        async request({ query }) {
          await answering
          const body = query?.get('offset') === '0' ? pageBody(several(5)) : pageBody([], 5)
          return succeed({ status: 200, json: null, body })
        },
      } as HttpClient,
      mayAnswer: () => true,
      isShown: () => false,
      journal: {
        beginSynchronisation: () => Promise.resolve('1'),
        endSynchronisation: () => Promise.resolve(),
      } as unknown as Journal,
      changed: () => undefined,
      setAside: (file) => aside.push(file),
      report: (error) => {
        throw error
      },
    })
    return client
  }

  async function expectState(state: Partial<SyncState>): Promise<void> {
    await expect.poll(() => client?.synchronisation.state('e')).toMatchObject(state)
  }

  beforeEach(() => {
    folder = temporaryFolder()
    entries = new Map()
    locked = false
    answering = Promise.resolve()
    client = null
    current = 'e'
    refused = {}
    aside = []
  })
  afterEach(async () => {
    await client?.close()
  })

  test('a cache that returns to the disk has its interval and its last synchronisation', async () => {
    const first = await restart()
    await first.synchronisation.setInterval('e', 0)
    await first.synchronisation.start('e')
    await expectState({
      progress: null,
      last: expect.objectContaining({ end: 'complete' }) as SyncState['last'],
    })

    locked = true
    const second = await restart()
    await second.start()
    await expectState({ storage: 'memory', intervalMinutes: 15 })
    locked = false
    await second.noteKeychain()
    await expectState({ storage: 'disk', intervalMinutes: 0, problem: null })
  })

  test('a running synchronisation continues, and fills the cache on the disk', async () => {
    // The file must exist. Then a keychain without the key is a locked one.
    await (await restart()).start()
    locked = true
    const second = await restart()
    let release: () => void = () => undefined
    answering = new Promise((resolve) => (release = resolve))
    await second.synchronisation.start('e')
    await expectState({ storage: 'memory', progress: expect.anything() as SyncState['progress'] })
    locked = false
    await second.noteKeychain()
    await expectState({ storage: 'disk', progress: expect.anything() as SyncState['progress'] })
    release()
    await expectState({
      storage: 'disk',
      progress: null,
      cache: expect.objectContaining({ deployments: 5 }) as SyncState['cache'],
    })
  })

  describe('what could not be written', () => {
    const readPage = (of: Offline) =>
      of.http.request({
        target: { environmentId: 'e', baseUrl: '', headers: {} },
        cachedAs: { op: 'write-page', run: null, by: 'page' },
        method: 'GET',
        path: '/v2/deployments',
        query: new URLSearchParams({ offset: '0' }),
      })

    test.each([
      ['disk-full', /^The disk is full/],
      ['internal', /^The cache and its history couldn't be written/],
    ] as const)('is a problem until the next answer is written: %s', async (code, text) => {
      const offline = await restart()
      await offline.start()
      refused = { 'write-page': code }
      expect(await readPage(offline)).toMatchObject({ ok: true })
      await expectState({ problem: expect.stringMatching(text) as string })
      expect(offline.synchronisation.problemOf('e')).toMatch(text)
      refused = {}
      await readPage(offline)
      await expectState({ problem: null })
    })

    test.each(['disk-full', 'internal'] as const)(
      'of the end of a synchronisation makes it fail: %s',
      async (code) => {
        const offline = await restart()
        await offline.start()
        refused = { synchronised: code }
        await offline.synchronisation.start('e')
        await expectState({
          progress: null,
          last: expect.objectContaining({ end: 'failed', covered: 5 }) as SyncState['last'],
          problem: expect.any(String) as string,
        })
        refused = {}
        await offline.synchronisation.start('e')
        await expectState({
          progress: null,
          last: expect.objectContaining({ end: 'complete' }) as SyncState['last'],
          problem: null,
        })
      },
    )
  })
})

describe('reading them', () => {
  const { signal } = new AbortController()

  /** Parts whose service fails, and a cache that returns this text. */
  function served(reason: Failure, text: string) {
    const cached = succeed(new JsonText<null>(text))
    const askText = vi.fn(() => Promise.resolve(cached))
    const failing = () => Promise.resolve(fail(reason))
    const parts = { 'deployments.get': failing, 'repositories.list': failing } as unknown as Deployments &
      Answers<'repositories'>
    const answers = withFallback(parts, { askText } as unknown as Pick<Cache, 'askText'>)
    return {
      askText,
      cached,
      get: () => answers['deployments.get']({ environmentId: 'e', id: 'd' }, signal),
      list: () => answers['repositories.list']({ environmentId: 'e', integrationId: 'i' }, signal),
    }
  }

  it('returns the cached data of a deployment that the service no longer has, with when that was noticed', async () => {
    const { askText, cached, get } = served(noSuchDeployment, '{ "id":  "d" }')
    expect(await get()).toEqual(cached)
    expect(askText.mock.calls).toEqual([
      ['e', 'deployment', { id: 'd', missingAt: expect.stringMatching(/^\d{4}-.*Z$/) as string }],
    ])
    expect(await served(noSuchDeployment, 'null').get()).toEqual(fail(noSuchDeployment))
  })

  it('does not report a deployment as gone because one answer lacked it', async () => {
    const lacking = { ...noSuchDeployment, message: "The service's answer doesn't have this deployment." }
    const { askText, get } = served(lacking, '{}')
    expect(await get()).toEqual(fail(lacking))
    expect(askText).not.toHaveBeenCalled()
  })
})
