import { describe, expect, test } from 'vitest'
import { inBatches } from '../../../../../../electron/service/database/postgres/batches'

/** Batches that record what they are given, and fail on request. */
function batches(failsFor: (items: readonly string[]) => Error | null, isShared = false) {
  const runs: (readonly string[])[] = []
  const run = async (items: readonly string[]): Promise<string[]> => {
    runs.push(items)
    await Promise.resolve()
    const error = failsFor(items)
    if (error) throw error
    return items.map((item) => item.toUpperCase())
  }
  return { runs, add: inBatches(run, () => isShared, 3) }
}

describe('inBatches', () => {
  test('combines what arrives together, up to a number, and returns each its own result', async () => {
    const { runs, add } = batches(() => null)
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(add))).toEqual(['A', 'B', 'C', 'D'])
    expect(runs).toEqual([['a', 'b', 'c'], ['d']])
    expect(await add('e')).toBe('E')
  })

  test('one that fails does not affect the others', async () => {
    const { add } = batches((items) => (items.includes('b') ? new Error('b is odd') : null))
    const results = await Promise.allSettled(['a', 'b', 'c'].map(add))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('a batch that fails as a whole is not retried', async () => {
    const { runs, add } = batches(() => new Error('the connection is lost'), true)
    const results = await Promise.allSettled(['a', 'b'].map(add))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(runs).toHaveLength(1)
  })
})
