import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import type Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { cacheNotes, cacheOverviewSchema, type HistoryEntry } from '../../../../../../electron/contract/cache'
import { createStore, type Store } from '../../../../../../electron/cache/store'
import { createNotes } from '../../../../../../electron/cache/store/database/notes'
import { isDiskFull, openFile, openMemory, sizeOf } from '../../../../../../electron/cache/store/file'
import { createHistory } from '../../../../../../electron/cache/store/history'
import { answered, pageBody, several } from '../../../../../support/builders/cached-deployments'
import { temporaryFolder } from '../../../../../support/temporary-folder'

const key = 'ab'.repeat(32)
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

let folder: string
let store: Store
let db: Database.Database
let now: number

const idOf = (index: number): string => String(answered(index).id)

const interrupted = { done: false, pass: 1, newestCreated: null, calm: 0, state: null }

/** An answer at the present time. */
const span = () => ({ sentAt: now - 10, receivedAt: now })

function pass(ms: number): void {
  now += ms
  vi.setSystemTime(now)
}

/** A complete synchronisation: the pages in any order, what is gone, and the end. */
function synchronise(
  resources: readonly Record<string, unknown>[],
  run: number,
  { pageSize = 50, servedAt = now }: { pageSize?: number; servedAt?: number | null } = {},
): void {
  store.bulk(true)
  const start = now
  for (let offset = 0; offset < resources.length; offset += pageSize) {
    store.writePage(pageBody(resources.slice(offset, offset + pageSize)), span(), run)
    pass(20)
  }
  for (let after: number | null = 0; after !== null;) {
    const unseen: { ids: string[]; after: number | null } = store.unseen(run, after, 40)
    if (unseen.ids.length > 0) store.markGone(unseen.ids, span())
    after = unseen.after
  }
  store.synchronised({ sentAt: start, receivedAt: now }, true, servedAt)
  store.bulk(false)
}

/** All entries of the environment, newest first. */
function entries(after: number | null = null): HistoryEntry[] {
  const { deployments } = store.changes({ since: null, after, limit: 500 })
  return deployments.flatMap((deployment) => deployment.entries).sort((one, other) => other.point - one.point)
}

const changes = (after: number | null = null) =>
  entries(after).map(({ id, kind, before, after, by }) => [Number(id.slice(-12)), kind, before, after, by])

function open(): Store {
  const opened = openFile(join(folder, 'cache.db'), key)
  db = opened.db
  return createStore(opened)
}

/** Runs something while the file can't grow. */
function withoutRoom(act: () => void): void {
  const pages = (db.pragma('page_count') as { page_count: number }[])[0]?.page_count
  db.pragma(`max_page_count = ${pages}`)
  act()
  db.pragma('max_page_count = 100000')
}

/** A text that takes new pages of a file, however it is packed. */
function largeText(): string {
  const noise = numbers(9)
  return Array.from({ length: 50_000 }, () => noise(1_000_000).toString(36)).join('')
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  folder = temporaryFolder()
  now = Date.UTC(2026, 5, 1)
  vi.setSystemTime(now)
  store = open()
})

afterEach(() => {
  store.close()
  vi.useRealTimers()
})

describe('what becomes an entry', () => {
  test('the first synchronisation is where the history begins, even if the list shifts during it', () => {
    store.writePage(pageBody(several(3)), span(), 1)
    pass(100)
    const moved = [answered(1, { status: 'AWAITING_DATABASE', updated_at: '2026-06-02T00:00:00Z' })]
    store.writePage(pageBody(moved), span(), 1)
    expect(store.historyState()).toMatchObject({ entries: 0, since: null })
    synchronise([...moved, answered(0), answered(2)], 1)
    expect(changes()).toEqual([])
    expect(store.historyState().since).toBe(new Date(now).toISOString())
  })

  test('damaged rows that were removed come back without one, and no other deployment', () => {
    store.writeNote(cacheNotes.run, JSON.stringify({ ...interrupted, run: 1 }))
    synchronise(several(3), 1)
    db.exec("update detail set json = '{}' where seq in (select seq from copy order by seq limit 2)")
    expect(store.checkRows(0, 10).damaged).toBe(2)
    expect(JSON.parse(store.readNote(cacheNotes.run) ?? ''), 'the run that has seen them').toMatchObject({
      run: 1,
      done: true,
    })
    pass(minuteMs)
    store.writePage(pageBody(several(4)), span(), null)
    expect(changes()).toEqual([[3, 'appeared', null, expect.anything(), 'page']])
    // From then on, they are like any other.
    pass(minuteMs)
    synchronise(several(4).slice(1), 2)
    pass(minuteMs)
    synchronise(several(4), 3)
    expect(changes().map(([id, kind]) => [id, kind])).toEqual([
      [0, 'back'],
      [0, 'gone'],
      [3, 'appeared'],
    ])
  })

  test('a damaged row that was marked as gone comes back with one, and so does a name that was removed', () => {
    synchronise(several(3), 1)
    synchronise(several(2), 2)
    db.exec("update detail set json = '{}' where seq in (select seq from copy order by seq desc limit 2)")
    expect(store.checkRows(0, 10).damaged).toBe(2)
    pass(minuteMs)
    // Deployment 1 was deleted meanwhile. So its damaged row has no successor.
    synchronise(several(1), 3)
    pass(minuteMs)
    synchronise(several(3), 4)
    expect(changes().map(([id, kind]) => [id, kind])).toEqual(
      expect.arrayContaining([
        [1, 'appeared'],
        [2, 'back'],
      ]),
    )
  })

  test('an interrupted first synchronisation does not make the next one begin with changes', () => {
    store.writePage(pageBody(several(3)), span(), 1)
    pass(dayMs)
    const later = answered(1, { status: 'UNUSED', updated_at: '2026-06-02T00:00:00Z' })
    synchronise([answered(0), later, answered(2)], 2)
    expect(changes()).toEqual([])
    pass(dayMs)
    synchronise([answered(0), { ...later, status: 'READY' }, answered(2)], 3)
    expect(changes()).toEqual([[1, 'status', 'UNUSED', 'READY', 'sync']])
  })

  test('a change that a page shows before the first synchronisation counts', () => {
    store.writePage(pageBody([answered(1)]), span(), null)
    pass(minuteMs)
    store.writePage(pageBody([answered(1, { status: 'UNUSED' }), answered(2)]), span(), null, 'open')
    expect(changes()).toEqual([[1, 'status', 'READY', 'UNUSED', 'open']])
  })

  test('each kind of change, by what saw it, and after which time', () => {
    synchronise(several(4, 1), 1)
    const synchronisedAt = new Date(now).toISOString()
    pass(minuteMs)
    const seenAt = new Date(now).toISOString()
    store.writePage(
      pageBody([
        answered(1, {
          status: 'AWAITING_DATABASE',
          latest_revision_id: 'r3',
          active_revision_id: 'r3',
          source_revision_config: { repo_ref: 'dev', image_uri: null },
          secrets: [{ name: 'OTHER', value: 'another-secret-value' }],
          secret_references: [{ name: 'REFERENCE', secret_name: 'store', secret_key: 'password' }],
        }),
        answered(9),
      ]),
      span(),
      null,
      'watch',
    )
    expect(entries().map(({ kind, member, before, after }) => [kind, member, before, after])).toEqual([
      ['appeared', null, null, 'READY'],
      ['status', null, 'READY', 'AWAITING_DATABASE'],
      ['latest-revision', null, 'r2', 'r3'],
      ['active-revision', null, 'r2', 'r3'],
      ['configuration', 'source_revision_config.repo_ref', 'main', 'dev'],
      ['secret-names', null, 'TOKEN', 'OTHER, REFERENCE (store/password)'],
    ])
    const [appeared, ...others] = entries()
    expect(appeared).toMatchObject({ name: 'agent-0009', by: 'watch', seenAt, previousAt: synchronisedAt })
    expect(new Set(others.map(({ point }) => point)).size).toBe(1)
    const created = answered(10)
    store.writeDeployment(Buffer.from(JSON.stringify(created)), span())
    expect(changes()[0]).toEqual([10, 'appeared', null, 'UNUSED', 'creation'])
  })

  test('repeated, reordered, older and equivalent answers make none', () => {
    synchronise(several(6), 1)
    pass(minuteMs)
    const changed = answered(1, { status: 'UNUSED', updated_at: '2026-06-01T10:00:00Z' })
    const list = [changed, answered(0), ...several(4, 2)]
    const early = span()
    pass(minuteMs)
    store.writePage(pageBody(list), span(), null)
    store.writePage(pageBody([...list].reverse()), span(), null)
    pass(1000)
    store.writePage(pageBody([answered(1)]), span(), null)
    store.writePage(pageBody([answered(2, { status: 'UNUSED' })]), early, null)
    pass(1000)
    const words = answered(3, {
      updated_at: '2026-06-02T00:00:00Z',
      secret_references: [],
      source_config: { build_command: null, ...(answered(3).source_config as object), listener_id: null },
    })
    store.writePage(pageBody([words]), span(), null)
    expect(changes()).toEqual([[1, 'status', 'READY', 'UNUSED', 'page']])
  })

  test('replicas that disagree about one state make one change, and what one keeps showing makes another', () => {
    synchronise(several(3), 1)
    const replicas = ['READY', 'UNUSED', 'UNKNOWN'].map((status) => pageBody([answered(1, { status })]))
    const read = (replica: number, run: number | null = null) =>
      store.writePage(replicas[replica]!, span(), run)
    for (let count = 0; count < 200; count += 1) {
      pass(count % 2 === 0 ? 5_000 : 4 * minuteMs)
      read(count % 3)
    }
    // Even if each pass of a synchronisation reaches another one.
    for (let count = 0; count < 5; count += 1) {
      pass(20_000)
      read(count % 2, 2)
    }
    expect(changes()).toEqual([
      [1, 'status', 'UNUSED', 'UNKNOWN', 'page'],
      [1, 'status', 'READY', 'UNUSED', 'page'],
    ])
    // What is shown for a minute is a change, seen when it was first shown.
    pass(20_000)
    const seenAt = new Date(now).toISOString()
    read(1)
    for (let count = 0; count < 4; count += 1) {
      pass(30_000)
      read(0)
    }
    expect(changes()[0]).toEqual([1, 'status', 'UNKNOWN', 'READY', 'page'])
    expect(entries()[0]).toMatchObject({ previousAt: expect.any(String) as string })
    expect(entries()[0]!.seenAt > seenAt).toBe(true)
    // So is what is pending when the cache is closed, and what has another time or arrives much later.
    const last = entries()[0]!.point
    pass(30_000)
    read(2)
    store.close()
    store = open()
    pass(20 * minuteMs)
    read(0)
    pass(20 * minuteMs)
    read(2)
    pass(20_000)
    const updated_at = '2026-06-02T00:00:00Z'
    store.writePage(pageBody([answered(1, { status: 'READY', updated_at })]), span(), null)
    expect(changes(last).map(([, , before, after]) => [before, after])).toEqual([
      ['UNKNOWN', 'READY'],
      ['READY', 'UNKNOWN'],
      ['UNKNOWN', 'READY'],
      ['READY', 'UNKNOWN'],
    ])
  })

  test('what was removed and returns is gone and back, even after it was cleaned up', () => {
    synchronise(several(4), 1)
    pass(dayMs)
    synchronise([answered(0), answered(3)], 2)
    const early = { sentAt: now - 500, receivedAt: now + 5 }
    pass(1000)
    // That answer left before they were found to be gone.
    expect(store.writePage(pageBody([answered(1)]), early, null).items[0]?.was).toBe('older')
    store.cleanUp(now)
    pass(dayMs)
    synchronise([...several(2), answered(3)], 3)
    pass(dayMs)
    synchronise([answered(0), answered(3)], 4)
    pass(dayMs)
    synchronise([answered(0), answered(1, { status: 'UNUSED' }), answered(3)], 5)
    expect(changes()).toEqual([
      [1, 'back', null, 'UNUSED', 'sync'],
      [1, 'gone', 'READY', null, 'sync'],
      [1, 'back', null, 'READY', 'sync'],
      [2, 'gone', 'READY', null, 'sync'],
      [1, 'gone', 'READY', null, 'sync'],
    ])
  })
})

/** A generator of numbers from 0 up to a limit, the same in each run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % limit
  }
}

test('thirty days of a service are in the history, and nothing else is', () => {
  const pick = numbers(7)
  const total = 500
  const list = new Map(several(total).map((resource, index) => [index, resource]))
  const expected: unknown[][] = []
  const found: unknown[][] = []
  let last = 0
  let run = 1
  let updates = 0
  const update = (index: number, more: Record<string, unknown>): void => {
    updates += 1
    const updated_at = new Date(Date.UTC(2026, 5, 2) + updates * 1000).toISOString()
    list.set(index, { ...list.get(index), updated_at, ...more })
  }
  const everything = () => [...list.values()].sort(() => pick(3) - 1)
  synchronise(everything(), run)
  for (let day = 1; day <= 30; day += 1) {
    pass(dayMs - 60 * minuteMs)
    const seen: unknown[][] = []
    const chosen = new Set<number>()
    // Each day one percent changes: an update begins, and what began the day before is active. One stays stuck.
    while (chosen.size < total / 100) {
      const index = pick(400)
      if (index !== 5) chosen.add(index)
    }
    for (const index of chosen) {
      const before = list.get(index)?.latest_revision_id
      update(index, { latest_revision_id: `r-${day}` })
      seen.push([index, 'latest-revision', before, `r-${day}`, 'sync'])
    }
    if (day === 3) {
      update(5, { status: 'AWAITING_DATABASE' })
      seen.push([5, 'status', 'UNUSED', 'AWAITING_DATABASE', 'sync'])
    }
    // One status flaps: each synchronisation sees it, and nothing between two of them is invented.
    const flapping = list.get(7)?.status === 'READY' ? 'UNKNOWN' : 'READY'
    seen.push([7, 'status', list.get(7)?.status, flapping, 'sync'])
    update(7, { status: flapping })
    list.set(total + day, answered(total + day))
    seen.push([total + day, 'appeared', null, answered(total + day).status, 'sync'])
    const gone = 400 + day
    list.delete(gone)
    seen.push([gone, 'gone', answered(gone).status, null, 'sync'])
    if (day === 20) {
      list.set(405, answered(405))
      seen.push([405, 'back', null, answered(405).status, 'sync'])
    }
    run += 1
    synchronise(everything(), run)
    // Pages that the operator reads show nothing new, nor does one that a proxy kept since the day before.
    store.writePage(pageBody(everything().slice(0, 20)), span(), null)
    store.writePage(pageBody(several(20)), { sentAt: now - dayMs, receivedAt: now - dayMs }, null)
    // An outage of an hour, and two restarts.
    pass(60 * minuteMs)
    if (day === 10 || day === 20) {
      store.close()
      store = open()
    }
    expected.push(...seen)
    found.push(...changes(last))
    last = store.changes({ since: null, after: null, limit: 1 }).last
  }
  const order = (rows: unknown[][]): string[] => rows.map((row) => JSON.stringify(row)).sort()
  expect(order(found)).toEqual(order(expected))
  expect(store.checkRows(0, 10_000).damaged).toBe(0)
  expect(store.historyState().bytes).toBeLessThan(expected.length * 2_000)
})

describe('a file', () => {
  const files = (): string =>
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name)).toString('latin1'))
      .join('')

  test('has no value of a secret and no readable text, even of earlier states', () => {
    synchronise(several(3), 1)
    for (const name of ['one', 'two']) {
      pass(minuteMs)
      const secrets = [{ name, value: `a-secret-value-${name}` }]
      const spec = { env: [{ name: 'MODE', value: name }], secrets }
      const source_config = { ...(answered(1).source_config as object), resource_spec: spec }
      store.writePage(pageBody([answered(1, { secrets, source_config, status: name })]), span(), null)
    }
    expect(changes()).toContainEqual([1, 'secret-names', 'one', 'two', 'page'])
    // Nor a password in a URL.
    pass(minuteMs)
    const repo_url = 'https://bot:a-secret-value@git.example.com/team/app'
    const source_config = { ...(answered(1).source_config as object), repo_url }
    store.writePage(
      pageBody([answered(1, { source_config, updated_at: '2026-07-01T00:00:00Z' })]),
      span(),
      null,
    )
    expect(entries()).toContainEqual(
      expect.objectContaining({
        member: 'source_config.repo_url',
        after: 'https://bot:•••@git.example.com/team/app',
      }),
    )
    const past = [0, 1, 2, 3].map((point) => store.earlier(idOf(1), point))
    const texts = JSON.stringify([entries(), past, store.deployment(idOf(1))])
    expect(texts).not.toContain('a-secret-value')
    for (const clear of ['a-secret-value', 'agent-0001', 'MODE', 'SQLite format']) {
      expect(files()).not.toContain(clear)
    }
    // The same holds for a database that isn't encrypted.
    const memory = openMemory()
    const plain = createStore(memory)
    plain.writePage(pageBody(several(3)), span(), 1)
    plain.synchronised(span(), true, now)
    plain.writePage(
      pageBody([answered(1, { status: 'UNUSED', secrets: [{ name: 'A', value: 'hush' }] })]),
      span(),
      null,
    )
    expect(JSON.stringify(dump(memory.db))).not.toMatch(/a-secret-value|hush/)
    plain.close()
  })
})

/** Everything that the history has, as it is stored. */
function dump(db: Database.Database): unknown[] {
  return ['history', 'earlier'].flatMap((table) =>
    (db.prepare(`select * from ${table}`).all() as Record<string, unknown>[]).map((row) => ({
      ...row,
      content: row.content === undefined ? null : inflateRawSync(row.content as Buffer).toString(),
    })),
  )
}

test('an earlier point has the whole deployment as it was', () => {
  synchronise(several(3), 1)
  const contents = [answered(1)]
  for (const repo_ref of ['a', 'b', 'c']) {
    pass(minuteMs)
    const next = answered(1, { source_revision_config: { repo_ref }, status: repo_ref })
    store.writePage(pageBody([next]), span(), null)
    contents.push(next)
  }
  const { entries: all } = store.history({ id: idOf(1), before: null, limit: 10 })
  const points = [...new Set(all.map(({ point }) => point))].reverse()
  const before = (point: number): unknown => JSON.parse(store.earlier(idOf(1), point)?.json ?? 'null')
  const harmless = contents.map((content) => ({ ...content, secrets: [{ name: 'TOKEN', value: '' }] }))
  expect([0, ...points].map(before)).toEqual(harmless)
  expect(store.earlier(idOf(7), 0)).toBeNull()
  // Neither a future point nor one of another deployment is the present.
  expect(store.earlier(idOf(1), points.at(-1)! + 1)).toBeNull()
  store.writePage(pageBody([answered(2, { status: 'UNUSED' })]), span(), null)
  expect(store.earlier(idOf(1), points.at(-1)! + 1)).toBeNull()
  expect(store.earlier(idOf(1), points.at(-1)!)?.json).toContain('"c"')
  const [newest] = store.history({ id: idOf(1), before: null, limit: 1 }).entries
  expect(newest?.point).toBe(points.at(-1))
})

describe('a reversal that is pending until it is certain', () => {
  const status = (index: number, status: string): void => {
    store.writePage(pageBody([answered(index, { status })]), span(), null)
  }

  beforeEach(() => {
    synchronise(several(3), 1)
    pass(minuteMs)
    status(1, 'UNKNOWN')
    pass(minuteMs)
    status(1, 'READY')
  })

  test('is in the history even if the process ends before', () => {
    const seenAt = new Date(now).toISOString()
    expect(changes()).toHaveLength(1)
    // The file as a killed process leaves it.
    const copy = join(folder, 'killed.db')
    for (const end of ['', '-wal', '.header']) copyFileSync(join(folder, `cache.db${end}`), `${copy}${end}`)
    store.close()
    store = createStore(openFile(copy, key))
    pass(minuteMs)
    status(1, 'READY')
    expect(changes()).toEqual([
      [1, 'status', 'UNKNOWN', 'READY', 'page'],
      [1, 'status', 'READY', 'UNKNOWN', 'page'],
    ])
    expect(entries()[0]).toMatchObject({ seenAt })
    const points = entries().map(({ point }) => point)
    expect(store.earlier(idOf(1), points[1]!)?.json).toContain('UNKNOWN')
    pass(minuteMs)
    status(1, 'READY')
    expect(changes()).toHaveLength(2)
  })

  test('is not in the history if it was undone before', () => {
    status(1, 'UNKNOWN')
    store.close()
    store = open()
    expect(changes()).toEqual([[1, 'status', 'READY', 'UNKNOWN', 'page']])
  })

  test('is in the history, once and before what follows, if that could not be written at first', () => {
    const other = answered(1, { status: 'AWAITING_DELETE', unheard: largeText() })
    const write = () => store.writePage(pageBody([other]), span(), null)
    pass(minuteMs / 2)
    withoutRoom(() => expect(write).toThrow(expect.toSatisfy(isDiskFull) as Error))
    write()
    store.close()
    store = open()
    write()
    expect(changes()).toEqual([
      [1, 'status', 'READY', 'AWAITING_DELETE', 'page'],
      [1, 'status', 'UNKNOWN', 'READY', 'page'],
      [1, 'status', 'READY', 'UNKNOWN', 'page'],
    ])
  })

  test('is included in the counts of statuses', () => {
    pass(minuteMs)
    const { moments } = store.statusHistory({ since: new Date(now - dayMs).toISOString(), moments: 4 })
    const ofStatus = (wanted: string): number[] =>
      moments.map(({ counts }) => counts.find(({ status }) => status === wanted)?.count ?? 0)
    expect(ofStatus('UNKNOWN')).toEqual([0, 1, 0, 0])
    expect(ofStatus('READY')).toEqual([2, 1, 2, 2])
  })
})

describe('limits', () => {
  test('texts count as the bytes that they take, and so do identifiers', () => {
    const memory = openMemory()
    const notes = createNotes(memory.db, memory.tags)
    const before = sizeOf(memory.db)
    const maxBytes = 2_000_000
    const history = createHistory(memory.db, memory.tags, notes, maxBytes)
    history.synchronised(span(), true, now)
    for (let number = 1; number <= 3_000; number += 1) {
      pass(1000)
      const json = `{"status":"${number}"}`
      history.appeared(
        { key: `${number}`.padStart(500, '漢'), name: '字'.repeat(400), json, hash: json },
        now,
        'sync',
      )
    }
    const taken = (sizeOf(memory.db) - before) / maxBytes
    expect(taken).toBeGreaterThan(0.7)
    expect(taken).toBeLessThan(1.4)
    memory.db.close()
  })

  test('the oldest rows go first once there are too many, and the size is approximately what they take', () => {
    const memory = openMemory()
    const notes = createNotes(memory.db, memory.tags)
    const before = sizeOf(memory.db)
    const maxBytes = 1_000_000
    const history = createHistory(memory.db, memory.tags, notes, maxBytes)
    history.synchronised(span(), true, now)
    const noise = numbers(3)
    let json = '{"status":"0"}'
    for (let number = 1; number <= 3_000; number += 1) {
      pass(1000)
      const more = Array.from({ length: 80 }, () => noise(1_000_000).toString(36)).join('')
      const now_ = JSON.stringify({ status: String(number), more })
      history.changed(
        {
          before: { json, hash: json, seenAt: now - 500, wasGone: false },
          now: { key: 'a', name: 'a', json: now_, hash: now_ },
          at: now,
          by: 'sync',
        },
        false,
      )
      json = now_
      expect(history.size().bytes).toBeLessThanOrEqual(maxBytes)
    }
    const { bytes, rows } = history.size()
    expect(bytes).toBeGreaterThan(0.9 * maxBytes)
    expect(rows).toBeLessThan(2_000)
    // Since when everything is stored: a removed row is before that, and the last one isn't.
    const remaining = memory.db.prepare('select min(seen_at) as first, max(seq) as last from history').get()
    expect(remaining).toMatchObject({ first: (history.since(now) ?? 0) + 1000, last: 3_000 })
    const taken = (sizeOf(memory.db) - before) / maxBytes
    expect(taken).toBeGreaterThan(0.7)
    expect(taken).toBeLessThan(1.4)
    memory.db.close()
  })

  test('rows older than the chosen days go once a synchronisation confirms their age, or when fewer are chosen', () => {
    synchronise(several(3), 1)
    const change = (status: string): void => {
      store.writePage(pageBody([answered(1, { status })]), span(), null)
    }
    for (const status of ['A', 'B', 'C', 'D']) {
      pass(25 * dayMs)
      change(status)
    }
    expect(store.historyState()).toMatchObject({ days: 90, entries: 4 })
    store.close()
    pass(20 * dayMs)
    store = open()
    expect(changes()).toHaveLength(4)
    const same = [answered(0), answered(1, { status: 'D' }), answered(2)]
    synchronise(same, 2)
    const servedAt = now
    synchronise(same, 3, { servedAt })
    expect(changes().map(([, , , after]) => after)).toEqual(['D', 'C', 'B'])
    store.keepHistory(30)
    expect(store.historyState()).toMatchObject({ days: 30, entries: 1 })
    expect(store.historyState().since).toBe(new Date(now - 30 * dayMs).toISOString())
    // The time of removed rows is not reported as unchanged if more days are chosen again.
    store.keepHistory(365)
    expect(store.historyState().since).toBe(new Date(servedAt - 30 * dayMs).toISOString())
    expect(store.earlier(idOf(1), 0)?.json).toContain('"C"')
  })

  test('a deployment too large to store is reported as unknown, but its changes are stored', () => {
    synchronise(several(3), 1)
    const noise = numbers(5)
    const large = Array.from({ length: 200_000 }, () => noise(1_000_000).toString(36)).join('')
    for (const status of ['A', 'B']) {
      pass(minuteMs)
      store.writePage(pageBody([answered(1, { status, unheard: large })]), span(), null)
    }
    expect(changes()).toHaveLength(2)
    expect(store.earlier(idOf(1), 0)?.json).toContain('READY')
    expect(store.earlier(idOf(1), 1)).toBeNull()
    expect(store.historyState().bytes).toBeLessThan(10_000)
  })

  test('of a history whose rows have long texts, a view reads the newest ones', () => {
    const count = 200
    const texts = (round: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [`${index}`.repeat(80), `${round}`.repeat(500)]),
      )
    const list = (round: number, status: string) =>
      several(count).map((one) => ({ ...one, status, source_revision_config: texts(round) }))
    synchronise(list(0, 'A'), 1)
    const begun = now
    for (const round of [1, 2, 3, 4]) {
      pass(minuteMs)
      const resources = list(round, `after ${round}`)
      for (let start = 0; start < count; start += 50) {
        store.writePage(pageBody(resources.slice(start, start + 50)), span(), null)
      }
    }
    const since = new Date(begun).toISOString()
    const { deployments, total, cut } = store.changes({ since, after: null, limit: 100 })
    expect({ total, cut }).toEqual({ total: count, cut: true })
    // Each row has 21 changes and 24,000 characters. Few rows of the round before are read.
    expect(deployments.filter((one) => one.total > 21).length).toBeLessThan(50)
    expect(deployments[0]?.entries[0]).toMatchObject({ kind: 'status', after: 'after 4' })
    // The overview reads what changed last of the first deployments, and takes the service's word about the others.
    const { unsettled } = cacheOverviewSchema.parse(JSON.parse(store.overview()))
    const lastChanges = unsettled.deployments.map(({ last_changes }) => last_changes.status)
    expect(lastChanges[0]?.seenAt).toBe(new Date(now).toISOString())
    expect(lastChanges.at(-1)).toBeNull()
    // So does the board.
    const cells = store.agentCells(Array.from({ length: count }, (_, index) => index + 1))
    expect(cells[0]?.since).toBe(new Date(now).toISOString())
    expect(cells.at(-1)?.since).not.toBe(new Date(now).toISOString())
    const statuses = store.statusHistory({ since, moments: 5 })
    expect(Date.parse(statuses.since!)).toBeGreaterThan(begun + minuteMs)
    expect(statuses.moments.at(-1)?.counts).toEqual([{ status: 'after 4', count }])
  })
})

test('a full disk stores neither a change nor its row, and stores both once there is room', () => {
  synchronise(several(3), 1)
  const large = largeText()
  const write = (status: string): void => {
    pass(minuteMs)
    store.writePage(pageBody([answered(1, { status, unheard: large })]), span(), null)
  }
  const before = store.historyState()
  withoutRoom(() => {
    const added = [answered(8), answered(1, { status: 'A', unheard: large })]
    expect(() => store.writePage(pageBody(added), span(), null)).toThrow(
      expect.toSatisfy(isDiskFull) as Error,
    )
  })
  expect(changes()).toEqual([])
  expect(store.historyState()).toEqual(before)
  expect(store.changes({ since: null, after: null, limit: 1 }).last).toBe(0)
  expect(store.deployment(idOf(1))?.json).toContain('READY')
  write('B')
  expect(changes()).toEqual([[1, 'status', 'READY', 'B', 'page']])
  // It was last seen before the disk was full. When it changed isn't known more precisely.
  expect(Date.parse(entries()[0]?.previousAt ?? '')).toBeLessThan(now - minuteMs)
})

describe('the observed times', () => {
  const minutes = (times: { from: string; to: string }[], start: number) =>
    times.map(({ from, to }) => [from, to].map((at) => Math.round((Date.parse(at) - start) / minuteMs)))
  const whole = () => store.changes({ since: null, after: null, limit: 1 }).observed

  test('synchronisations at their interval make one observed time, and a longer pause is a gap', () => {
    const start = now
    for (const [index, pause] of [0, 15, 20, 120, 15].entries()) {
      pass(pause * minuteMs)
      synchronise(several(3), index + 1)
    }
    expect(minutes(whole(), start)).toEqual([
      [0, 35],
      [155, 170],
    ])
    // One that didn't get to the end of the list has not observed everything.
    pass(15 * minuteMs)
    store.synchronised(span(), false, now)
    expect(minutes(whole(), start).at(-1)).toEqual([155, 170])
  })

  test('for a deployment, each answer with it counts, and none without it', () => {
    store.writeNote('sync-interval', '0')
    synchronise(several(3), 1)
    const start = now
    for (let minute = 60; minute <= 90; minute += 5) {
      pass(start + minute * minuteMs - now)
      store.writePage(pageBody([answered(1)]), span(), null, 'watch')
    }
    pass(10 * minuteMs)
    const observed = (index: number) =>
      minutes(store.history({ id: idOf(index), before: null, limit: 10 }).observed, start)
    expect(observed(1)).toEqual([
      [-0, 0],
      [60, 90],
    ])
    expect(observed(2)).toEqual([[-0, 0]])
  })
})

describe('a clock that is set', () => {
  const observed = () => store.changes({ since: null, after: null, limit: 1 }).observed
  const iso = (at: number): string => new Date(at).toISOString()

  test('back after it was ahead makes no unobserved time count as observed', () => {
    synchronise(several(3), 1)
    const start = now
    // It is five hours ahead while pages are read and a synchronisation ends.
    pass(5 * 60 * minuteMs)
    synchronise(several(3), 2)
    store.writePage(pageBody([answered(1)]), span(), null, 'watch')
    pass(-5 * 60 * minuteMs + minuteMs)
    expect(observed().map(({ to }) => to)).toEqual([iso(start)])
    // Slipway isn't running for four hours.
    pass(4 * 60 * minuteMs)
    const again = now
    store.writePage(pageBody([answered(1)]), span(), null, 'watch')
    synchronise(several(3), 3)
    pass(2 * 60 * minuteMs)
    expect(observed().map(({ to }) => to)).toEqual([iso(start), iso(again + 20)])
    const ofOne = store.history({ id: idOf(1), before: null, limit: 1 }).observed
    expect(ofOne.map(({ to }) => to)).toEqual([iso(start), iso(again + 20)])
  })

  test('far ahead removes nothing, whatever the service says, and neither does a service that is ahead', () => {
    synchronise(several(3), 1)
    const { since } = store.historyState()
    pass(minuteMs)
    const same = [answered(0), answered(1, { status: 'UNUSED' }), answered(2)]
    const right = now
    for (const [ahead, servedAt] of [
      [100 * dayMs, null],
      [100 * dayMs, right],
      [0, right + 100 * dayMs],
    ] as const) {
      pass(right + ahead - now)
      store.close()
      store = open()
      synchronise(same, 2, { servedAt })
      synchronise(same, 3, { servedAt })
      store.keepHistory(30)
      store.close()
      pass(right - now)
      store = open()
      synchronise(same, 4)
      expect(changes()).toHaveLength(1)
      expect(store.historyState().since).toBe(since)
    }
  })

  test('back moves changes that were seen in the future to the correct time, and removes them by age', () => {
    synchronise(several(3), 1)
    const right = now
    pass(400 * dayMs)
    synchronise([answered(0), answered(1, { status: 'UNUSED' }), answered(2)], 2, { servedAt: right })
    const seenAt = entries()[0]!.seenAt
    pass(right - now + minuteMs)
    const same = [answered(0), answered(1, { status: 'UNUSED' }), answered(2)]
    synchronise(same, 3, { servedAt: null })
    expect(entries().map((entry) => entry.seenAt)).toEqual([seenAt])
    const start = now
    synchronise(same, 4)
    expect(entries().map((entry) => [entry.previousAt, entry.seenAt])).toEqual([
      [iso(right - 20), iso(start)],
    ])
    store.close()
    store = open()
    expect(changes()).toHaveLength(1)
    pass(91 * dayMs)
    synchronise(same, 5)
    expect(changes()).toEqual([])
  })

  test('far back changes no time that was recorded while it was right', () => {
    synchronise(several(3), 1)
    pass(minuteMs)
    const same = [answered(0), answered(1, { status: 'UNUSED' }), answered(2)]
    synchronise(same, 2)
    const right = now
    const [before, { since }, looked] = [entries(), store.historyState(), observed()]
    pass(Date.UTC(2001, 0, 1) - now)
    synchronise(same, 3, { servedAt: null })
    pass(right - now)
    synchronise(same, 4)
    expect(entries()).toEqual(before)
    expect(store.historyState().since).toBe(since)
    expect(observed().map(({ from }) => from)).toEqual(looked.map(({ from }) => from))
  })

  test.each([
    ['behind once it was right', true],
    ['behind from the first start on', false],
  ])('far %s removes no change that was seen since', (_, wasRight) => {
    const right = now
    const list = (status: string) => [answered(0), answered(1, { status }), answered(2)]
    if (wasRight) {
      synchronise(list('READY'), 1)
      pass(minuteMs)
    }
    pass(-200 * dayMs)
    synchronise(list('READY'), 2, { servedAt: null })
    synchronise(list('UNUSED'), 3, { servedAt: null })
    pass(right + 60 * minuteMs - now)
    synchronise(list('UNUSED'), 4)
    pass(minuteMs)
    synchronise(list('UNUSED'), 5)
    expect(changes()).toEqual([[1, 'status', 'READY', 'UNUSED', 'sync']])
    expect(store.earlier(idOf(1), 0)?.json).toContain('READY')
    // It is removed once it is certainly too old.
    pass(91 * dayMs)
    synchronise(list('UNUSED'), 6)
    expect(changes()).toEqual([])
  })

  test('less than a day behind the service changes nothing that was recorded while it was right', () => {
    synchronise(several(3), 1)
    const { since } = store.historyState()
    pass(60 * minuteMs)
    const same = [answered(0), answered(1, { status: 'UNUSED' }), answered(2)]
    synchronise(same, 2)
    pass(60 * minuteMs)
    const [right, before, looked] = [now, entries(), observed()]
    pass(-20 * 60 * minuteMs)
    synchronise(same, 3, { servedAt: right })
    pass(right - now)
    expect(entries()).toEqual(before)
    expect(store.historyState().since).toBe(since)
    expect(observed()).toEqual(expect.arrayContaining(looked))
  })

  test('back within the pause between two synchronisations shortens their observed time', () => {
    synchronise(several(3), 1)
    const start = now
    pass(30 * minuteMs)
    synchronise(several(3), 2)
    pass(-25 * minuteMs)
    const again = now
    synchronise(several(3), 3)
    pass(3 * 60 * minuteMs)
    expect(observed()).toEqual([{ from: iso(start - 20), to: iso(again + 20) }])
  })

  test('back leaves of a change only what is known, and begins the history now', () => {
    const right = now
    pass(365 * dayMs)
    synchronise(several(3), 1)
    pass(right - now + minuteMs)
    const change = (index: number): void => {
      store.writePage(pageBody([answered(index, { status: 'UNUSED' }), answered(index + 6)]), span(), null)
    }
    change(1)
    expect(entries().map(({ previousAt, seenAt }) => [previousAt, seenAt])).toEqual(
      Array(2).fill([null, iso(now)]),
    )
    pass(minuteMs)
    synchronise([...several(3), answered(7)], 2)
    expect(store.historyState().since).toBe(iso(now))
    pass(60 * minuteMs)
    const { moments, since } = store.statusHistory({ since: iso(now - dayMs), moments: 3 })
    expect(since).toBe(iso(now - 60 * minuteMs))
    expect(moments.map(({ at }) => at)).toEqual([0, 30, 60].map((m) => iso(now - (60 - m) * minuteMs)))
  })
})

test('a row that another program changed is left out', () => {
  store.close()
  const opened = openFile(join(folder, 'cache.db'), key)
  store = createStore(opened)
  synchronise(several(4), 1)
  for (const index of [1, 2, 3]) {
    pass(minuteMs)
    store.writePage(pageBody([answered(index, { status: 'UNUSED' })]), span(), null)
  }
  opened.db.exec("update history set entry = replace(entry, 'UNUSED', 'READY') where seq = 2")
  opened.db.exec('update earlier set content = zeroblob(10) where seq = 3')
  opened.db.exec('update observed set from_at = 0')
  expect(changes().map(([index]) => index)).toEqual([3, 1])
  expect(store.earlier(idOf(3), 0)).toBeNull()
  expect(store.changes({ since: null, after: null, limit: 1 }).observed).toEqual([])
})
