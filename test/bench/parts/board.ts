/**
 * The benchmarks of the board's first rows and of the Overview, in Electron's own Node, with the caches in this process.
 * Argument: the number of deployments. Sends its rows to its parent.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Outcome, succeed } from '@contract'
import { createAllCaches } from '../../../electron/main/features/all-caches'
import { createOverview } from '../../../electron/main/features/overview'
import { createBoard } from '../../../electron/main/features/board'
import type { Environments } from '../../../electron/main/environments'
import { type Cache, createCache } from '../../../electron/main/processes/cache-client'
import { forkCacheHere } from '../../support/cache/cache-here'
import { benchDeployment } from '../data/deployments'
import { alternately } from '../measure'
import { ratioRow, type Row } from '../rows'
import { createStoreProcess } from '../../../electron/main/processes/store-process'

const size = Number(process.argv[2])
const turns = 15
const columns = ['one', 'two', 'three', 'four', 'five', 'six']
const whole = 'whole'
const never = new AbortController().signal
const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))

const environments = {
  state: () => ({ environments: [whole, ...columns].map((id) => ({ id, service: id })) }),
  destination: () => null,
} as unknown as Pick<Environments, 'state' | 'destination'>

const cache: Cache = createCache({
  process: createStoreProcess({ fork: () => forkCacheHere(), timeLimitMs: 600_000 }),
  keys: {
    keyFor: () => Promise.resolve(succeed('ab'.repeat(32))),
    forget: () => Promise.resolve(),
  },
  exists: () => true,
  target: (environmentId) =>
    Promise.resolve(succeed({ environmentId, baseUrl: 'https://bench', headers: {} })),
  folder,
  notice: () => undefined,
})

function value<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(outcome.failure.message)
  return outcome.value
}

/** One of this many deployments has changed since the first synchronisation, and isn't settled. */
const changedEvery = 100

/**
 * Fills a cache with deployments, of which each is an agent of its own, as a synchronisation and a later one do. In a
 * tenth of them, `commit` differs.
 */
async function fill(id: string, count: number, commit: string): Promise<void> {
  const from = value(await cache.service(id))
  const write = async (texts: string[], at: number): Promise<void> => {
    const body = Buffer.from(`{"resources":[${texts.join()}],"offset":${texts.length}}`)
    const span = { sentAt: at, receivedAt: at + 10 }
    value(await cache.ask(id, 'write-page', { body, span, run: at }, from))
  }
  const textOf = (index: number): string => {
    const text = benchDeployment(index).replace(/\/app-\d+"/, `/app-${index}"`)
    return index % 10 === 0 ? text.replace(/"repo_commit_sha":"../, `"repo_commit_sha":"${commit}`) : text
  }
  const [before, now] = [Date.now() - 60 * 60_000, Date.now()]
  value(await cache.ask(id, 'bulk', { on: true }))
  for (let offset = 0; offset < count; offset += 100) {
    const texts = Array.from({ length: Math.min(100, count - offset) }, (_, at) => textOf(offset + at))
    await write(texts, before)
  }
  value(await cache.ask(id, 'bulk', { on: false }))
  const span = { sentAt: before, receivedAt: before + 10 }
  value(await cache.ask(id, 'synchronised', { span }))
  const changed = Array.from({ length: Math.floor(count / changedEvery) }, (_, number) => {
    const deployment = JSON.parse(textOf(number * changedEvery)) as object
    const updated_at = new Date(now - 30 * 60_000).toISOString()
    return JSON.stringify({ ...deployment, status: 'AWAITING_DATABASE', updated_at })
  })
  for (let at = 0; at < changed.length; at += 100) await write(changed.slice(at, at + 100), now)
}

async function time(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function firstPage(): Promise<void> {
  const query = { filters: {}, search: '', sort: { by: 'created_at' as const, descending: true } }
  const page = await cache.askText(whole, 'page', {
    request: { query, offset: 0, limit: 50, snapshot: null },
  })
  JSON.parse(value(page).text)
}

const input = {
  environmentIds: columns,
  search: '',
  onlyDiffering: false,
  offset: 0,
  limit: 25,
  cellsOf: columns,
  snapshot: null,
  isWhole: false,
}

async function firstRows(board: ReturnType<typeof createBoard>): Promise<string> {
  const { rows, snapshot } = value(await board['board.page'](input, never))
  if (rows.length !== input.limit) throw new Error(`the board has ${rows.length} rows`)
  return snapshot
}

try {
  await fill(whole, size, '00')
  for (const [index, id] of columns.entries()) await fill(id, Math.ceil(size / columns.length), `0${index}`)
  const allCaches = createAllCaches(cache, environments, Promise.resolve())
  const board = createBoard({
    allCaches,
    agents: { known: () => Promise.resolve({ pinned: [], assignedIn: () => new Map(), failure: null }) },
    environments,
  })
  const all: number[] = []
  const { floor, measured } = await alternately(
    turns,
    () => time(firstPage),
    async () => {
      let snapshot = ''
      const ms = await time(async () => {
        snapshot = await firstRows(board)
      })
      all.push(
        ms +
          (await time(
            async () => void value(await board['board.page']({ ...input, snapshot, isWhole: true }, never)),
          )),
      )
      return ms
    },
  )
  process.send?.(
    ratioRow({
      what: `first rows of the board with ${size.toLocaleString('en-GB')} deployments in ${columns.length} environments`,
      floor: 'the first page of as many in one cache',
      goal: 1.5,
      measured,
      floorMeasured: floor,
      unit: 'ms',
      more: { allRows_ms: all.sort((one, other) => one - other)[all.length >> 1] ?? 0 },
    }) satisfies Row,
  )

  const overview = createOverview({
    allCaches,
    journal: { entries: () => Promise.resolve([]) },
    targetOf: () => null,
    connectionOf: (environmentId) => ({ environmentId, state: 'unknown', at: null, reason: null }),
    problemOf: () => null,
  })
  const seen = await alternately(
    turns,
    () => time(firstPage),
    () => time(async () => void value(await overview['overview.read']({ environmentIds: columns }, never))),
  )
  process.send?.(
    ratioRow({
      what: `the Overview's environments, with ${size.toLocaleString('en-GB')} deployments in ${columns.length}, 1% not settled`,
      floor: 'the first page of as many in one cache',
      goal: 3,
      measured: seen.measured,
      floorMeasured: seen.floor,
      unit: 'ms',
    }) satisfies Row,
  )
} finally {
  await cache.close()
  rmSync(folder, { recursive: true, force: true })
}
process.disconnect()
