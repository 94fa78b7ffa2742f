import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Outcome, succeed } from '@contract'
import { type CachedPage } from '@contract/cache'
import * as fc from 'fast-check'
import { describe, afterAll, afterEach, beforeAll, beforeEach, expect, test, vi, it } from 'vitest'
import { type Cache, type CacheNotice, createCache } from '../../../../electron/main/processes/cache-client'
import { buildCacheProgram, type CacheProgram } from '../../../support/cache/cache-process'
import { pageBody, several } from '../../../support/builders/answer-bodies'
import { processRuns } from '../../../support/properties/runs'
import { temporaryFolder } from '../../../support/temporary-folder'
import { createStoreProcess } from '../../../../electron/main/processes/store-process'
import type { KeychainRequest } from '../../../../electron/cache/protocol'
import { callKeychain, type Keytar } from '../../../../electron/cache/keychain'

describe('the process', () => {
  // Each case starts processes of its own.
  vi.setConfig({ testTimeout: Math.max(120_000, 3_000 * processRuns) })

  const key = 'ab'.repeat(32)
  const size = 120
  const integrationId = '11111111-2222-4333-8444-555555555555'
  const repositories = Buffer.from('[]')
  const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }

  let program: CacheProgram
  let folder: string
  let cache: Cache
  let notices: CacheNotice[]

  beforeAll(async () => {
    program = await buildCacheProgram()
  })
  afterAll(() => program.remove())

  function makeCache(): Cache {
    return createCache({
      process: createStoreProcess({ fork: program.fork, startsAMinute: Number.POSITIVE_INFINITY }),
      keys: { keyFor: () => Promise.resolve(succeed(key)), forget: () => Promise.resolve() },
      exists: () => true,
      target: (environmentId) =>
        Promise.resolve(succeed({ environmentId, baseUrl: 'https://one.example.com', headers: {} })),
      folder,
      notice: (notice) => notices.push(notice),
    })
  }

  beforeEach(() => {
    folder = temporaryFolder()
    notices = []
    cache = makeCache()
  })
  afterEach(async () => {
    await cache.close()
  })

  const file = (name = 'e'): string => join(folder, `${name}.db`)
  const moment = (at: number) => ({ sentAt: at, receivedAt: at + 10 })

  async function write(resources: unknown[], at = 1_000): Promise<Outcome<unknown>> {
    const from = await cache.service('e')
    if (!from.ok) return from
    return cache.ask('e', 'write-page', { body: pageBody(resources), span: moment(at), run: 1 }, from.value)
  }

  async function fill(): Promise<void> {
    const from = await cache.service('e')
    if (!from.ok) throw new Error(from.failure.message)
    expect((await write(several(size))).ok).toBe(true)
    await cache.ask('e', 'bulk', { on: false }, from.value)
    const span = moment(1_000)
    await cache.ask('e', 'write-repositories', { integrationId, body: repositories, span }, from.value)
  }

  /** Repeats requests until the cache answers: the process may end once or twice before a file is set aside. */
  async function eventually<T>(ask: () => Promise<Outcome<T>>): Promise<T> {
    let last = ''
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const outcome = await ask()
      if (outcome.ok) return outcome.value
      last = `${outcome.failure.message} ${outcome.failure.advice ?? ''}`
    }
    throw new Error(`the cache does not answer any more: ${last}`)
  }

  const page = (search = ''): Promise<Outcome<CachedPage>> =>
    cache.ask('e', 'page', {
      request: { query: { ...query, search }, offset: 0, limit: 200, snapshot: null },
    })

  test('after any byte of the file is changed, the cache recovers', async () => {
    await fill()
    await cache.close()
    const original = readFileSync(file())
    const change = fc.record({
      at: fc.integer({ min: 0, max: original.length - 1 }),
      bits: fc.integer({ min: 1, max: 255 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const bytes = Buffer.from(original)
        for (const { at, bits } of changes) bytes[at]! ^= bits
        for (const name of readdirSync(folder)) rmSync(join(folder, name))
        writeFileSync(file(), bytes)
        cache = makeCache()
        await eventually(() => page())
        const from = await cache.service('e')
        const changed = several(size).map((one) => ({ ...one, updated_at: new Date().toISOString() }))
        await eventually(() => write(changed, 2_000))
        await eventually(() => cache.ask('e', 'bulk', { on: false }, from.ok ? from.value : ''))
        const shown = await eventually(() => page())
        expect(shown.deployments.map(({ id }) => id)).toEqual(several(size).map(({ id }) => id))
        await cache.close()
      }),
      // The change hides a row from the index of identifiers.
      { numRuns: 10, examples: [[[{ at: 20_260, bits: 1 }]]] },
    )
  })

  test('a process that is killed at any time loses nothing that was written, and shows nothing wrong', async () => {
    await fill()
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 5 }),
        async (delay, pages) => {
          const writing = Array.from({ length: pages }, (_, index) =>
            write(several(100, index * 100), 5_000 + index),
          )
          await new Promise((resolve) => setTimeout(resolve, delay))
          program.started.at(-1)?.kill('SIGKILL')
          await Promise.all(writing)
          const shown = await eventually(() => page())
          // All of a page or none of it.
          expect([size, 200, 300, 400, 500]).toContain(shown.total)
          expect(shown.total).toBeGreaterThanOrEqual(size)
        },
      ),
      { numRuns: processRuns },
    )
    expect(notices).toEqual([])
  })

  test.skipIf(process.platform !== 'linux')(
    'a disk that is full at any time loses no written content, and later content is stored again',
    async () => {
      await fill()
      const { size: bytes } = statSync(file())
      let full = 0
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 2 * bytes }), async (limit) => {
          const pid = program.started.at(-1)?.pid
          execFileSync('prlimit', [`--pid=${pid}`, `--fsize=${limit}:`])
          const outcomes = [await write(several(300), 6_000), await write(several(300, 300), 6_000)]
          for (const outcome of outcomes) {
            if (outcome.ok) continue
            expect(outcome.failure.code).toBe('disk-full')
            full += 1
          }
          expect((await eventually(() => page())).total).toBeGreaterThanOrEqual(size)
          execFileSync('prlimit', [`--pid=${pid}`, '--fsize=unlimited:'])
          expect((await write(several(300), 7_000)).ok).toBe(true)
        }),
        { numRuns: processRuns },
      )
      expect(full).toBeGreaterThan(0)
      const told = notices.map((notice) => (notice.kind === 'unwritten' ? notice.reason : notice.kind))
      expect(new Set(told)).toEqual(new Set(['disk-full', 'written-again']))
      expect(notices.at(-1)?.kind).toBe('written-again')
    },
  )
})

describe('keytar', () => {
  function memory(): Keytar {
    const entries = new Map<string, string>()
    return {
      getPassword: async (service, account) => entries.get(`${service}/${account}`) ?? null,
      setPassword: async (service, account, password) => void entries.set(`${service}/${account}`, password),
      deletePassword: async (service, account) => entries.delete(`${service}/${account}`),
    }
  }

  const get: KeychainRequest = { call: 'get', service: 'S', account: 'a' }

  it("answers each call with keytar's result", async () => {
    const keytar = memory()
    const value = async (request: KeychainRequest): Promise<unknown> => {
      const reply = await callKeychain(request, () => keytar)
      return reply.ok ? reply.value : reply
    }
    expect(await value(get)).toBeNull()
    expect(await value({ ...get, call: 'set', value: 'v' })).toBeNull()
    expect(await value(get)).toBe('v')
    expect(await value({ ...get, call: 'delete' })).toBe(true)
    expect(await value({ ...get, call: 'delete' })).toBe(false)
  })

  it("reports that keytar can't be loaded, and that the keychain refuses", async () => {
    const missing = (): Keytar => {
      throw new Error('Failed to load keytar native addon')
    }
    expect(await callKeychain(get, missing)).toEqual({
      ok: false,
      problem: 'library',
      words: 'Failed to load keytar native addon',
    })
    const refusing = { ...memory(), getPassword: () => Promise.reject<null>(new Error('no')) }
    expect(await callKeychain(get, () => refusing)).toMatchObject({ problem: 'keychain', words: 'no' })
  })
})
