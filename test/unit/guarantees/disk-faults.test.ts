import { builtInEnvironments } from '@contract'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openIndexFile } from '../../../electron/main/environments/list/index-file'
import { FaultDisk, someFaults, somePowerCut } from '../../support/main/fault-disk'

/** Whether an action was acknowledged. It may fail, or the process may end. */
const acknowledged = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    () => false,
  )

/** Several runs of the application, each with its faults and its end. */
const someRuns = fc.array(fc.record({ faults: someFaults(40), powerCut: somePowerCut, acts: fc.nat(8) }), {
  minLength: 1,
  maxLength: 4,
})

it('the index of environments is as last written or attempted, and is never damaged', async () => {
  const path = '/data/environments.json'
  const empty = {
    version: 1 as const,
    environments: [],
    unfinished: [],
    current: builtInEnvironments.cloud.id,
    integrations: {},
    rebuild: false,
  }
  await fc.assert(
    fc.asyncProperty(someRuns, async (runs) => {
      const disk = new FaultDisk()
      let possible = new Set<string>([empty.current])
      for (const [run, { faults, powerCut, acts }] of runs.entries()) {
        const index = openIndexFile(path, empty, disk.files())
        expect([...possible]).toContain(index.first.current)
        disk.plan(faults)
        for (let act = 0; act < acts; act += 1) {
          const current = `${run}-${act}`
          possible.add(current)
          if (await acknowledged(index.write({ ...empty, current }))) possible = new Set([current])
        }
        disk.restart(powerCut)
      }
      const index = openIndexFile(path, empty, disk.files())
      expect([...possible]).toContain(index.first.current)
      expect(index.first.rebuild).toBe(false)
      await index.write({ ...empty, current: 'last' })
      expect(openIndexFile(path, empty, disk.files()).first.current).toBe('last')
    }),
  )
})
