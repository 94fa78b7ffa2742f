import fc from 'fast-check'
import { beforeEach, type TaskMeta } from 'vitest'
import { runs, seed } from './runs'

declare module 'vitest' {
  interface TaskMeta {
    /** How many values the test's properties tried. */
    tried?: number
  }
}

/** Of the running test. */
let running: TaskMeta = {}

beforeEach(({ task }) => {
  running = task.meta
})

fc.configureGlobal({
  seed,
  numRuns: runs,
  reporter: (run) => {
    running.tried = (running.tried ?? 0) + run.numRuns
    if (run.failed) throw new Error(fc.defaultReportMessage(run) ?? '', { cause: run.errorInstance })
  },
})
