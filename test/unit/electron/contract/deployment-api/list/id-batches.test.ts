import { idBatches } from '@contract/deployment-api/list/id-batches'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

describe('batches of identifiers', () => {
  it('have every valid one, in order, and no more than fit into a request', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 500 }), { maxLength: 300 }), (all) => {
        const batches = idBatches(all)
        expect(batches.flat()).toEqual(all.filter((id) => !id.includes(',')))
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(100)
          expect(batch.length === 1 || batch.join().length <= 4_000).toBe(true)
        }
      }),
    )
  })

  it('take a hundred UUIDs at once', () => {
    const uuids = Array.from({ length: 150 }, () => crypto.randomUUID())
    expect(idBatches(uuids).map(({ length }) => length)).toEqual([100, 50])
  })
})
