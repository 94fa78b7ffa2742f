import fc from 'fast-check'
import { beforeEach, type TaskMeta } from 'vitest'

/** The test that is running: what its properties try is counted in it (see electron/launcher/suites/reports.mjs). */
let running: TaskMeta & { tried?: number } = {}

beforeEach(({ task }) => {
  running = task.meta
})

// The same values at every run, so that what fails on one machine fails on each. PROPERTY_SEED=N looks further.
fc.configureGlobal({
  seed: Number(process.env.PROPERTY_SEED ?? 20261121),
  reporter: (run) => {
    running.tried = (running.tried ?? 0) + run.numRuns
    if (run.failed) throw new Error(fc.defaultReportMessage(run) ?? '', { cause: run.errorInstance })
  },
})
