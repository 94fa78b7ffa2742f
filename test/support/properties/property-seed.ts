import fc from 'fast-check'
import { beforeEach, type TaskMeta } from 'vitest'

/** The running test. It counts the values that its properties try (see electron/launcher/suites/reports.mjs). */
let running: TaskMeta & { tried?: number } = {}

beforeEach(({ task }) => {
  running = task.meta
})

// Every run uses the same values, so that a failure on one machine is a failure on all. PROPERTY_SEED=N tries others.
fc.configureGlobal({
  seed: Number(process.env.PROPERTY_SEED ?? 20261121),
  reporter: (run) => {
    running.tried = (running.tried ?? 0) + run.numRuns
    if (run.failed) throw new Error(fc.defaultReportMessage(run) ?? '', { cause: run.errorInstance })
  },
})
