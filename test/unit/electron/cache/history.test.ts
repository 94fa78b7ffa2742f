import { join } from 'node:path'
import type Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test, vi, it } from 'vitest'
import type { HistoryEntry } from '../../../../electron/contract/cache'
import { createStore, type Store } from '../../../../electron/cache/store'
import { createNotes } from '../../../../electron/cache/store/database'
import { isDiskFull, openFile, openMemory } from '../../../../electron/cache/store/file'
import { changesBetween, createHistory } from '../../../../electron/cache/store/history'
import { answered, pageBody, several } from '../../../support/builders/answer-bodies'
import { temporaryFolder } from '../../../support/temporary-folder'
import fc from 'fast-check'

describe('the history', () => {
  const key = 'ab'.repeat(32)
  const minuteMs = 60_000

  let folder: string
  let store: Store
  let db: Database.Database
  let now: number

  const idOf = (index: number): string => String(answered(index).id)

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
    { pageSize = 50 }: { pageSize?: number } = {},
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
    store.synchronised({ sentAt: start, receivedAt: now })
    store.bulk(false)
  }

  /** All entries of the environment, newest first. */
  function entries(after: number | null = null): HistoryEntry[] {
    const { deployments } = store.changes({ since: null, after, limit: 500 })
    return deployments
      .flatMap((deployment) => deployment.entries)
      .sort((one, other) => other.point - one.point)
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
  })

  /** A generator of numbers from 0 up to a limit, the same in each run. */
  function numbers(seed: number): (limit: number) => number {
    let state = seed
    return (limit) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      return state % limit
    }
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

  describe('limits', () => {
    test('the oldest rows go first once there are too many, and the size is approximately what they take', () => {
      const memory = openMemory()
      const notes = createNotes(memory.db)
      const pages = (): number => (memory.db.pragma('page_count') as { page_count: number }[])[0]!.page_count
      const before = pages()
      const maxBytes = 1_000_000
      const history = createHistory(memory.db, notes, maxBytes)
      history.synchronised(span())
      const noise = numbers(3)
      let json = '{"status":"0"}'
      for (let number = 1; number <= 3_000; number += 1) {
        pass(1000)
        const more = Array.from({ length: 80 }, () => noise(1_000_000).toString(36)).join('')
        const now_ = JSON.stringify({ status: String(number), more })
        history.changed({
          before: { json, seenAt: now - 500, wasGone: false },
          now: { key: 'a', name: 'a', json: now_ },
          at: now,
          by: 'sync',
        })
        json = now_
        if (number % 100 === 0) history.tidy()
      }
      const { bytes, rows } = history.size()
      expect(bytes).toBeLessThanOrEqual(maxBytes)
      expect(bytes).toBeGreaterThan(0.9 * maxBytes)
      expect(rows).toBeLessThan(2_000)
      // Since when everything is stored: a removed row is before that, and the last one isn't.
      const remaining = memory.db.prepare('select min(seen_at) as first, max(seq) as last from history').get()
      expect(remaining).toMatchObject({ first: (history.since(now) ?? 0) + 1000, last: 3_000 })
      const taken = ((pages() - before) * 16_384) / maxBytes
      expect(taken).toBeGreaterThan(0.7)
      expect(taken).toBeLessThan(1.4)
      memory.db.close()
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
})

describe('changes between two answers', () => {
  /** A configuration as a service may return it. */
  const value = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.string({ maxLength: 3 }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 3 }), tie('any'), { maxKeys: 4 }),
      fc
        .uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 4 })
        .chain((names) => fc.tuple(...names.map((name) => tie('any').map((content) => ({ name, content }))))),
    ),
  })).any

  /** The same written differently: members and named items in another order, and null for what is missing. */
  function reworded(said: unknown): unknown {
    if (Array.isArray(said)) {
      const items = said.map(reworded)
      const names = said.map((item: unknown) => (item as { name?: unknown } | null)?.name)
      const areNamed = names.every((name) => typeof name === 'string') && new Set(names).size === said.length
      return areNamed ? items.reverse() : items
    }
    if (typeof said !== 'object' || said === null) return said
    const members = Object.entries(said).map(([name, member]) => [name, reworded(member)] as const)
    return Object.fromEntries([...members.reverse(), ['not there before', null], ['nor this', '']])
  }

  const of = (resource_spec: unknown) => ({ ...answered(1), source_config: { resource_spec } })

  it('finds nothing in the same answer written differently', () => {
    fc.assert(
      fc.property(value, (said) => {
        expect(changesBetween(of(said), of(reworded(said)))).toEqual([])
      }),
    )
  })

  it('finds another order of init containers, which run one after the other, and of no others', () => {
    const spec = (...names: string[]) => {
      const containers = names.map((name) => ({ name, image: 'app' }))
      return { containers, init_containers: containers }
    }
    const init = 'source_config.resource_spec.init_containers'
    expect(changesBetween(of(spec('2', '1', 'a')), of(spec('1', '2', 'a')))).toEqual([
      { kind: 'configuration', member: init, before: '["2","1","a"]', after: '["1","2","a"]' },
    ])
    // One more doesn't change the order of the others.
    const added = changesBetween(of(spec('a', 'b')), of(spec('c', 'a', 'b')))
    expect(added.map(({ member }) => member)).toEqual([
      'source_config.resource_spec.containers[c]',
      `${init}[c]`,
    ])
  })

  it('finds a change of any value, once, and the opposite in the other direction', () => {
    fc.assert(
      fc.property(value, value, (one, other) => {
        const there = changesBetween(of(one), of(other))
        const back = changesBetween(of(other), of(one))
        expect(back.map(({ member, before, after }) => [member, after, before]).sort()).toEqual(
          there.map(({ member, before, after }) => [member, before, after]).sort(),
        )
        // With both at once, each is found at its place.
        const both = changesBetween({ ...of(one), status: 'A' }, { ...of(other), status: 'B' })
        expect(both).toEqual([{ kind: 'status', member: null, before: 'A', after: 'B' }, ...there])
      }),
    )
  })

  it('names the members that changed, by the names of items, up to a limited number', () => {
    const spec = (cpu: number, names: string[]) => ({
      containers: names.map((name) => ({ name, cpu })),
    })
    const changed = changesBetween(of(spec(1, ['a', 'b'])), of(spec(2, ['b', 'c'])))
    expect(changed.map(({ member, before, after }) => [member, before, after])).toEqual([
      ['source_config.resource_spec.containers[a]', '{"name":"a","cpu":1}', null],
      ['source_config.resource_spec.containers[b].cpu', '1', '2'],
      ['source_config.resource_spec.containers[c]', null, '{"name":"c","cpu":2}'],
    ])
    const many = (more: number) =>
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`m${at}`, at + more]))
    const cut = changesBetween(of(many(0)), of(many(1)))
    expect(cut).toHaveLength(21)
    expect(cut.at(-1)).toEqual({ kind: 'configuration', member: null, before: null, after: null })
  })
})
