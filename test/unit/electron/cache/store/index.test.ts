import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { CachedPage, CachedQuery, WrittenPage } from '@contract/cache'
import { cacheOverviewSchema, cachedPageSchema, maxForAttention } from '@contract/cache'
import { maxStatuses } from '@contract/deployment-api/list/list-limits'
import { isRollingOut } from '@contract/deployment-api/statuses'
import * as fc from 'fast-check'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, onTestFinished, vi } from 'vitest'
import { createRequestHandler, type RequestHandler } from '../../../../../electron/cache/request-handler'
import { createStore, type Store } from '../../../../../electron/cache/store'
import { readPageBody } from '../../../../../electron/cache/store/content'
import { type Encrypted, isDiskFull, openFile, openMemory } from '../../../../../electron/cache/store/file'
import { bodyDigest } from '../../../../../electron/cache/store/known-pages'
import { answered, pageBody, several } from '../../../../support/builders/cached-deployments'
import { temporaryFolder } from '../../../../support/temporary-folder'

const key = 'ab'.repeat(32)
const span = { sentAt: 1_000, receivedAt: 1_010 }
const later = { sentAt: 2_000, receivedAt: 2_010 }

let folder: string
let memory: Encrypted
let db: Database.Database
let store: Store

beforeEach(() => {
  folder = temporaryFolder()
  memory = openMemory()
  db = memory.db
  store = createStore(memory)
})

afterEach(() => {
  store.close()
})

interface Asked extends Partial<Omit<CachedQuery, 'filters'>> {
  filters?: CachedQuery['filters']
  offset?: number
  limit?: number
  snapshot?: string | null
}

function ask({ offset = 0, limit = 50, snapshot = null, ...query }: Asked = {}): CachedPage {
  const whole = { filters: {}, search: '', sort: { by: 'created_at' as const, descending: true }, ...query }
  return cachedPageSchema.parse(JSON.parse(store.page({ query: whole, offset, limit, snapshot })))
}

/** The first page of a store's list, without the name of the snapshot, which is random. */
function pageOf(of: Store): object {
  const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }
  const page = of.page({ query, offset: 0, limit: 50, snapshot: null })
  return { ...cachedPageSchema.parse(JSON.parse(page)), snapshot: null }
}

const namesOf = (page: CachedPage): string[] => page.deployments.map(({ name }) => name)

describe('what is not settled', () => {
  const unsettled = () => cacheOverviewSchema.parse(JSON.parse(store.overview())).unsettled

  test('is what rolls out, awaits something or has an unknown status, least recently updated first', () => {
    const settled = { active_revision_id: 'r2', status: 'READY' }
    const at = (day: number) => `2026-03-0${day}T00:00:00Z`
    const all = [
      answered(1, settled),
      answered(2, { ...settled, status: 'UNUSED' }),
      answered(3, { ...settled, status: 'PAUSED', updated_at: at(3) }),
      answered(4, { ...settled, active_revision_id: null, updated_at: at(2) }),
      answered(5, { ...settled, status: 'AWAITING_DATABASE', updated_at: null }),
      answered(6, { ...settled, latest_revision_id: null }),
      answered(7, { ...settled, status: 'AWAITING_DELETE', updated_at: at(1) }),
      answered(8, { ...settled, status: 'UNKNOWN', updated_at: at(4) }),
    ]
    store.writePage(pageBody(all), span, null)
    store.markGone([String(all[7]?.id)], later)
    expect(unsettled().deployments.map(({ name }) => name)).toEqual(
      [7, 4, 3, 5].map((index) => `agent-000${index}`),
    )
    expect(unsettled().total).toBe(4)
    const { counts } = cacheOverviewSchema.parse(JSON.parse(store.overview()))
    expect(counts).toEqual(store.statuses().counts)
    expect(counts).toContainEqual({ status: 'READY', count: 3 })
  })

  test('has the time at which its status and its revision were seen to change', () => {
    const before = answered(1, { status: 'READY', latest_revision_id: 'r2', active_revision_id: 'r2' })
    store.writePage(pageBody([before]), span, null)
    store.synchronised(span, true, null)
    const change = (more: object, receivedAt: number) => {
      const body = pageBody([{ ...before, ...more, updated_at: new Date(receivedAt).toISOString() }])
      store.writePage(body, { sentAt: receivedAt - 10, receivedAt }, null)
    }
    const at = Date.UTC(2026, 5, 1)
    change({ status: 'AWAITING_DATABASE' }, at)
    change({ status: 'AWAITING_DATABASE', latest_revision_id: 'r3' }, at + 60_000)
    const [found] = unsettled().deployments
    expect(found?.last_changes.status?.seenAt).toBe(new Date(at).toISOString())
    expect(found?.last_changes.revision?.seenAt).toBe(new Date(at + 60_000).toISOString())
  })

  test('is returned up to a limit, and counted', () => {
    const many = several(maxForAttention + 20).map((one) => ({ ...one, status: 'PAUSED' }))
    store.writePage(pageBody(many.slice(0, 100)), span, null)
    store.writePage(pageBody(many.slice(100)), span, null)
    expect(unsettled().deployments).toHaveLength(maxForAttention)
    expect(unsettled().total).toBe(maxForAttention + 20)
  })

  test('is counted and found using indexes only, however many deployments there are', () => {
    const prepare = vi.spyOn(db, 'prepare')
    const other = createStore(memory)
    other.agents({ search: '', after: null, limit: 10, only: null })
    const statements = prepare.mock.calls.map(([sql]) => sql)
    prepare.mockRestore()
    const fromAll = /group by (status|agent)|^select count.*'UNUSED'|order by updated_at is null/is
    const planned = openMemory().db
    const plans = statements
      .filter((sql) => fromAll.test(sql))
      .map((sql) => {
        const plan = planned
          .prepare(`explain query plan ${sql}`)
          .all(...(sql.match(/\?/g) ?? []).map(() => 1))
        return (plan as { detail: string }[]).find(({ detail }) => / deployment\b/.test(detail))?.detail
      })
    expect(plans).toHaveLength(5)
    for (const plan of plans) expect(plan).toMatch(/^(SCAN|SEARCH) deployment USING COVERING INDEX/)
  })

  test('leaves out a row that another program changed', () => {
    store.writePage(
      pageBody([answered(1, { status: 'PAUSED' }), answered(2, { status: 'PAUSED' })]),
      span,
      null,
    )
    db.exec("update detail set shown = replace(shown, 'agent-0001', 'agent-0009')")
    expect(unsettled().deployments.map(({ name }) => name)).toEqual(['agent-0002'])
    expect(store.takeDamaged()).toBe(1)
  })
})

describe('since when a cell of the board is unchanged', () => {
  const since = () => store.agentCells([1]).map((cell) => cell.since)
  const first = answered(1, { latest_revision_id: 'r2', active_revision_id: 'r2' })
  const at = Date.UTC(2026, 5, 1)

  function change(more: object, receivedAt: number): void {
    const body = pageBody([{ ...first, ...more, updated_at: new Date(receivedAt).toISOString() }])
    store.writePage(body, { sentAt: receivedAt - 10, receivedAt }, null)
  }

  beforeEach(() => {
    store.writePage(pageBody([first]), span, null)
    store.synchronised(span, true, null)
  })

  test('is what the service says while no change was seen', () => {
    expect(since()).toEqual([first.updated_at])
  })

  test('is when its version or its status changed, whatever else changed later', () => {
    change({ status: 'PAUSED' }, at)
    expect(since()).toEqual([new Date(at).toISOString()])
    change({ status: 'PAUSED', secrets: [{ name: 'LATER', value: '' }] }, at + 60_000)
    expect(since()).toEqual([new Date(at).toISOString()])
    change({ status: 'PAUSED', latest_revision_id: 'r3' }, at + 120_000)
    expect(since()).toEqual([new Date(at + 120_000).toISOString()])
  })
})

describe('writing', () => {
  test('distinguishes new, unchanged, changed and older content', () => {
    const write = (resource: unknown, at = later) =>
      store.writePage(pageBody([resource]), at, null).items.map(({ was }) => was)
    expect(write(answered(1), span)).toEqual(['new'])
    expect(write(answered(1))).toEqual(['same'])
    const changed = { status: 'UNUSED', updated_at: '2026-05-01T00:00:00Z' }
    expect(write(answered(1, changed))).toEqual(['changed'])
    expect(write(answered(1), { sentAt: 3_000, receivedAt: 3_010 })).toEqual(['older'])
    expect(ask().deployments[0]?.status).toBe('UNUSED')
  })

  test('treats an answer to an earlier request as the older one if the service does not say', () => {
    store.writePage(pageBody([answered(1, { status: 'READY' })]), later, null)
    const early = store.writePage(pageBody([answered(1, { status: 'UNUSED' })]), span, null)
    expect(early.items[0]?.was).toBe('older')
    expect(ask().deployments[0]?.status).toBe('READY')
  })

  test('accepts a service that was reset once it keeps answering so', () => {
    store.writePage(pageBody([answered(1, { updated_at: '2026-06-01T00:00:00Z' })]), span, null)
    const back = pageBody([answered(1, { updated_at: '2026-01-01T00:00:00Z' })])
    expect(store.writePage(back, later, null).items[0]?.was).toBe('older')
    const muchLater = { sentAt: 100_000, receivedAt: 100_010 }
    expect(store.writePage(back, muchLater, null).items[0]?.was).toBe('changed')
  })

  test('never stores a secret value, wherever it is nested, and keeps the rest as answered', () => {
    const nested = { revision: { secrets: [{ name: 'DEEP', value: 'a-secret-value' }] }, unheard: [1, null] }
    store.writePage(pageBody([answered(1, nested)]), span, null)
    const { json } = store.deployment(String(answered(1).id)) ?? { json: '' }
    expect(json).not.toContain('a-secret-value')
    expect(JSON.parse(json)).toEqual({
      ...answered(1, { ...nested, revision: { secrets: [{ name: 'DEEP', value: '' }] } }),
      secrets: [{ name: 'TOKEN', value: '' }],
    })
  })

  test('keeps what can be read of a page and counts the rest', () => {
    const written = store.writePage(
      pageBody([answered(1), { name: 'no identifier' }, 7, answered(2)]),
      span,
      null,
    )
    expect(written).toMatchObject({ received: 4, unreadable: 2 })
    expect(ask().total).toBe(2)
    expect(() => store.writePage(Buffer.from('<html>'), span, null)).toThrow('not a page')
  })

  test('refuses a page nested more deeply than an answer may be, and copes with what is less deep', () => {
    const deep = (levels: number): string => `${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`
    const nested = (levels: number, first: number): string[] => [
      resource(first, `"odd":${deep(levels)}`),
      resource(first + 1, `"secrets":[{"name":"A","more":${deep(levels)}}]`),
    ]
    const resource = (number: number, member: string): string =>
      `{${member},${JSON.stringify({ ...answered(number), secrets: undefined }).slice(1)}`
    const body = (levels: number) => Buffer.from(`{"resources":[${nested(levels, 1).join()}],"offset":2}`)
    expect(() => store.writePage(body(20_000), span, null)).toThrow('not a page')
    expect(store.writePage(body(400), span, null)).toMatchObject({ received: 2, unreadable: 0 })
  })
})

test('skips a page that comes again, unless the cache has changed since', () => {
  const text = pageBody(several(3))
  store.writePage(text, span, 1)
  expect(store.writePage(text, later, 2).items.map(({ was }) => was)).toEqual(['same', 'same', 'same'])
  expect(store.unseen(2, 0, 10).ids).toEqual([])
  const changed = answered(1, { status: 'UNUSED', updated_at: '2026-05-01T00:00:00Z' })
  store.writePage(pageBody([changed]), { sentAt: 3_000, receivedAt: 3_010 }, 2)
  const last = { sentAt: 4_000, receivedAt: 4_010 }
  expect(store.writePage(text, last, 3).items.map(({ was }) => was)).toEqual(['same', 'older', 'same'])
  store.markGone([String(answered(2).id)], { sentAt: 5_000, receivedAt: 5_010 })
  expect(store.writePage(text, { sentAt: 6_000, receivedAt: 6_010 }, 4).items[2]?.was).toBe('changed')
})

test('sorts an empty cache that is being filled, and has its sorting indexes again afterwards', () => {
  const indexes = (): unknown[] =>
    db.prepare("select name from sqlite_master where type = 'index' and name like 'deployment_by_%'").all()
  expect(indexes()).toHaveLength(4)
  store.bulk(true)
  expect(indexes()).toHaveLength(0)
  store.writePage(pageBody(several(60)), span, 1)
  const during = namesOf(ask({ sort: { by: 'name', descending: false } }))
  store.bulk(false)
  expect(indexes()).toHaveLength(4)
  expect(during).toHaveLength(50)
  expect(namesOf(ask({ sort: { by: 'name', descending: false } }))).toEqual(during)
  store.bulk(true)
  expect(indexes()).toHaveLength(4)
})

describe('writing in bulk', () => {
  const pages = 75
  let file: string
  let writing: Store

  /** What another process finds in the file, which is what was committed. */
  function committed(): { pages: number; note: string | null } {
    const other = openFile(file, key).db
    const { rows } = other.prepare('select count(*) as rows from copy').get() as { rows: number }
    const note = other.prepare("select value from note where key = 'run'").get() as
      { value: string } | undefined
    other.close()
    return { pages: rows / 10, note: note?.value ?? null }
  }

  const writePage = (index: number): void => {
    writing.writePage(pageBody(several(10, index * 10)), span, 1)
  }

  beforeEach(() => {
    file = join(folder, 'bulk.db')
    writing = createStore(openFile(file, key))
    writing.bulk(true)
  })
  afterEach(() => writing.close())

  test('commits whole pages in groups, and a note together with everything before it', async () => {
    for (let index = 0; index < pages; index += 1) writePage(index)
    expect(committed()).toEqual({ pages: 60, note: null })
    writing.writeNote('run', 'after 75')
    expect(committed()).toEqual({ pages: 75, note: 'after 75' })
    writePage(pages)
    expect(committed().pages).toBe(75)
    // A service that delays the next page does not delay writing this one.
    await expect.poll(() => committed().pages, { timeout: 10_000 }).toBe(76)
    writePage(pages + 1)
    expect(committed().pages).toBe(76)
    writing.bulk(false)
    expect(committed().pages).toBe(77)
    writePage(pages + 2)
    expect(committed().pages).toBe(78)
  })

  test('rolls back only the page that fails', () => {
    writing.bulk(false)
    const other = openFile(file, key).db
    other.exec(`create trigger refusal before insert on deployment when new.name = 'refused'
                begin select raise(abort, 'refused'); end`)
    other.close()
    writing.bulk(true)
    writePage(0)
    const refused = [...several(3, 50), answered(99, { name: 'refused' })]
    expect(() => writing.writePage(pageBody(refused), span, 1)).toThrow('refused')
    writePage(1)
    writing.bulk(false)
    expect(committed().pages).toBe(2)
  })
})

describe('the list', () => {
  beforeEach(() => {
    store.writePage(pageBody(several(60)), span, null)
    store.bulk(false)
    // Rows beyond the search index.
    store.writePage(pageBody(several(40, 60)), span, null)
  })

  test('pages by a snapshot that does not change while others are written', () => {
    const first = ask({ limit: 30 })
    store.writePage(pageBody(several(20, 100)), later, null)
    const second = ask({ limit: 30, offset: 30, snapshot: first.snapshot })
    expect(second.total).toBe(100)
    expect([...namesOf(first), ...namesOf(second)]).toEqual(
      several(60, 40)
        .map(({ name }) => name)
        .reverse(),
    )
    expect(ask().total).toBe(120)
  })

  test('keeps the snapshot that is used, however many others are created', () => {
    const { snapshot } = ask()
    store.writePage(pageBody(several(20, 100)), later, null)
    for (let made = 0; made < 20; made += 1) {
      ask()
      expect(ask({ snapshot })).toMatchObject({ snapshot, total: 100 })
    }
  })

  test('answers each filter, and says which ones it cannot answer', () => {
    expect(ask({ filters: { statuses: ['UNUSED'] } }).total).toBe(20)
    expect(ask({ filters: { statuses: ['UNUSED', 'READY', 'NEW'] } }).total).toBe(100)
    expect(ask({ filters: { deployment_type: 'prod' } }).total).toBe(50)
    expect(ask({ filters: { name_contains: 'AGENT-004' } }).total).toBe(10)
    expect(
      ask({ filters: { deployment_ids: `${String(answered(3).id)}, ${String(answered(4).id)},x` } }).total,
    ).toBe(2)
    const ids = [3, 4].map((number) => String(answered(number).id))
    expect(ask({ filters: { ids: [...ids, 'x'] } }).total).toBe(2)
    expect(ask({ filters: { ids, deployment_ids: ids[0] } }).total).toBe(1)
    expect(ask({ filters: { ids: [] } }).total).toBe(0)
    expect(ask({ filters: { statuses: [], name_contains: null } }).total).toBe(100)
    const page = ask({ filters: { remote_reconciled: false, tag_value_ids: 'a' } })
    expect(page).toMatchObject({ total: 100, unanswered: ['remote_reconciled', 'tag_value_ids'] })
  })

  test('counts the deployments of each status that are not gone', () => {
    store.markGone([String(answered(5).id), String(answered(6).id)], later)
    expect(store.statuses()).toMatchObject({
      counts: [
        { status: 'READY', count: 79 },
        { status: 'UNUSED', count: 19 },
      ],
      cache: { deployments: 100, gone: 2 },
    })
  })

  test('lists the statuses of the interface and the most frequent others, and counts the rest', () => {
    const statusOf = (index: number): string =>
      index === 0 ? 'UNUSED' : index < 3 ? 'PAUSED' : `of its own ${index}`
    const many = several(300).map((one, index) => ({ ...one, status: statusOf(index) }))
    for (const from of [0, 100, 200]) store.writePage(pageBody(many.slice(from, from + 100)), later, null)
    const { counts, others } = store.statuses()
    expect(counts).toHaveLength(maxStatuses)
    expect(counts.slice(0, 2)).toEqual([
      { status: 'UNUSED', count: 1 },
      { status: 'PAUSED', count: 2 },
    ])
    expect(others).toEqual({ statuses: 299 - maxStatuses, deployments: 300 - maxStatuses - 1 })
    expect(cacheOverviewSchema.parse(JSON.parse(store.overview()))).toMatchObject({ counts, others })
  })

  test.each([
    ['agent-0042', 1],
    ['AGENT-00', 100],
    ['42', 1],
    ['app-3 agent-00', 9],
    ['registry.example.com/agents:9', 5],
    ['00000000-0000-4000-8000-000000000077', 1],
    ['55555555', 100],
    ['a_ent', 0],
    ['agent%', 0],
    ["agent'0", 0],
  ])('finds %s in %i deployments', (search, total) => {
    expect(ask({ search }).total).toBe(total)
  })

  test('finds by any text exactly what contains it', () => {
    const texts = several(100).map((resource) => String(resource.name))
    fc.assert(
      fc.property(fc.stringMatching(/^[agent0-9_%"*-]{1,8}$/), (search) => {
        const expected = texts.filter((text) => text.includes(search.toLowerCase())).length
        // Repository, image and identifiers may contain it as well.
        expect(ask({ search }).total).toBeGreaterThanOrEqual(expected)
        for (const { name, repo_url, image_uri, repo_ref, id, integration_id } of ask({ search })
          .deployments) {
          const all = [name, repo_url, image_uri, repo_ref, id, integration_id].join('\n').toLowerCase()
          expect(all).toContain(search.toLowerCase())
        }
      }),
    )
  })

  test.each(['name', 'status', 'source', 'runs', 'revision', 'updated_at', 'created_at'] as const)(
    'sorts by %s in both directions',
    (by) => {
      const up = ask({ sort: { by, descending: false }, limit: 200 })
      const down = ask({ sort: { by, descending: true }, limit: 200 })
      expect(namesOf(down)).toEqual([...namesOf(up)].reverse())
      if (by === 'name') expect(namesOf(up)).toEqual([...namesOf(up)].sort())
    },
  )

  test('finds a changed name and no longer the old one', () => {
    store.writePage(pageBody([answered(5, { name: 'harbour' })]), later, null)
    store.writePage(pageBody([answered(65, { name: 'harbour-two' })]), later, null)
    expect(ask({ search: 'harbour' }).total).toBe(2)
    expect(ask({ search: 'agent-0005' }).total).toBe(0)
  })
})

test('reports as rolling out what awaits its database or has an inactive latest revision, unless it is deleted', () => {
  const revisions = (latest: string | null, active: string | null) => ({
    latest_revision_id: latest,
    active_revision_id: active,
  })
  const rows = [
    answered(1, { status: 'READY', ...revisions('a', 'a') }),
    answered(2, { status: 'READY', ...revisions('b', 'a') }),
    answered(3, { status: 'UNUSED', ...revisions('b', null) }),
    answered(4, { status: 'READY', ...revisions(null, 'a') }),
    answered(5, { status: 'AWAITING_DATABASE', ...revisions(null, null) }),
    answered(6, { status: 'AWAITING_DELETE', ...revisions('b', 'a') }),
    answered(7, { status: 'READY', ...revisions('b', 'a') }),
    answered(8, { status: 'AWAITING_FINAL_DELETE', ...revisions('b', 'a') }),
    answered(9, { status: 'Terminating', ...revisions('b', 'a') }),
    answered(10, { status: 'PROGRESSING', ...revisions('b', 'a') }),
  ]
  store.writePage(pageBody(rows), span, null)
  store.markGone([String(answered(7).id)], later)
  const listed = ask({ rollingOut: true, sort: { by: 'name', descending: false } })
  expect(namesOf(listed)).toEqual([2, 3, 5, 10].map((number) => answered(number).name))
  expect(listed.deployments.every(isRollingOut)).toBe(true)
  expect(ask({}).deployments.filter(isRollingOut)).toHaveLength(4)
  expect(store.statuses().rollingOut).toBe(4)
  expect(ask({ rollingOut: true, filters: { statuses: ['READY'] } }).total).toBe(1)
})

test('sorts names by letters and numbers, whatever their case and script', () => {
  const names = ['agent-1', 'Agent-2', 'agent-10', 'ägent-11', 'Kolsås', 'zeta', 'Жук', '東京']
  const rows = [5, 2, 7, 0, 3, 6, 1, 4].map((at) => answered(at + 1, { name: names[at] }))
  store.writePage(pageBody(rows), span, null)
  const sorted = (descending: boolean): string[] => namesOf(ask({ sort: { by: 'name', descending } }))
  expect(sorted(false)).toEqual(names)
  expect(sorted(true)).toEqual(names.toReversed())
})

test.each([
  ['KOLSÅ', 'Kolsås'],
  ['kolsa\u030a', 'Kolsås'],
  ['STRASSE', 'Hauptstraße'],
  ['hauptstraẞe', 'Hauptstraße'],
  ['istanbul', 'İSTANBUL'],
  ['ＡＧＥＮＴ－１', 'agent-1'],
  ['ÉCOLE', 'e\u0301cole'],
])('finds %j by the filter and by the search', (text, name) => {
  const names = ['Kolsås', 'Hauptstraße', 'İSTANBUL', 'agent-1', 'e\u0301cole']
  store.writePage(pageBody(names.map((one, index) => answered(index + 1, { name: one }))), span, null)
  for (const isIndexed of [false, true]) {
    if (isIndexed) store.bulk(false)
    expect(namesOf(ask({ filters: { name_contains: text } }))).toEqual([name])
    expect(namesOf(ask({ search: text }))).toEqual([name])
  }
})

test('filters by name in the name alone', () => {
  store.writePage(pageBody([answered(1, { name: 'one' })]), span, null)
  expect(ask({ search: String(answered(1).id) }).total).toBe(1)
  expect(ask({ filters: { name_contains: String(answered(1).id) } }).total).toBe(0)
})

test('says which deployment types there are, also those that the interface does not name', () => {
  const config = (deployment_type: string | null) => ({
    source_config: { ...(answered(1).source_config as object), deployment_type },
  })
  const rows = ['prod', 'preview', 'prod', null].map((type, index) => answered(index + 1, config(type)))
  store.writePage(pageBody(rows), span, null)
  expect(store.statuses().types.sort()).toEqual(['preview', 'prod'])
  expect(ask({ filters: { deployment_type: 'preview' } }).total).toBe(1)
})

test('finds exactly a name, in its case, even if other names contain it', () => {
  const names = ['agent', 'my-agent', 'agent-2', 'Agent', 'agent']
  store.writePage(pageBody(names.map((name, index) => answered(index + 1, { name }))), span, null)
  expect(ask({ name: 'agent' }).total).toBe(2)
  expect(ask({ name: '' }).total).toBe(0)
  expect(ask({ name: "a' or 1=1 --" }).total).toBe(0)
})

test('finds deployments whose notes match a search as well as those whose texts do', () => {
  store.writePage(pageBody(several(9)), span, null)
  const noted = [String(answered(3).id), 'of another service']
  expect(namesOf(ask({ search: 'agent-0005', noted })).sort()).toEqual(
    [3, 5].map((number) => answered(number).name),
  )
  expect(ask({ search: 'agent-0005', noted, filters: { statuses: ['NONE'] } }).total).toBe(0)
  expect(ask({ search: '', noted }).total).toBe(9)
})

describe('what is gone', () => {
  test('is marked, is unmarked when it is seen again, and can be cleaned up', () => {
    store.writePage(pageBody(several(3)), span, 1)
    store.bulk(false)
    const [first, second] = several(2).map(({ id }) => String(id)) as [string, string]
    expect(store.unseen(2, 0, 10).ids).toHaveLength(3)
    expect(store.markGone([first, second], later)).toBe(2)
    expect(store.unseen(2, 0, 10).ids).toEqual([String(answered(2).id)])
    expect(store.state()).toMatchObject({ deployments: 3, gone: 2 })

    store.writePage(pageBody([answered(0)]), { sentAt: 3_000, receivedAt: 3_010 }, 2)
    expect(store.state().gone).toBe(1)
    expect(store.cleanUp(5_000)).toBe(1)
    expect(store.deployment(second)).toBeNull()
    expect(ask({ search: 'agent' }).total).toBe(2)
  })

  test('is not what a later answer has shown', () => {
    store.writePage(pageBody([answered(1)]), { sentAt: 9_000, receivedAt: 9_010 }, 1)
    expect(store.markGone([String(answered(1).id)], later)).toBe(0)
  })

  test('is marked after a clock that was ahead is corrected', () => {
    const [seen, gone] = several(2)
    const at = (moment: number) => ({ sentAt: moment, receivedAt: moment + 10 })
    store.writePage(pageBody([seen, gone]), at(90 * 86_400_000), 1)
    store.writePage(pageBody([seen]), at(10_000), 2)
    expect(store.markGone([String(gone!.id)], at(20_000))).toBe(1)
    expect(store.deployment(String(gone!.id))?.goneAt).toBe(new Date(20_010).toISOString())
    // It is back once an answer shows it, whatever its time.
    store.writePage(pageBody([gone]), at(30_000), 3)
    expect(store.state().gone).toBe(0)
  })
})

describe('the repositories of an integration', () => {
  const listed = (name: string): Uint8Array => Buffer.from(JSON.stringify([{ name }]))
  const names = (): unknown => /"name":"(\w+)"/.exec(store.repositories('i')?.json ?? '')?.[1]

  test('are those of the answer to the latest request', () => {
    store.writeRepositories('i', listed('new'), later)
    store.writeRepositories('i', listed('old'), span)
    expect(names()).toBe('new')
  })

  test('are renewed after a clock that was ahead is corrected', () => {
    store.writeRepositories('i', listed('old'), { sentAt: 90 * 86_400_000, receivedAt: 90 * 86_400_000 })
    store.writeRepositories('i', listed('new'), later)
    expect(names()).toBe('new')
    expect(store.repositories('i')?.fetchedAt).toBe(new Date(2_010).toISOString())
  })
})

describe('the file', () => {
  let caches: RequestHandler
  const file = (): string => join(folder, 'copy.db')
  const yieldToOthers = () => Promise.resolve()
  const opening = { op: 'open', environmentId: 'e', key, service: 'one', setAside: false } as const

  beforeEach(() => {
    caches = createRequestHandler(yieldToOthers)
  })

  async function value(request: Parameters<RequestHandler['answer']>[0]): Promise<unknown> {
    const answer = await caches.answer(request)
    if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`)
    return JSON.parse(answer.text)
  }
  const open = (withKey = key) => value({ ...opening, file: file(), key: withKey })
  const write = () =>
    caches.answer({ op: 'write-page', environmentId: 'e', body: pageBody(several(300)), span, run: null })

  test('has nothing in plain text and is available again', async () => {
    await open()
    await write()
    const before = readdirSync(folder).map((name) => readFileSync(join(folder, name)))
    await value({ op: 'close', environmentId: 'e' })
    for (const bytes of [...before, readFileSync(file())]) {
      for (const clear of ['agent-0001', 'git.example.com', 'a-secret-value', 'SQLite format']) {
        expect(bytes.includes(clear)).toBe(false)
      }
    }
    expect(await open()).toEqual({ setAside: null, uncleanlyClosed: false, otherService: false })
    expect(await value({ op: 'state', environmentId: 'e' })).toMatchObject({ deployments: 300 })
    await value({ op: 'close', environmentId: 'e' })
  })

  test.each([
    ['another key', 'cd'.repeat(32), (): void => undefined],
    ['no database at all', key, (): void => writeFileSync(file(), Buffer.alloc(50_000, 7))],
  ])('is set aside with %s, and a new one begins', async (_what, secondKey, spoil) => {
    await open()
    await write()
    await value({ op: 'close', environmentId: 'e' })
    spoil()
    const opened = (await open(secondKey)) as { setAside: { file: string } | null }
    expect(opened.setAside?.file).toMatch(/^copy\.db\.damaged-/)
    expect(readdirSync(folder)).toContain(opened.setAside?.file)
    expect(await value({ op: 'state', environmentId: 'e' })).toMatchObject({ deployments: 0 })
    expect((await write()).ok).toBe(true)
    await value({ op: 'remove', environmentId: 'e', file: file() })
    expect(readdirSync(folder)).toEqual([])
  })

  test('loses only the damaged rows if the damage is inside them', async () => {
    await open()
    await write()
    await value({ op: 'close', environmentId: 'e' })
    const { db } = openFile(file(), key)
    db.exec("update detail set json = replace(json, 'main', 'evil') where seq <= 3")
    db.close()
    await open()
    expect(await value({ op: 'check', environmentId: 'e' })).toEqual({ damagedRows: 3 })
    expect(await value({ op: 'state', environmentId: 'e' })).toMatchObject({ deployments: 297 })
    expect(await value({ op: 'check', environmentId: 'e' })).toEqual({ damagedRows: 0 })
    await value({ op: 'close', environmentId: 'e' })
  })

  test('is set aside when a page inside it is damaged, as soon as it is read', async () => {
    await open()
    await write()
    await value({ op: 'close', environmentId: 'e' })
    const bytes = readFileSync(file())
    for (let at = 8192; at < bytes.length; at += 900) bytes[at] = (bytes[at] ?? 0) ^ 0xff
    writeFileSync(file(), bytes)
    const outcomes = [await caches.answer({ ...opening, file: file() })]
    outcomes.push(await caches.answer({ op: 'check', environmentId: 'e' }))
    expect(JSON.stringify(outcomes)).toContain('damaged-')
    expect((await write()).ok).toBe(true)
    await value({ op: 'close', environmentId: 'e' })
  })

  /** Lets SQLite fail once, with such a statement, as it does when the disk refuses to read. Gives how to repeat that. */
  function refuseReading(code: string, statement: RegExp): () => void {
    let refuses = true
    // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the right database below
    const original = Database.prototype.exec
    const exec = vi.spyOn(Database.prototype, 'exec').mockImplementation(function (this: unknown, sql) {
      if (!refuses || !statement.test(sql)) return original.call(this, sql)
      refuses = false
      throw Object.assign(new Error('malformed'), { code })
    })
    onTestFinished(() => exec.mockRestore())
    return () => void (refuses = true)
  }
  const writeAgain = () =>
    caches.answer({ op: 'write-page', environmentId: 'e', body: pageBody(several(301)), span, run: null })

  test.each([
    ['SQLITE_NOTADB', /hexkey/],
    ['SQLITE_CORRUPT', /begin immediate/],
  ])('is kept if the disk refuses to read it once while it is opened (%s)', async (code, statement) => {
    await open()
    await write()
    await value({ op: 'close', environmentId: 'e' })
    refuseReading(code, statement)
    expect(await open()).toMatchObject({ setAside: null })
    expect(await value({ op: 'state', environmentId: 'e' })).toMatchObject({ deployments: 300 })
    await value({ op: 'close', environmentId: 'e' })
  })

  test('is kept if the disk refuses to read it once, and the request says so', async () => {
    await open()
    await write()
    refuseReading('SQLITE_CORRUPT', /begin immediate/)
    expect(await writeAgain()).toMatchObject({ ok: false, code: 'unread', setAside: null })
    expect((await writeAgain()).ok).toBe(true)
    expect(await value({ op: 'state', environmentId: 'e' })).toMatchObject({ deployments: 301 })
    await value({ op: 'close', environmentId: 'e' })
  })

  test('is set aside if it is reported as damaged twice within an hour', async () => {
    const clock = { now: 0 }
    caches = createRequestHandler(yieldToOthers, { now: () => clock.now })
    await open()
    await write()
    const refuse = refuseReading('SQLITE_CORRUPT', /begin immediate/)
    expect(await writeAgain()).toMatchObject({ code: 'unread' })
    clock.now += 3_601_000
    refuse()
    expect(await writeAgain()).toMatchObject({ code: 'unread' })
    clock.now += 3_599_000
    refuse()
    expect(await writeAgain()).toMatchObject({ code: 'damaged', setAside: { reason: 'damaged' } })
    expect(readdirSync(folder).filter((name) => /\.damaged-\w+$/.test(name))).toHaveLength(1)
    refuse()
    expect(await writeAgain()).toMatchObject({ code: 'unread' })
    await value({ op: 'close', environmentId: 'e' })
  })

  /** Caches of these environments by a clock that the test sets, and the databases that released their memory. */
  async function restingCopies(environmentIds: string[]) {
    const resting: unknown[] = []
    // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called on the right database below
    const original = Database.prototype.exec
    const exec = vi.spyOn(Database.prototype, 'exec').mockImplementation(function (this: unknown, sql) {
      if (sql === 'pragma shrink_memory') resting.push(this)
      return original.call(this, sql)
    })
    onTestFinished(() => exec.mockRestore())
    const clock = { now: 0 }
    caches = createRequestHandler(() => Promise.resolve(), { now: () => clock.now })
    for (const environmentId of environmentIds) {
      await value({ ...opening, environmentId, file: join(folder, `${environmentId}.db`) })
    }
    const ask = (environmentId: string) => value({ op: 'state', environmentId })
    const end = async () => {
      for (const environmentId of environmentIds) await value({ op: 'close', environmentId })
    }
    return { resting, clock, ask, end }
  }

  test('releases its memory if more than a few are used, the least recently used first', async () => {
    const ids = Array.from({ length: 6 }, (_, place) => `e${place}`)
    const { resting, ask, end } = await restingCopies(ids)
    for (const id of ids.slice(0, 4)) await ask(id)
    // Two with the first request, and one with each later one.
    expect(resting).toHaveLength(5)
    await ask('e0')
    expect(resting).toHaveLength(5)
    await ask('e5')
    // "e1", after "e2".
    expect(resting).toHaveLength(6)
    expect(resting[5]).toBe(resting[1])
    await end()
  })

  test('releases its memory after some time without requests while another one gets them', async () => {
    const { resting, clock, ask, end } = await restingCopies(['one', 'other'])
    for (; clock.now < 60_000; clock.now += 1_000) await ask('one')
    expect(resting).toHaveLength(1)
    for (; clock.now < 120_000; clock.now += 1_000) await ask('other')
    expect(resting).toHaveLength(2)
    expect(resting[0]).not.toBe(resting[1])
    expect(await ask('one')).toMatchObject({ deployments: 0 })
    await end()
  })

  test('releases its memory after some time without any requests, and still works', async () => {
    const { resting, ask, end } = await restingCopies(['one', 'other'])
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await ask('one')
    vi.advanceTimersByTime(29_000)
    await ask('other')
    vi.advanceTimersByTime(29_000)
    expect(resting).toHaveLength(0)
    vi.advanceTimersByTime(1_000)
    expect(resting).toHaveLength(2)
    vi.advanceTimersByTime(120_000)
    expect(resting).toHaveLength(2)
    expect(await ask('one')).toMatchObject({ deployments: 0 })
    vi.advanceTimersByTime(30_000)
    expect(resting).toHaveLength(3)
    await end()
  })

  test('limits the memory of all caches in memory together', async () => {
    caches = createRequestHandler(yieldToOthers, { maxInMemory: 2 * 1024 ** 2 })
    const ids = ['one', 'other']
    for (const environmentId of ids) await value({ ...opening, environmentId, file: null })
    const fill = async (environmentId: string, from: number) => {
      const body = pageBody(several(300, from))
      const answer = await caches.answer({ op: 'write-page', environmentId, body, span, run: null })
      return answer.ok ? 'written' : answer.code
    }
    expect(await fill('one', 0)).toBe('written')
    let from = 300
    while ((await fill('one', from)) === 'written') from += 300
    expect(from).toBeGreaterThan(300)
    expect([await fill('one', from), await fill('other', 0)]).toEqual(['too-large', 'too-large'])
    // Existing content can be read, and freed space is available to others.
    expect(await value({ op: 'state', environmentId: 'one' })).toMatchObject({ deployments: from })
    await value({ op: 'close', environmentId: 'one' })
    expect(await fill('other', 0)).toBe('written')
    await value({ op: 'close', environmentId: 'other' })
  })

  describe('with a page that was read ahead', () => {
    const environmentId = 'e'
    const body = pageBody(several(3))
    const digest = bodyDigest(body)
    const readAhead = () =>
      caches.answer({ op: 'read-ahead', environmentId, digest, body: new Uint8Array(body) })
    const writeAhead = () => caches.answer({ op: 'write-read-page', environmentId, digest, span, run: 1 })
    /** A thread that takes every body for a page with one deployment. */
    const program = `const { parentPort } = require('node:worker_threads')
      const content = ${JSON.stringify(readPageBody(pageBody(several(1, 7))))}
      parentPort.on('message', ({ digest }) => parentPort.postMessage({ digest, content }))`
    let threads: Worker[]

    beforeEach(() => {
      threads = []
      const startThread = () => threads[threads.push(new Worker(program, { eval: true })) - 1]!
      caches = createRequestHandler(yieldToOthers, { startThread })
    })
    afterEach(async () => {
      for (const thread of threads) await thread.terminate()
    })

    test('writes what the thread has made of it', async () => {
      await open()
      expect(await readAhead()).toMatchObject({ ok: true, text: '{"read":true}' })
      const written = await writeAhead()
      const { items } = JSON.parse(written.ok ? written.text : '{}') as WrittenPage
      expect(items.map(({ name }) => name)).toEqual(['agent-0007'])
    })

    test('writes nothing of a page that was not read, until it is known', async () => {
      await open()
      expect(await writeAhead()).toMatchObject({ ok: true, text: 'null' })
      expect(await value({ op: 'state', environmentId })).toMatchObject({ deployments: 0 })
      await caches.answer({ op: 'write-page', environmentId, body, span, run: 1 })
      const written = await writeAhead()
      const { items } = JSON.parse(written.ok ? written.text : '{}') as WrittenPage
      expect(items.map(({ was }) => was)).toEqual(Array(3).fill('same'))
      expect(threads).toHaveLength(0)
    })

    test('answers later requests after it, in order', async () => {
      await open()
      void readAhead()
      const order: string[] = []
      const answered = [
        writeAhead().then(() => order.push('write-read-page')),
        value({ op: 'state', environmentId }).then((state) => {
          order.push('state')
          expect(state).toMatchObject({ deployments: 1 })
        }),
        value({ op: 'close', environmentId }).then(() => order.push('close')),
        caches.answer({ op: 'state', environmentId }).then((answer) => {
          order.push('state')
          expect(answer).toMatchObject({ code: 'not-open' })
        }),
      ]
      await Promise.all(answered)
      expect(order).toEqual(['write-read-page', 'state', 'close', 'state'])
    })

    test('reads nothing ahead for a cache that is not open', async () => {
      expect(await readAhead()).toMatchObject({ ok: true, text: '{"read":false}' })
      expect(threads).toHaveLength(0)
    })
  })

  test('refuses requests about a cache that is not open', async () => {
    expect(await caches.answer({ op: 'state', environmentId: 'e' })).toMatchObject({ code: 'not-open' })
  })
})

describe('a full disk', () => {
  test('is distinguished from other errors of the file', () => {
    const coded = (code: string) => Object.assign(new Error('failed'), { code })
    const full = ['SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT', 'EFBIG']
    const other = ['SQLITE_IOERR', 'SQLITE_IOERR_READ', 'SQLITE_IOERR_FSYNC', 'SQLITE_CORRUPT', 'EACCES']
    expect(full.filter((code) => isDiskFull(coded(code)))).toEqual(full)
    expect(other.filter((code) => isDiskFull(coded(code)))).toEqual([])
  })

  test('leaves a cache that can be read, closed and opened again', () => {
    const file = join(folder, 'full.db')
    const first = createStore(openFile(file, key))
    first.writePage(pageBody(several(20)), span, null)
    first.close()

    const opened = openFile(file, key)
    const { db } = opened
    const [{ page_count: pages }] = db.pragma('page_count') as [{ page_count: number }]
    const crowded = createStore(opened)
    db.pragma(`max_page_count = ${pages}`)
    expect(() => crowded.writePage(pageBody(several(500, 100)), later, null)).toThrow(/full/)
    expect(crowded.state().deployments).toBe(20)
    // Pages that share a commit with the one that fails are lost with it, and aren't counted.
    crowded.bulk(true)
    crowded.writePage(pageBody(several(1, 50)), later, null)
    const query = { filters: {}, search: '', sort: { by: 'name' as const, descending: false } }
    const list = (snapshot: string | null) =>
      cachedPageSchema.parse(JSON.parse(crowded.page({ query, offset: 0, limit: 50, snapshot })))
    const { snapshot, total } = list(null)
    expect(() => crowded.writePage(pageBody(several(500, 100)), later, null)).toThrow(/full/)
    expect(crowded.state().deployments).toBe(20)
    // A list that had them is searched for again. Otherwise their rows would be called damaged.
    expect([total, list(snapshot).total, crowded.takeDamaged()]).toEqual([21, 20, 0])
    crowded.close()

    const again = createStore(openFile(file, key))
    again.writePage(pageBody(several(500, 100)), later, null)
    expect(again.state().deployments).toBe(520)
    again.close()
  })
})
