import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ElectronApplication, Page } from '@playwright/test'
import { inProject, projectFolder } from '../../../electron/launcher/base.mjs'
import { addEnvironment, call } from '../../e2e/support/bridge'
import { startDisplay } from '../../e2e/support/processes'
import { Keyring } from '../../e2e/support/keychain'
import { alternately, median, percentile95 } from '../measure'
import { benchBoardScrolling } from './board-scrolling'
import { benchLog } from './log'
import { benchPalette } from './palette'
import type { PageService } from '../processes'
import { missingRow, ratioRow, type Row } from '../rows'
import { inMain, launch, type Place, reportOf, synchronise, timeLimitMs } from './running'
import { scrollRuns } from './scrolling'

const limit = 100
const turns = 5

/** Rows that need the running application: synchronisation, IPC, pages in flight, scrolling, start. */
export async function benchApplication(
  service: PageService,
  size: number,
  send: (row: Row) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  const display = await startDisplay()
  const keyring = await Keyring.start()
  const place = {
    userData: join(folder, 'user-data'),
    environment: { ...display.environment, ...keyring.environment },
  }
  mkdirSync(place.userData)
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      send(missingRow(what, error))
    }
  }
  try {
    const app = await launch(place)
    const page = await app.firstWindow({ timeout: timeLimitMs })
    await page.getByRole('navigation', { name: 'Main' }).waitFor({ timeout: timeLimitMs })
    try {
      await attempt('pages in flight', () => benchInFlight(app, service, send))
      await attempt('full synchronisation', () =>
        benchSynchronisation(app, page, service, size, folder, send),
      )
      await attempt('scrolling', () => benchScrolling(page, size, send))
      await attempt('command palette', () => benchPalette(page, size, send))
      await attempt('the board', () => benchBoardScrolling(page, size, send))
      await attempt('a log', () => benchLog(app, page, send))
      await attempt('IPC', () => benchIpc(app, page, send))
    } finally {
      await app.close()
    }
    await attempt('start', () => benchStart(place, service, folder, send))
  } finally {
    await keyring.close()
    await display.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function benchInFlight(
  app: ElectronApplication,
  service: PageService,
  send: (row: Row) => void,
): Promise<void> {
  await service.setDelay(25)
  const fetchAll = (inFlight: number) => () =>
    inMain(app, 'fetchPages', {
      url: service.url,
      offsets: Array.from({ length: 80 }, (_, index) => index),
      limit,
      inFlight,
    })
  await fetchAll(8)()
  const { floor, measured } = await alternately(turns, fetchAll(1), fetchAll(8))
  await service.setDelay(0)
  send(
    ratioRow({
      what: '8 pages in flight at 25 ms latency',
      floor: 'one after another',
      goal: 0.2,
      measured,
      floorMeasured: floor,
      unit: 'ms',
    }),
  )
}

async function benchSynchronisation(
  app: ElectronApplication,
  page: Page,
  service: PageService,
  size: number,
  folder: string,
  send: (row: Row) => void,
): Promise<void> {
  const offsets = Array.from({ length: Math.ceil(size / limit) }, (_, index) => index * limit)
  const raw = async (turn: number): Promise<number> => {
    const file = join(folder, `raw-${turn}`)
    const ms = await inMain(app, 'fetchPages', { url: service.url, offsets, limit, inFlight: 1, file })
    rmSync(file)
    return ms
  }
  const idle = await idleDelays(app)
  const delays: { p99: number; max: number }[] = []
  let turn = 0
  let environmentId = ''
  const { floor, measured } = await alternately(
    turns,
    () => raw(turn),
    async () => {
      // Each fills an empty cache. The last one stays for the rows below.
      if (environmentId) await call(page, 'environments.remove', { id: environmentId, confirmedName: null })
      turn += 1
      environmentId = await addEnvironment(page, `Bench ${turn}`, service.url)
      await call(page, 'sync.interval', { environmentId, minutes: 0 })
      await inMain(app, 'startDelays')
      const ms = await synchronise(page, environmentId)
      delays.push(await inMain(app, 'stopDelays'))
      return ms
    },
  )
  const p99 = median(delays.map((delay) => delay.p99))
  send(
    ratioRow({
      what: `full synchronisation of ${size.toLocaleString('en-GB')} into an empty, encrypted cache`,
      floor: 'the same bodies fetched raw and appended to a file',
      goal: 6,
      measured,
      floorMeasured: floor,
      unit: 'ms',
    }),
  )
  send({
    what: "main process's event loop during it",
    floor: `idle: ${idle.p99.toFixed(1)} ms`,
    goal: 'p99 delay <= 50 ms',
    measured: `${p99.toFixed(1)} ms`,
    reached: p99 <= 50,
    figures: {
      p99_ms: p99,
      longest_ms: Math.max(...delays.map(({ max }) => max)),
      idleP99_ms: idle.p99,
    },
  })
}

async function idleDelays(app: ElectronApplication): Promise<{ p99: number; max: number }> {
  await inMain(app, 'startDelays')
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  return inMain(app, 'stopDelays')
}

/** A page of summaries through the bridge, against an empty call of the same bridge. */
async function benchIpc(app: ElectronApplication, page: Page, send: (row: Row) => void): Promise<void> {
  const state = await call(page, 'app.state', {})
  const environmentId = state.ok ? (state.value.currentEnvironmentId ?? '') : ''
  const query = { filters: {}, search: '', sort: { by: 'created_at' as const, descending: true } }
  const input = { environmentId, request: { query, offset: 0, limit: 50, snapshot: null } }
  const cached = await call(page, 'cache.page', input)
  if (!cached.ok || cached.value.deployments.length !== 50) throw new Error('the cache has no page of 50')
  const whole = await timeCalls(page, 'cache.page', {
    ...input,
    request: { ...input.request, snapshot: cached.value.snapshot },
  })
  // From here on, the calls answer with prepared values, so that only the way to the page's script is measured.
  await inMain(app, 'answerWith', 'cache.page', JSON.stringify(cached))
  await inMain(app, 'answerWith', 'journal.list', 'null')
  const { floor, measured } = await alternately(
    turns,
    () => timeCalls(page, 'journal.list', {}),
    () => timeCalls(page, 'cache.page', input),
  )
  send(
    ratioRow({
      what: 'delivering 50 summaries to the renderer',
      floor: 'an empty IPC call',
      goal: 3,
      measured,
      floorMeasured: floor,
      unit: 'ms',
      more: { fromTheCache_ms: whole, fromTheCache_ratio: whole / floor },
    }),
  )
}

/**
 * The time of a call until its answer is parsed: the mean of many, because the page's clock has a resolution of 0.1
 * ms.
 */
function timeCalls(page: Page, name: 'cache.page' | 'journal.list', input: unknown): Promise<number> {
  return page.evaluate(
    async ([member, callInput]) => {
      const count = 200
      const began = performance.now()
      for (let index = 0; index < count; index += 1) {
        JSON.parse(await window.slipway.calls[member](`bench-${index}`, callInput))
      }
      return (performance.now() - began) / count
    },
    [name, input] as const,
  )
}

/** Scrolls through the cached list, some rows a frame, and measures the time between frames. */
async function benchScrolling(page: Page, size: number, send: (row: Row) => void): Promise<void> {
  await page.getByRole('radio', { name: 'Cached', exact: true }).check({ timeout: timeLimitMs })
  const table = page.getByRole('table', { name: 'Deployments' })
  await table.getByRole('rowheader').nth(10).waitFor({ timeout: timeLimitMs })
  const runs = await scrollRuns(table, { down: 120, across: 0 })
  const frame = 1000 / 60
  const p95 = median(runs.map((frames) => percentile95(frames)))
  const late = median(
    runs.map((frames) => frames.filter((ms) => ms > frame * 1.5).length / Math.max(frames.length, 1)),
  )
  send({
    what: `scrolling ${size.toLocaleString('en-GB')} cached rows`,
    floor: 'one 60 Hz frame (16.7 ms)',
    goal: 'p95 <= 17.7 ms, <= 3% late',
    measured: `p95 ${p95.toFixed(1)} ms, ${(late * 100).toFixed(1)}% late`,
    reached: p95 <= frame + 1 && late <= 0.03,
    figures: { p95_ms: p95, late_share: late },
  })
}

/** Starts the application with its cache, and a bare window, and times both from the start of the process. */
async function benchStart(
  place: Place,
  service: PageService,
  folder: string,
  send: (row: Row) => void,
): Promise<void> {
  // The service answers late, so that the table shows the cache first.
  await service.setDelay(3_000)
  const bareData = join(folder, 'bare')
  const floors: number[] = []
  const painted: number[] = []
  const usable: number[] = []
  for (let turn = -1; turn < turns; turn += 1) {
    const bare = await startOnce(place, bareData, inProject('test/bench/window/bare-window'))
    const own = await startOnce(place, place.userData, projectFolder)
    // The first round fills the system's caches.
    if (turn < 0) continue
    floors.push(bare.painted)
    painted.push(own.painted)
    usable.push(own.usable ?? 0)
  }
  await service.setDelay(0)
  const floor = { floor: 'first paint of a bare window', floorMeasured: median(floors), unit: 'ms' as const }
  send(ratioRow({ what: 'first paint', goal: 1.25, measured: median(painted), ...floor }))
  send(
    ratioRow({ what: 'usable: the first cached page is shown', goal: 2, measured: median(usable), ...floor }),
  )
}

interface Moments {
  painted: number
  usable?: number
}

/** Starts an application until it is painted, or usable if it is Slipway. Times are milliseconds from the start. */
async function startOnce(place: Place, userData: string, folder: string): Promise<Moments> {
  const began = performance.timeOrigin + performance.now()
  const { painted, usable } = await reportOf<Moments>({ ...place, userData }, folder, {
    SLIPWAY_BENCH_START: '1',
  })
  return { painted: painted - began, ...(usable === undefined ? {} : { usable: usable - began }) }
}
