import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { runs, seed } from '../../support/properties/runs'
import { fuzz, startCoverage, stopCoverage } from './fuzzing'
import { targets } from './targets'

// One screen, for the position of the window.
vi.mock('electron', () => {
  const display = () => ({ workArea: { x: 0, y: 0, width: 1920, height: 1080 } })
  return { screen: { getDisplayMatching: display, getPrimaryDisplay: display } }
})

describe('bytes from outside', () => {
  beforeAll(startCoverage)
  afterAll(stopCoverage)

  for (const target of targets) {
    it(`keep the promises of ${target.name}`, async ({ task }) => {
      const found = await fuzz(target, runs, seed)
      Object.assign(task.meta, { tried: found.executions })
      process.stdout.write(
        `fuzz: ${target.name}: ${found.executions} inputs (seed ${seed}), ${found.reached} branches, ` +
          `${found.added} inputs kept\n`,
      )
      expect(found.executions).toBeGreaterThanOrEqual(runs)
      // A target that always fails at its first check wasn't tested.
      expect(found.reached).toBeGreaterThan(2)
    })
  }
})
