import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs, seed } from '../../support/properties/runs'
import { fuzz, startCoverage, stopCoverage } from './fuzzing'
import { targets } from './targets'

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
