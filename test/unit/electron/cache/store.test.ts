import { readdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CachedPage, type CachedQuery, maxForAttention, type CacheOverview } from '@contract/cache'
import { type CacheRequest, digestOf } from '../../../../electron/cache/protocol'
import * as fc from 'fast-check'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi, it } from 'vitest'
import { createRequestHandler } from '../../../../electron/cache/request-handler'
import { createStore, type Store } from '../../../../electron/cache/store'
import { openFile, openMemory } from '../../../../electron/cache/store/file'
import { answered, pageBody, several } from '../../../support/builders/answer-bodies'
import { temporaryFolder } from '../../../support/temporary-folder'
import { createTransactions, type Transactions } from '../../../../electron/cache/store/database'
import { agentOf } from '../../../../electron/domain/agents/identity'

describe('the cache', () => {
  const key = 'ab'.repeat(32)
  const span = { sentAt: 1_000, receivedAt: 1_010 }
  const later = { sentAt: 2_000, receivedAt: 2_010 }

  let folder: string
  let memory: ReturnType<typeof openMemory>
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
    return JSON.parse(store.page({ query: whole, offset, limit, snapshot })) as CachedPage
  }

  const namesOf = (page: CachedPage): string[] => page.deployments.map(({ name }) => name)

  describe('what is not settled', () => {
    const unsettled = () => (JSON.parse(store.overview()) as CacheOverview).unsettled

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
      const { counts } = JSON.parse(store.overview()) as CacheOverview
      expect(counts).toEqual(store.statuses().counts)
      expect(counts).toContainEqual({ status: 'READY', count: 3 })
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
      store.writePage(pageBody([first]), span, 1)
      store.synchronised(span)
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
      expect(write(answered(1), span)).toEqual(['older'])
      expect(ask().deployments[0]?.status).toBe('UNUSED')
    })

    test('knows a page by its digest while it has just what that page says', () => {
      const body = pageBody([answered(1)])
      const see = () => store.seePage(digestOf(body), later, 1)?.items.map(({ was }) => was)
      expect(see()).toBeUndefined()
      store.writePage(body, span, 1)
      expect(see()).toEqual(['same'])
      store.writePage(pageBody([answered(1, { status: 'UNUSED' })]), later, null)
      expect(see()).toBeUndefined()
    })

    test('never stores a secret value, wherever it is nested, and keeps the rest as answered', () => {
      const nested = {
        revision: { secrets: [{ name: 'DEEP', value: 'a-secret-value' }] },
        unheard: [1, null],
      }
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
        | { value: string }
        | undefined
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
      expect(ask({ filters: { remote_reconciled: false, tag_value_ids: 'a' } }).total).toBe(100)
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
  })

  describe('the file', () => {
    let caches: ReturnType<typeof createRequestHandler>
    const file = (): string => join(folder, 'copy.db')
    const opening = { op: 'open', environmentId: 'e', key, service: 'one' } as const

    beforeEach(() => {
      caches = createRequestHandler()
    })

    async function value(request: CacheRequest): Promise<unknown> {
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
      expect(await open()).toEqual({ setAside: null, otherService: false })
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
  })
})

describe('transactions', () => {
  /** After this time, in milliseconds, what was gathered is committed. */
  const late = 300

  let db: Database.Database
  let transactions: Transactions
  let undone: number
  /** Writes a row whose commit fails if it is negative. */
  let write: (id: number) => void
  let writeAlone: (id: number) => void

  beforeEach(() => {
    vi.useFakeTimers()
    db = new Database(':memory:')
    db.exec(`
    pragma foreign_keys = on;
    create table sign (positive integer primary key);
    insert into sign values (1);
    create table row (id integer, positive integer references sign deferrable initially deferred)`)
    undone = 0
    transactions = createTransactions(db, () => (undone += 1))
    const insert = db.prepare('insert into row values (?, ?)')
    const body = (id: number): void => void insert.run(id, id < 0 ? 0 : 1)
    write = transactions.gathered(body)
    writeAlone = transactions.whole(body)
  })
  afterEach(() => {
    vi.useRealTimers()
    db.close()
  })

  const rows = (): unknown[] => db.prepare('select id from row order by id').raw().all().flat()

  describe('gathered writes', () => {
    test('are committed together, the last ones a moment later', () => {
      transactions.gather(true)
      write(1)
      write(2)
      expect(db.inTransaction).toBe(true)
      vi.advanceTimersByTime(late)
      expect(db.inTransaction).toBe(false)
      expect(rows()).toEqual([1, 2])
    })

    test('are lost together if the late commit fails, which later writes and the end say', () => {
      transactions.gather(true)
      write(1)
      write(-2)
      vi.advanceTimersByTime(late)
      expect(undone).toBe(1)
      expect(() => write(3)).toThrow('constraint')
      // Something else is written all the same.
      writeAlone(4)
      expect(() => transactions.gather(false)).toThrow('constraint')
      expect(rows()).toEqual([4])
      transactions.gather(true)
      write(5)
      transactions.gather(false)
      expect(rows()).toEqual([4, 5])
    })
  })
})

describe('the board', () => {
  const span = { sentAt: 1_000, receivedAt: 1_010 }

  let store: Store

  beforeEach(() => {
    const memory = openMemory()
    store = createStore(memory)
  })

  afterEach(() => {
    store.close()
  })

  interface Wanted {
    repo_url?: string | null
    graph_config_path?: string
    image_uri?: string | null
    repo_ref?: string
    repo_commit_sha?: string
  }

  function deployment(index: number, name: string, { repo_url = null, ...revision }: Wanted = {}): unknown {
    return answered(index, {
      name,
      source_config: { repo_url },
      source_revision_config: { repo_ref: null, image_uri: null, ...revision },
    })
  }

  const write = (to: Store, ...resources: unknown[]): void => {
    to.writePage(pageBody(resources), span, null)
  }

  const ask = (more: Partial<Parameters<Store['agents']>[0]> = {}) =>
    store.agents({ search: '', after: null, limit: 100, only: null, ...more })

  const titles = (entries: ReturnType<typeof ask>): (string | undefined)[] =>
    entries.map(([agent]) => agentOf(agent)?.title)

  const repo_url = 'https://github.com/acme/agents'

  describe('agents', () => {
    it('are in the order of their keys, each with all of its deployments and their versions', () => {
      write(
        store,
        deployment(1, 'one', { repo_url, repo_ref: 'main', repo_commit_sha: 'abc' }),
        deployment(2, 'two', { repo_url: `${repo_url}.git`, repo_ref: 'main' }),
        deployment(3, 'three', { repo_url, graph_config_path: 'b.json' }),
        deployment(4, 'chat-dev'),
        deployment(5, 'other', { image_uri: 'example.com/team/bot:1' }),
      )
      const entries = ask()
      expect(titles(entries)).toEqual(['acme/agents', 'acme/agents · b.json', 'chat', 'team/bot'])
      expect(entries[0]?.[2]).toEqual([
        [2, 'repository main '],
        [1, 'repository main abc'],
      ])
      expect(titles(ask({ limit: 2 }))).toEqual(titles(entries).slice(0, 2))
      expect(titles(ask({ after: entries[1]![0] }))).toEqual(['chat', 'team/bot'])
      expect(titles(ask({ only: [entries[3]![0], 'unknown'] }))).toEqual(['team/bot'])
    })

    it('are what the service says, where it does', () => {
      const stated = { agent: { agent_id: 'support', environment: 'dev' }, source_config: { repo_url } }
      write(store, answered(1, stated), answered(2, { ...stated, agent: null }), answered(3, stated))
      const entries = ask()
      expect(titles(entries)).toEqual(['acme/agents', 'support'])
      expect(entries.map(([, , members]) => members.length)).toEqual([1, 2])
    })

    it('are ordered by letters and numbers', () => {
      const names = ['agent-1', 'Agent-2', 'agent-10', 'ägent-11', 'Kolsås', 'zeta', 'Жук']
      write(store, ...names.toReversed().map((name, index) => deployment(index + 1, name)))
      expect(titles(ask())).toEqual(names.map((name) => name.toLowerCase()))
    })

    it('say which ones match a search, including deployments that do not', () => {
      write(
        store,
        deployment(1, 'sales-dev', { repo_url }),
        deployment(2, 'support-dev', { repo_url }),
        deployment(3, 'chat'),
      )
      expect(ask({ search: 'support' }).map(([, matches, members]) => [matches, members.length])).toEqual([
        [1, 2],
        [0, 1],
      ])
      const ids = [answered(1).id, answered(2).id, 'gone'] as string[]
      expect(store.assignedAgents({ ids, search: 'support' })).toEqual([
        [ids[0], 1, 'repository  ', 0],
        [ids[1], 2, 'repository  ', 1],
      ])
    })

    it('change with an answer, and leave out what is gone', () => {
      write(store, deployment(1, 'chat'), deployment(2, 'bot'))
      write(store, deployment(1, 'chat', { repo_url }))
      expect(titles(ask())).toEqual(['acme/agents', 'bot'])
      store.markGone([answered(2).id as string], { sentAt: 5_000, receivedAt: 5_010 })
      expect(titles(ask())).toEqual(['acme/agents'])
      expect(store.agentCells([1, 2]).map(({ place }) => place)).toEqual([1])
    })
  })

  describe('cells', () => {
    it('have what is shown of a deployment, and the key of its agent', () => {
      write(store, deployment(1, 'chat-dev', { repo_url, repo_ref: 'main', repo_commit_sha: 'abc' }))
      const [cell] = store.agentCells([1, 99])
      expect(cell).toMatchObject({
        place: 1,
        name: 'chat-dev',
        agent: ask()[0]![0],
        version: 'repository main abc',
        repo_ref: 'main',
      })
    })
  })
})

describe('its files', () => {
  const key = 'ab'.repeat(32)
  const span = { sentAt: 1_000, receivedAt: 1_010 }
  const opening = { op: 'open', environmentId: 'e', key, service: 'one' } as const

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
})
