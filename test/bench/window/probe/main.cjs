// Loaded into Electron's main process before the application (-r FILE), by the benchmarks of the running application.
// What they need of the main process is at globalThis.bench; Playwright's evaluate finds it there.

const { appendFileSync, readFileSync } = require('node:fs')
const { cpus } = require('node:os')
const { monitorEventLoopDelay } = require('node:perf_hooks')
const { join } = require('node:path')
const { app, ipcMain, session } = require('electron')

/**
 * What a process takes of the machine's memory, in KiB. Linux counts pages that several processes share by their part,
 * elsewhere each process counts them whole.
 *
 * @param {number} pid
 * @param {number} workingSetSize
 */
function shareOf(pid, workingSetSize) {
  if (process.platform !== 'linux') return workingSetSize
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
}

/** @type {import('node:perf_hooks').IntervalHistogram | undefined} */
let delays

const bench = {
  /**
   * Fetches pages raw through the fetch of a session, some at a time, and appends them to a
   * file where one is named.
   *
   * @param {{ url: string, offsets: number[], limit: number, inFlight: number, file?: string }} asked
   * @returns {Promise<number>} milliseconds
   */
  async fetchPages({ url, offsets, limit, inFlight, file }) {
    const own = session.fromPartition('bench')
    const left = [...offsets]
    const worker = async () => {
      for (let offset = left.shift(); offset !== undefined; offset = left.shift()) {
        const answer = await own.fetch(`${url}/v2/deployments?limit=${limit}&offset=${offset}`, {
          cache: 'no-store',
          credentials: 'omit',
        })
        const bytes = Buffer.from(await answer.arrayBuffer())
        if (file) appendFileSync(file, bytes)
      }
    }
    const began = performance.now()
    await Promise.all(Array.from({ length: inFlight }, worker))
    return performance.now() - began
  },

  startDelays() {
    delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
  },

  /** How late timers were since `startDelays`, in milliseconds. */
  stopDelays() {
    if (!delays) throw new Error('not started')
    delays.disable()
    return { p99: delays.percentile(99) / 1e6, max: delays.max / 1e6 }
  },

  /**
   * Lets a call of the bridge answer with a fixed text.
   *
   * @param {string} name
   * @param {string} text
   */
  answerWith(name, text) {
    ipcMain.removeHandler(`call:${name}`)
    ipcMain.handle(`call:${name}`, () => text)
  },
}

Object.assign(globalThis, { bench })

// With SLIPWAY_BENCH_START, tells when the page was first painted and when it was usable, and quits.
if (process.env.SLIPWAY_BENCH_START) {
  ipcMain.on('bench:moments', (_event, /** @type {object} */ moments) => {
    process.stdout.write(`${JSON.stringify(moments)}\n`)
    app.quit()
  })
  app.on('session-created', (created) => created.setPreloads([join(__dirname, 'preload.cjs')]))
}

/**
 * The memory of all processes of the application, in MiB, and the processor time that they took since the last call, in
 * percent of one core.
 */
function usage() {
  const metrics = app.getAppMetrics()
  const memory = metrics.reduce(
    (sum, { pid, memory: { workingSetSize } }) => sum + shareOf(pid, workingSetSize),
    0,
  )
  const share = metrics.reduce((sum, { cpu }) => sum + cpu.percentCPUUsage, 0)
  return { memoryMb: memory / 1024, cpuPercent: share * cpus().length }
}

// With SLIPWAY_BENCH_IDLE, reports what the application takes once it has settled, and quits.
if (process.env.SLIPWAY_BENCH_IDLE) {
  const [settleMs = 0, measureMs = 0] = process.env.SLIPWAY_BENCH_IDLE.split(' ').map(Number)
  const wait = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms))
  void app
    .whenReady()
    .then(() => wait(settleMs))
    .then(usage)
    .then(() => wait(measureMs))
    .then(() => {
      process.stdout.write(`${JSON.stringify(usage())}\n`)
      app.quit()
    })
}
