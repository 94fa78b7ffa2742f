import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CachedPage } from '@contract/cache'
import * as fc from 'fast-check'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRequestHandler, type RequestHandler } from '../../../../../electron/cache/request-handler'
import { createStore, type Store } from '../../../../../electron/cache/store'
import { openFile, openMemory, putAside } from '../../../../../electron/cache/store/file'
import { NoRoom, requireRoom } from '../../../../../electron/cache/store/limits'
import { answered, pageBody, several } from '../../../../support/builders/cached-deployments'
import { temporaryFolder } from '../../../../support/temporary-folder'

const key = 'ab'.repeat(32)
const span = { sentAt: 1_000, receivedAt: 1_010 }
const opening = { op: 'open', environmentId: 'e', key, service: 'one', setAside: false } as const

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

describe('the key', () => {
  test('matters to its last digit, and opens no file of another key', () => {
    fill()
    for (const other of [`${key.slice(0, -1)}c`, `${key.slice(0, 31)}c${key.slice(32)}`]) {
      const copy = join(folder, other.slice(-2) + other.slice(30, 33))
      for (const suffix of ['', '.header']) writeFileSync(copy + suffix, readFileSync(file + suffix))
      const opened = openFile(copy, other)
      expect(opened.setAside?.reason).toBe('wrong-key')
      opened.db.close()
    }
  })

  test('encrypts two files with the same content without any equal block', () => {
    const other = join(folder, 'cache', 'other.db')
    fill()
    fill(other)
    const blocksOf = (path: string): string[] => readFileSync(path).toString('hex').match(/.{32}/g) ?? []
    const blocks = new Set(blocksOf(file))
    // The first page of every database has 16 unencrypted bytes, such as the page size.
    expect(blocksOf(other).filter((block) => blocks.has(block)).length).toBeLessThanOrEqual(1)
  })
})

describe('content that another program changed', () => {
  const changes: [string, string][] = [
    ['a name that the list shows', `update detail set shown = replace(shown, 'agent-0007', 'agent-0666')`],
    ['the whole row of another one', `update detail set shown = (select shown from detail where seq = 3)`],
    ['the text of a deployment', `update detail set json = replace(json, 'main', 'evil')`],
    ['when it went', `update deployment set gone_at = 5`],
    ['its checksum', `update copy set hash = 'other'`],
    ['its identifier', `update copy set id = 'another'`],
  ]

  test.each(changes)('is removed and counted, not shown: %s', (_what, change) => {
    fill()
    const { db } = openFile(file, key)
    db.exec(`${change} where seq = 8`)
    db.close()
    const store = createStore(openFile(file, key))
    const shown = pageOf(store)
    const id = String(answered(7).id)
    const found = [store.deployment(id), store.deployment('another')]
    expect(found).toEqual([null, null])
    expect(JSON.stringify(shown.deployments)).not.toMatch(/agent-0666|another/)
    expect(store.takeDamaged()).toBe(1)
    expect(pageOf(store).total).toBe(99)
    store.writePage(pageBody([answered(7)]), { sentAt: 3_000, receivedAt: 3_010 }, 2)
    expect(pageOf(store).deployments.map(({ name }) => name)).toEqual(
      several(100).map((resource) => resource.name),
    )
    store.close()
  })

  test('is neither a list of repositories nor a note from which anything continues', () => {
    fill()
    const store = createStore(openFile(file, key))
    store.writeRepositories('i', Buffer.from('[]'), span)
    store.writeNote('sync-run', '{"run":1}')
    store.close()
    const { db } = openFile(file, key)
    db.exec(
      `update repositories set json = '[ ]'; update note set value = '{"run":9}' where key = 'sync-run'`,
    )
    db.close()
    const again = createStore(openFile(file, key))
    expect(again.repositories('i')).toBeNull()
    expect(() => again.readNote('sync-run')).toThrow('was changed')
    again.close()
  })
})

test.each([
  ['service', 'one', 'one'],
  ['open', 'one', 'one'],
  ['sync-interval', 'one', 'two'],
])('a cache whose note "%s" is damaged is set aside once it is opened', async (note, before, after) => {
  const caches = createRequestHandler(() => Promise.resolve())
  await caches.answer({ ...opening, file, service: before })
  await caches.answer({ op: 'write-note', environmentId: 'e', key: 'sync-interval', value: '60' })
  await caches.answer({ op: 'close', environmentId: 'e' })
  const { db } = openFile(file, key)
  db.prepare('insert or replace into note (key, value, tag) values (?, ?, ?)').run(note, 'one', 'damaged')
  db.close()
  const opened = await caches.answer({ ...opening, file, service: after })
  expect(opened.ok && JSON.parse(opened.text)).toMatchObject({ setAside: { reason: 'damaged' } })
  expect(readdirSync(join(folder, 'cache')).filter((name) => name.includes('.damaged-'))).not.toEqual([])
  expect(await caches.answer({ op: 'state', environmentId: 'e' })).toMatchObject({ ok: true })
  await caches.answer({ op: 'close', environmentId: 'e' })
})

test.each([
  ['is damaged', 'delete from finder_config'],
  ['is gone', 'drop table finder'],
])('a cache whose search index %s is set aside once it is opened', async (_what, damage) => {
  const caches = createRequestHandler(() => Promise.resolve())
  await caches.answer({ ...opening, file })
  await caches.answer({ op: 'close', environmentId: 'e' })
  const { db } = openFile(file, key)
  db.exec(damage)
  db.close()
  const opened = await caches.answer({ ...opening, file })
  expect(opened.ok && JSON.parse(opened.text)).toMatchObject({ setAside: { reason: 'damaged' } })
  expect(await caches.answer({ op: 'state', environmentId: 'e' })).toMatchObject({ ok: true })
  await caches.answer({ op: 'close', environmentId: 'e' })
})

test.skipIf(process.platform === 'win32').each([
  ['a pipe', (place: string) => execFileSync('mkfifo', [place])],
  ['an endless device', (place: string) => symlinkSync('/dev/zero', place)],
  ['a folder', (place: string) => mkdirSync(place)],
])('%s in place of the header is neither read nor waited for', (_what, put) => {
  fill()
  rmSync(`${file}.header`)
  put(`${file}.header`)
  const opened = openFile(file, key)
  expect(opened.setAside).toMatchObject({ reason: 'wrong-key' })
  opened.db.close()
})

test('the folder and all its files are for their owner only, even existing ones', () => {
  fill()
  chmodSync(join(folder, 'cache'), 0o755)
  for (const name of readdirSync(join(folder, 'cache'))) chmodSync(join(folder, 'cache', name), 0o644)
  const store = createStore(openFile(file, key))
  store.writePage(pageBody(several(5, 200)), span, 1)
  const names = readdirSync(join(folder, 'cache'))
  expect(names).toEqual(expect.arrayContaining(['e.db', 'e.db-wal', 'e.db-shm', 'e.db.header']))
  for (const name of names) expect(statSync(join(folder, 'cache', name)).mode & 0o777, name).toBe(0o600)
  expect(statSync(join(folder, 'cache')).mode & 0o777).toBe(0o700)
  store.close()
})

test('a file with another schema is set aside, and a new one is created', async () => {
  fill()
  const { db } = openFile(file, key)
  db.exec('pragma user_version = 99')
  db.close()
  const caches = createRequestHandler(() => Promise.resolve())
  const opened = await caches.answer({ ...opening, file })
  expect(opened.ok && JSON.parse(opened.text)).toMatchObject({ setAside: { reason: 'damaged' } })
  const state = await caches.answer({ op: 'state', environmentId: 'e' })
  expect(state.ok && JSON.parse(state.text)).toMatchObject({ deployments: 0 })
  await caches.answer({ op: 'close', environmentId: 'e' })
})

test('only two files that were set aside are kept', () => {
  fill()
  for (let time = 1; time < 6; time += 1) {
    writeFileSync(`${file}.damaged-2026010${time}T000000`, 'old')
    writeFileSync(`${file}.damaged-2026010${time}T000000.header`, 'old')
  }
  putAside(file)
  const names = readdirSync(join(folder, 'cache')).filter((name) => !/-(wal|shm)$/.test(name))
  const aside = names.filter((name) => !name.endsWith('.header'))
  expect(aside).toHaveLength(2)
  expect(aside).toContain('e.db.damaged-20260105T000000')
  expect(names).toHaveLength(4)
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
        expect(store.takeDamaged()).toBe(0)
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

describe('the worst answers', () => {
  let store: Store
  beforeEach(() => {
    store = createStore(openMemory())
  })
  afterEach(() => store.close())

  const worst: [string, () => string][] = [
    ['a million empty items', () => `{"offset":0,"resources":[${Array(1_000_000).fill('{}').join()}]}`],
    ['32 MiB of nesting', () => `{"offset":0,"resources":[${'['.repeat(2 ** 24)}${']'.repeat(2 ** 24)}]}`],
    ['32 MiB of nesting that never ends', () => `{"offset":0,"resources":[${'{"a":['.repeat(2 ** 22)}`],
    [
      'one deployment a hundred thousand times',
      () => `{"offset":0,"resources":[${Array(100_000).fill('{"id":"a","name":"b"}').join()}]}`,
    ],
    [
      'more unreadable items than any page has',
      () => `{"offset":0,"resources":[${Array(101).fill('{}').join()}]}`,
    ],
    ['32 MiB of strings', () => `{"offset":0,"resources":["${'\\u0000'.repeat(2 ** 22)}`],
  ]

  test.each(worst)('are refused quickly: %s', (_what, make) => {
    const body = Buffer.from(make())
    const began = performance.now()
    expect(() => store.writePage(body, span, 1)).toThrow('not a page')
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(store.state().deployments).toBe(0)
  })
})

test('some disk space is left for others', () => {
  expect(() => requireRoom(tmpdir())).not.toThrow()
  expect(new NoRoom().code).toBe('ENOSPC')
})

describe('a cache of another service', () => {
  test('keeps the chosen interval of the environment', async () => {
    const caches = createRequestHandler(() => Promise.resolve())
    const interval = { environmentId: 'e', key: 'sync-interval' }
    await caches.answer({ ...opening, file, service: 'one' })
    await caches.answer({ op: 'write-note', ...interval, value: '0' })
    await caches.answer({ ...opening, file, service: 'one, with a renewed key' })
    expect(await caches.answer({ op: 'read-note', ...interval })).toEqual({ ok: true, text: '"0"' })
    await caches.answer({ op: 'close', environmentId: 'e' })
  })

  test('is removed before any answer, in any order of services', async () => {
    const caches = createRequestHandler(() => Promise.resolve())
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
