import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CachedPage } from '@contract/cache'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRequestHandler } from '../../../../../electron/cache/request-handler'
import { createStore, type Store } from '../../../../../electron/cache/store'
import { openFile, openMemory } from '../../../../../electron/cache/store/file'
import { answered, pageBody, several } from '../../../../support/builders/cached-deployments'
import { temporaryFolder } from '../../../../support/temporary-folder'

const key = 'ab'.repeat(32)
const span = { sentAt: 1_000, receivedAt: 1_010 }
const opening = { op: 'open', environmentId: 'e', key, service: 'one' } as const

const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }

let folder: string
let file: string

beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'cache', 'e.db')
})

function fill(at = file, withKey = key, resources: unknown[] = several(100)): void {
  const store = createStore(openFile(at, withKey))
  store.writePage(pageBody(resources), span, 1)
  store.bulk(false)
  store.close()
}

const pageOf = (store: Store, more: Partial<typeof query> = {}): CachedPage =>
  JSON.parse(
    store.page({ query: { ...query, ...more }, offset: 0, limit: 200, snapshot: null }),
  ) as CachedPage

test('the folder and all its files are for their owner only, even existing ones', () => {
  fill()
  chmodSync(join(folder, 'cache'), 0o755)
  for (const name of readdirSync(join(folder, 'cache'))) chmodSync(join(folder, 'cache', name), 0o644)
  const store = createStore(openFile(file, key))
  store.writePage(pageBody(several(5, 200)), span, 1)
  const names = readdirSync(join(folder, 'cache'))
  expect(names).toEqual(expect.arrayContaining(['e.db', 'e.db-wal', 'e.db-shm']))
  for (const name of names) expect(statSync(join(folder, 'cache', name)).mode & 0o777, name).toBe(0o600)
  expect(statSync(join(folder, 'cache')).mode & 0o777).toBe(0o700)
  store.close()
})

test('a file with another schema is set aside, and a new one is created', async () => {
  fill()
  const { db } = openFile(file, key)
  db.exec('pragma user_version = 99')
  db.close()
  const caches = createRequestHandler()
  const opened = await caches.answer({ ...opening, file })
  expect(opened.ok && JSON.parse(opened.text)).toMatchObject({ setAside: { reason: 'damaged' } })
  const state = await caches.answer({ op: 'state', environmentId: 'e' })
  expect(state.ok && JSON.parse(state.text)).toMatchObject({ deployments: 0 })
  await caches.answer({ op: 'close', environmentId: 'e' })
})

describe('any text', () => {
  let store: Store
  beforeEach(() => {
    store = createStore(openMemory())
  })
  afterEach(() => store.close())

  const odd = ['a\0b', '\0', 'half\ud800', '\udc00half', '\uffff', '"\\\n', 'x'.repeat(500)]

  test('is stored, found and shown as in the answer', () => {
    const anyText = fc.oneof(
      fc.constantFrom(...odd),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
      fc
        .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 20 })
        .map((units) => String.fromCharCode(...units)),
    )
    // Without half of a surrogate pair, which makes an identifier unreadable.
    const id = anyText.map((text) => Buffer.from(text).toString())
    const deployment = fc.record({ id, name: anyText, status: anyText, tenant_id: anyText })
    let time = 1_000
    fc.assert(
      fc.property(fc.array(deployment, { minLength: 1, maxLength: 5 }), anyText, (some, integrationId) => {
        store.close()
        store = createStore(openMemory())
        const resources = some.map((more, index) => answered(index, more))
        const last = new Map(resources.map((resource) => [resource.id as string, resource]))
        for (let round = 0; round < 2; round += 1) {
          time += 1_000_000
          const at = { sentAt: time, receivedAt: time }
          const written = store.writePage(pageBody(resources), at, time)
          expect(written.items.map(({ id }) => id).sort()).toEqual([...last.keys()].sort())
          if (round === 1) expect(new Set(written.items.map(({ was }) => was))).toEqual(new Set(['same']))
        }
        store.bulk(false)
        for (const [id, resource] of last) {
          const found = JSON.parse(store.deployment(id)?.json ?? 'null') as unknown
          expect(found).toEqual({ ...resource, secrets: [{ name: 'TOKEN', value: '' }] })
        }
        const shown = new Map(pageOf(store).deployments.map((summary) => [summary.id, summary]))
        for (const [id, resource] of last) {
          expect(shown.get(id)).toMatchObject({ name: resource.name, status: resource.status })
        }
        const [first] = [...last.keys()]
        const search = String(last.get(first!)?.name).slice(0, 200)
        if (search.trim() !== '' && !/[A-Z]/i.test(search)) {
          expect(pageOf(store, { search }).deployments.length).toBeGreaterThan(0)
        }
        const unseen = store.unseen(time + 1, 0, 1000).ids
        expect(unseen.sort()).toEqual([...last.keys()].sort())
        store.writeRepositories(integrationId, Buffer.from('[]'), { sentAt: time, receivedAt: time })
        expect(store.repositories(integrationId)?.json).toBe('[]')
        const gone = { sentAt: time + 1, receivedAt: time + 1 }
        expect(store.markGone([...last.keys()], gone)).toBe(last.size)
        expect(store.cleanUp(time + 2)).toBe(last.size)
        expect(store.state().deployments).toBe(0)
      }),
    )
  })

  test('of a megabyte is stored completely, and shortened in the list', () => {
    const name = 'agent'.repeat(200_000)
    store.writePage(pageBody([answered(1, { name }), answered(2, { id: 'i'.repeat(501) })]), span, 1)
    const [shown, none] = pageOf(store).deployments
    expect(none).toBeUndefined()
    expect(shown?.name).toHaveLength(501)
    expect(shown?.name.endsWith('…')).toBe(true)
    expect((JSON.parse(store.deployment(String(answered(1).id))?.json ?? '') as { name: string }).name).toBe(
      name,
    )
  })
})

describe('a cache of another service', () => {
  test('keeps the chosen interval of the environment', async () => {
    const caches = createRequestHandler()
    const interval = { environmentId: 'e', key: 'sync-interval' }
    await caches.answer({ ...opening, file, service: 'one' })
    await caches.answer({ op: 'write-note', ...interval, value: '0' })
    await caches.answer({ ...opening, file, service: 'one, with a renewed key' })
    expect(await caches.answer({ op: 'read-note', ...interval })).toEqual({ ok: true, text: '"0"' })
    await caches.answer({ op: 'close', environmentId: 'e' })
  })

  test('is removed before any answer, in any order of services', async () => {
    const caches = createRequestHandler()
    const open = async (service: string) => {
      const opened = await caches.answer({ ...opening, file, service })
      return opened.ok ? (JSON.parse(opened.text) as { otherService: boolean }).otherService : null
    }
    const count = async () => {
      const state = await caches.answer({ op: 'state', environmentId: 'e' })
      return state.ok ? (JSON.parse(state.text) as { deployments: number }).deployments : null
    }
    expect(await open('one')).toBe(false)
    await caches.answer({ op: 'write-page', environmentId: 'e', body: pageBody(several(3)), span, run: 1 })
    expect(await open('one')).toBe(false)
    expect(await count()).toBe(3)
    expect(await open('two')).toBe(true)
    expect(await count()).toBe(0)
    expect(await open('one')).toBe(true)
    expect(await count()).toBe(0)
    await caches.answer({ op: 'close', environmentId: 'e' })
    expect(existsSync(file)).toBe(true)
  })
})
