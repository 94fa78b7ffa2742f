import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { fuzz, startCoverage, stopCoverage } from './fuzzing'
import { targets } from './targets'

// One screen, for the position of the window.
vi.mock('electron', () => {
  const display = () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } })
  return { screen: { getDisplayMatching: display, getPrimaryDisplay: display } }
})

/**
 * Inputs for each target. FUZZ_EXECUTIONS=100000 tries many more, PROPERTY_SEED=N tries others. The first inputs are
 * those that once broke something.
 */
const executions = Number(process.env.FUZZ_EXECUTIONS ?? 150)
const seed = Number(process.env.PROPERTY_SEED ?? 20261122)

describe('bytes from outside', { timeout: 60_000 + executions * 50 }, () => {
  beforeAll(startCoverage)
  afterAll(stopCoverage)

  for (const target of targets) {
    it(`keep the promises of ${target.name}`, async ({ task }) => {
      const found = await fuzz(target, executions, seed)
      Object.assign(task.meta, { tried: found.executions })
      process.stdout.write(
        `fuzz: ${target.name}: ${found.executions} inputs (seed ${seed}), ${found.reached} branches, ` +
          `${found.added} inputs kept\n`,
      )
      expect(found.executions).toBeGreaterThanOrEqual(executions)
      // A target that always fails at its first check wasn't tested.
      expect(found.reached).toBeGreaterThan(5)
    })
  }
})
