import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inProject, projectFolder } from '../../../electron/launcher/base.mjs'
import { addEnvironment, call } from '../../e2e/support/bridge'
import { startDisplay } from '../../e2e/support/processes'
import { Keyring } from '../../e2e/support/keychain'
import type { PageService } from '../processes'
import { ratioRow, type Row } from '../rows'
import { launch, type Place, reportOf, synchronise, timeLimitMs } from './running'

/** How long an application runs before it counts as idle, and how long it is then measured, in milliseconds. */
const settleMs = 60_000
const measureMs = 30_000

interface Usage {
  memoryMb: number
  cpuPercent: number
}

/**
 * The rows about an idle application: memory and processor time of all its processes while it shows a list, against a
 * bare window. They run one after the other, because they would share memory.
 */
export async function benchIdle(service: PageService, size: number, send: (row: Row) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-idle-'))
  const display = await startDisplay()
  const keyring = await Keyring.start()
  const placeOf = (name: string): Place => {
    const userData = join(folder, name)
    mkdirSync(userData)
    return { userData, environment: { ...display.environment, ...keyring.environment } }
  }
  try {
    const floor = await idleUsage(placeOf('bare'), inProject('test/bench/window/bare-window'))
    const own = placeOf('user-data')
    await fillCache(own, service)
    const measured = await idleUsage(own, projectFolder)
    send(
      ratioRow({
        what: `memory of all processes, idle, with ${size.toLocaleString('en-GB')} cached deployments`,
        floor: 'a bare window',
        goal: 1.4,
        measured: measured.memoryMb,
        floorMeasured: floor.memoryMb,
        unit: 'mb',
      }),
    )
    const more = measured.cpuPercent - floor.cpuPercent
    send({
      what: 'processor time of all processes, idle',
      floor: `a bare window: ${floor.cpuPercent.toFixed(2)}% of a core`,
      goal: '<= +0.5% of a core',
      measured: `${more < 0 ? '' : '+'}${more.toFixed(2)}%`,
      reached: more <= 0.5,
      figures: { measured_percent: measured.cpuPercent, floor_percent: floor.cpuPercent },
    })
  } finally {
    await keyring.close()
    await display.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Makes the service's environment the current one, and fills its cache. */
async function fillCache(place: Place, service: PageService): Promise<void> {
  const app = await launch(place)
  try {
    const page = await app.firstWindow({ timeout: timeLimitMs })
    const environmentId = await addEnvironment(page, 'Bench', service.url)
    await call(page, 'sync.interval', { environmentId, minutes: 0 })
    await synchronise(page, environmentId)
  } finally {
    await app.close()
  }
}

/** Starts an application and measures it once it has settled. */
const idleUsage = (place: Place, folder: string): Promise<Usage> =>
  reportOf(
    place,
    folder,
    { SLIPWAY_BENCH_IDLE: `${settleMs} ${measureMs}` },
    settleMs + measureMs + timeLimitMs,
  )
