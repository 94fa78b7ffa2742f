import fc from 'fast-check'
import { beforeEach, type TaskMeta } from 'vitest'
import { runs, seed } from './runs'

/** The running test. It counts the values that its properties try (see electron/launcher/suites.ts). */
let running: TaskMeta & { tried?: number } = {}

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
