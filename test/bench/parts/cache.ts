/**
 * Benchmarks of the cache alone, in Electron's own Node, as in the cache process. Argument: the number of
 * deployments. Sends its rows to its parent.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listedDeploymentSchema, succeed, type Outcome } from '@contract'
import { readStoredDeployment } from '../../../electron/cache/request-handler'
import { createStore, type Store } from '../../../electron/cache/store'
import { readPageBody } from '../../../electron/cache/store/content'
import { openFile } from '../../../electron/cache/store/file'
import { synchronise } from '../../../electron/main/features/sync/engine'
import { type FetchedPage, type SyncAdapters, systemClock } from '../../../electron/main/features/sync/reader'
import { benchDeployment, BenchDeployments } from '../data/deployments'
import { alternately, median, timed } from '../measure'
import { ratioRow, type Row } from '../rows'

const size = Number(process.argv[2])
const deployments = new BenchDeployments(size)
const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
const key = 'ab'.repeat(32)
const never = new AbortController().signal
const send = (row: Row): void => void process.send?.(row)

/** The generated deployments and a store as a synchronisation sees them. `database.ms` is the store's time. */
function adaptersOf(store: Store): { adapters: SyncAdapters; database: { ms: number; texts: string[] } } {
  const database = { ms: 0, texts: [] as string[] }
  const inStore = async <T>(work: () => T): Promise<Outcome<T>> => {
    const began = performance.now()
    const value = work()
    database.ms += performance.now() - began
    return succeed(value)
  }
  const nothing = (work: () => void): Promise<Outcome<null>> => inStore(() => (work(), null))
  const answer = async (body: Buffer): Promise<Outcome<FetchedPage>> => {
    const now = Date.now()
    // As after a request: unused memory is only freed between two turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve))
    return succeed({ body, span: { sentAt: now, receivedAt: now } })
  }
  return {
    database,
    adapters: {
      source: {
        fetchPage: (offset, limit) => answer(deployments.page(offset, limit)),
        fetchByIds: (ids) => answer(deployments.byIds(new Set(ids))),
      },
      store: {
        opening: () => 1,
        writePage: ({ body, span }, run) => inStore(() => store.writePage(body, span, run)),
        unseen: (run, after, limit) => inStore(() => store.unseen(run, after, limit)),
        markGone: (ids, span) => inStore(() => ({ marked: store.markGone(ids, span) })),
        bulk: (on) => nothing(() => store.bulk(on)),
      },
      clock: systemClock,
      random: Math.random,
    },
  }
}

const openStore = (): Store => createStore(openFile(join(folder, 'cache.db'), key))

/** Synchronises, with the history. Returns the store's time in milliseconds. */
async function storeTime(store: Store): Promise<number> {
  const { adapters, database } = adaptersOf(store)
  const sentAt = Date.now()
  const { end } = await synchronise(adapters, {}, never, () => undefined)
  if (end !== 'complete') throw new Error(`the synchronisation ended ${end}`)
  return database.ms + timed(() => store.synchronised({ sentAt, receivedAt: Date.now() }))
}

/** The time of parsing, validation and checksums of every page, without the database. */
function readingTime(): number {
  let ms = 0
  for (let offset = 0; offset < size; offset += 100) {
    const body = deployments.page(offset, 100)
    ms += timed(() => void readPageBody(body))
  }
  return ms
}

async function benchSynchronisation(): Promise<Store> {
  const reading = readingTime()
  const store = openStore()
  const first = (await storeTime(store)) - reading
  const again: number[] = []
  for (let turn = 0; turn < 5; turn += 1) again.push(await storeTime(store))
  store.close()
  // After a restart, no pages are remembered: they are read again.
  const fresh = openStore()
  const restarted = (await storeTime(fresh)) - reading
  send(
    ratioRow({
      what: 're-synchronisation with nothing changed, database part',
      floor: "the first synchronisation's database part",
      goal: 0.15,
      measured: median(again),
      floorMeasured: first,
      unit: 'ms',
      more: { afterRestart_ms: restarted, afterRestart_ratio: restarted / first, reading_ms: reading },
    }),
  )
  return fresh
}

async function benchReading(store: Store): Promise<void> {
  const query = { filters: {}, search: '', sort: { by: 'created_at' as const, descending: true } }
  const page = (offset: number, snapshot: string | null, search = ''): string =>
    store.page({ query: { ...query, search }, offset, limit: 50, snapshot })
  const { snapshot } = JSON.parse(page(0, null)) as { snapshot: string }
  const read = (part: number) => () => timed(() => page(Math.floor(size * part), snapshot))
  for (let round = 0; round < 50; round += 1) read(0)()
  const depths = []
  for (const part of [0.25, 0.5, 0.75, 0.99]) depths.push(await alternately(100, read(0), read(part)))
  const deepest = depths.sort((one, other) => other.measured / other.floor - one.measured / one.floor)[0]!
  send(
    ratioRow({
      what: 'cached page of 50 at any depth (the slowest of four)',
      floor: 'the same query at page 0',
      goal: 1.5,
      measured: deepest.measured,
      floorMeasured: deepest.floor,
      unit: 'ms',
    }),
  )

  // The whole name of one deployment: all names begin with the same words, and the rest is rare.
  const { name } = JSON.parse(benchDeployment(Math.floor(size / 2))) as { name: string }
  const { db } = openFile(join(folder, 'cache.db'), key)
  const scan = db.prepare('select count(*) as found from deployment where search like ?')
  const search = (): void => {
    const { total } = JSON.parse(page(0, null, name)) as { total: number }
    if (total !== 1) throw new Error(`the search found ${total}`)
  }
  search()
  const { floor, measured } = await alternately(
    15,
    () => timed(() => scan.get(`%${name}%`)),
    () => timed(search),
  )
  send(
    ratioRow({
      what: 'cached search of a rare term, with its page',
      floor: 'LIKE scan of the same table',
      goal: 1 / 50,
      inverse: true,
      measured,
      floorMeasured: floor,
      unit: 'ms',
    }),
  )
  db.close()
}

/** How many changes a deployment has whose history is read. */
const changes = 200

async function benchHistory(store: Store): Promise<void> {
  const answered = JSON.parse(benchDeployment(Math.floor(size / 2))) as { id: string }
  const { id } = answered
  for (let number = 1; number <= changes; number += 1) {
    const now = Date.now() + number
    const changed = { ...answered, updated_at: new Date(now).toISOString(), status: `STATUS-${number}` }
    const body = Buffer.from(JSON.stringify({ resources: [changed], offset: 1 }))
    store.writePage(body, { sentAt: now, receivedAt: now }, null)
  }
  const open = (): number => timed(() => void readStoredDeployment('bench', store.deployment(id)))
  const history = (): number => timed(() => void store.history({ id, before: null, limit: 20 }))
  await alternately(30, open, history)
  const { floor, measured } = await alternately(100, open, history)
  send(
    ratioRow({
      what: `history of a deployment with ${changes} changes, its newest 20`,
      floor: 'opening it from the cache',
      goal: 1.5,
      measured,
      floorMeasured: floor,
      unit: 'ms',
    }),
  )
}

async function benchValidation(): Promise<void> {
  const text = deployments.page(0, 100).toString()
  const { resources } = JSON.parse(text) as { resources: unknown[] }
  const parse = (): number => timed(() => void JSON.parse(text))
  const validate = (): number =>
    timed(() => resources.forEach((resource) => void listedDeploymentSchema.safeParse(resource)))
  await alternately(100, parse, validate)
  const { floor, measured } = await alternately(200, parse, validate)
  send(
    ratioRow({
      what: 'validating a page of 100',
      floor: 'JSON.parse of it',
      goal: 0.6,
      measured,
      floorMeasured: floor,
      unit: 'ms',
    }),
  )
}

try {
  await benchValidation()
  const store = await benchSynchronisation()
  await benchReading(store)
  await benchHistory(store)
  store.close()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.disconnect()
