/**
 * The benchmarks of the local copy and its synchronisation: each row is a ratio to a floor that is measured in the same
 * run. Arguments: how many deployments, and the file for the figures as JSON. Ends with status 0 whatever the figures.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { deploymentSchema, failure, fail, succeed, type Outcome } from '@contract'
import { readPageText } from '../../electron/cache/store/content'
import { createStore, type Store } from '../../electron/cache/store'
import { openFile } from '../../electron/cache/store/file'
import { synchronise } from '../../electron/main/sync/engine'
import type { FetchedPage, SyncPorts } from '../../electron/main/sync/port'
import { benchPage, hex } from './deployments'

interface Row {
  what: string
  floorMs: number
  ms: number
  ratio: number
  goal: number
}

const count = Number(process.argv[2] ?? 50_000)
const report = process.argv[3]
const limit = 100
const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
const rows: Row[] = []
const never = new AbortController().signal

const median = (values: number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0

function timed(work: () => void): number {
  const began = performance.now()
  work()
  return performance.now() - began
}

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

function note(what: string, floorMs: number, ms: number, goal: number): void {
  rows.push({ what, floorMs, ms, ratio: ms / floorMs, goal })
}

/** A service that answers pages which are made beforehand, after a delay. */
async function startServer(delayMs: { value: number }): Promise<{ url: string; close: () => void }> {
  const pages = new Map<number, string>()
  for (let offset = 0; offset < count; offset += limit) pages.set(offset, benchPage(offset, limit))
  const cut = (offset: number, most: number): string => {
    const whole = pages.get(offset)
    if (whole && most === limit) return whole
    return benchPage(offset, Math.max(0, Math.min(most, count - offset)))
  }
  const cache = new Map<string, string>()
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://bench')
    const key = searchParams.toString()
    const body = cache.get(key) ?? cut(Number(searchParams.get('offset')), Number(searchParams.get('limit')))
    cache.set(key, body)
    setTimeout(() => response.end(body), delayMs.value)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** The service and a store as a synchronisation sees them; `databaseMs` counts the time that the store took. */
function portsOf(url: string, store: Store): { ports: SyncPorts; database: { ms: number } } {
  const database = { ms: 0 }
  const inStore = async <T>(work: () => T): Promise<Outcome<T>> => {
    let result: Outcome<T> = fail(failure('internal', 'not done'))
    database.ms += timed(() => {
      result = succeed(work())
    })
    return Promise.resolve(result)
  }
  const get = async (query: string, signal: AbortSignal): Promise<Outcome<FetchedPage>> => {
    const sentAt = Date.now()
    try {
      const text = await (await fetch(`${url}/?${query}`, { signal })).text()
      return succeed({ text, span: { sentAt, receivedAt: Date.now() } })
    } catch {
      if (signal.aborted) return fail(failure('cancelled', 'given up'))
      return fail(failure('connection-lost', 'no answer', { retryable: true }))
    }
  }
  return {
    database,
    ports: {
      source: {
        fetchPage: (offset, most, signal) => get(`limit=${most}&offset=${offset}`, signal),
        fetchByIds: (ids, signal) => get(`limit=100&offset=0&deployment_ids=${ids.join()}`, signal),
      },
      store: {
        writePage: ({ text, span }, run) => inStore(() => store.writePage(text, span, run)),
        unseen: (run, after, most) => inStore(() => store.unseen(run, after, most)),
        markGone: (ids, span) => inStore(() => ({ marked: store.markGone(ids, span) })),
        bulk: (on) =>
          inStore(() => {
            store.bulk(on)
            return null
          }),
        readNote: (key) => inStore(() => store.readNote(key)),
        writeNote: (key, value) =>
          inStore(() => {
            store.writeNote(key, value)
            return null
          }),
      },
      clock: {
        now: () => Date.now(),
        sleep: (ms, signal) =>
          new Promise((resolve) => {
            const timer = setTimeout(resolve, ms)
            signal.addEventListener('abort', () => {
              clearTimeout(timer)
              resolve()
            })
          }),
      },
      random: Math.random,
    },
  }
}

async function benchSync(): Promise<Store> {
  const delay = { value: 0 }
  const server = await startServer(delay)
  const raw = join(folder, 'raw')
  const fetchRaw = async (offset: number): Promise<void> => {
    const bytes = await (await fetch(`${server.url}/?limit=${limit}&offset=${offset}`)).arrayBuffer()
    appendFileSync(raw, Buffer.from(bytes))
  }
  const fetchAll = async (): Promise<void> => {
    for (let offset = 0; offset < count; offset += limit) await fetchRaw(offset)
  }
  // Once to warm the service up, so that both find its pages ready.
  await fetchAll()
  rmSync(raw)
  const floor = await timedAsync(fetchAll)

  const { db } = openFile(join(folder, 'copy.db'), 'ab'.repeat(32))
  const store = createStore(db)
  // The first synchronisation has the service make its overlapping pages; the one that counts begins anew.
  let result = await synchronise(portsOf(server.url, store).ports, {}, never, () => undefined)
  store.close()
  const fresh = createStore(openFile(join(folder, 'second.db'), 'ab'.repeat(32)).db)
  const second = portsOf(server.url, fresh)
  const full = await timedAsync(async () => {
    result = await synchronise(second.ports, {}, never, () => undefined)
  })
  note(
    `full synchronisation of ${count}, ${result.passes} passes (${result.end}), everything in one process`,
    floor,
    full,
    6,
  )
  const reading = timed(() => {
    for (let offset = 0; offset < count; offset += limit) readPageText(benchPage(offset, limit))
  })
  const making = timed(() => {
    for (let offset = 0; offset < count; offset += limit) benchPage(offset, limit)
  })
  // What parsing, validating and checksums take is no work of the database.
  const firstDatabase = second.database.ms - (reading - making)
  second.database.ms = 0
  await synchronise(second.ports, {}, never, () => undefined)
  note(
    're-synchronisation with nothing changed, against the database part of the first',
    firstDatabase,
    second.database.ms,
    0.15,
  )

  delay.value = 25
  const offsets = Array.from({ length: 40 }, (_, index) => index * limit)
  const sequential = await timedAsync(async () => {
    for (const offset of offsets) await fetchRaw(offset)
  })
  const parallel = await timedAsync(async () => {
    const left = [...offsets]
    const worker = async (): Promise<void> => {
      for (let offset = left.shift(); offset !== undefined; offset = left.shift()) await fetchRaw(offset)
    }
    await Promise.all(Array.from({ length: 8 }, worker))
  })
  note('8 pages in flight at 25 ms latency, 40 pages', sequential, parallel, 0.2)
  server.close()
  return fresh
}

function benchValidation(): void {
  const text = benchPage(0, limit)
  const { resources } = JSON.parse(text) as { resources: unknown[] }
  const validate = (): void => resources.forEach((resource) => void deploymentSchema.safeParse(resource))
  const parse = (): void => void JSON.parse(text)
  // In turns, so that what else the machine does falls on both.
  const turns = Array.from({ length: 60 }, () => [timed(parse), timed(validate)] as const)
  note(
    'validating a page of 100',
    median(turns.map(([one]) => one)),
    median(turns.map(([, two]) => two)),
    0.6,
  )
}

function benchReading(store: Store): void {
  const query = { filters: {}, search: '', sort: { by: 'created_at' as const, descending: true } }
  const page = (offset: number, snapshot: string | null, search = ''): string =>
    store.page({ query: { ...query, search }, offset, limit: 50, snapshot })
  const { snapshot } = JSON.parse(page(0, null)) as { snapshot: string }
  const repeat = (work: () => void): number => median(Array.from({ length: 60 }, () => timed(work)))
  const first = repeat(() => page(0, snapshot))
  const deepest = Math.max(
    ...[0.25, 0.5, 0.75, 0.99].map((part) => repeat(() => page(Math.floor(count * part), snapshot))),
  )
  note('cached page at any depth', first, deepest, 1.5)

  const { db } = openFile(join(folder, 'second.db'), 'ab'.repeat(32))
  const scan = db.prepare('select count(*) as found from deployment where search like ?')
  const term = hex(Math.floor(count / 2), 6)
  scan.get(`%${term}%`)
  const scanned = median(Array.from({ length: 15 }, () => timed(() => scan.get(`%${term}%`))))
  const find = db.prepare(
    'select count(*) as found from deployment where seq in (select rowid from finder where search like ?)',
  )
  const found = median(Array.from({ length: 15 }, () => timed(() => find.get(`%${term}%`))))
  note('cached search of a rare term, in the index', scanned, found, 1 / 50)
  const whole = median(Array.from({ length: 15 }, () => timed(() => page(0, null, term))))
  note('cached search of a rare term, with its page of rows', scanned, whole, 1)
  db.close()
}

const store = await benchSync()
benchValidation()
benchReading(store)
store.close()
rmSync(folder, { recursive: true, force: true })

const machine = `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`
const figure = (value: number): string => value.toPrecision(3)
console.log(`${machine}\n`)
for (const { what, floorMs, ms, ratio, goal } of rows) {
  const met = ratio <= goal ? 'reached' : 'NOT reached'
  console.log(
    `${what}\n  ${figure(ms)} ms, floor ${figure(floorMs)} ms: ${figure(ratio)}x, goal ${figure(goal)}x, ${met}`,
  )
}
if (report) writeFileSync(report, JSON.stringify({ machine, deployments: count, rows }, null, 2))
