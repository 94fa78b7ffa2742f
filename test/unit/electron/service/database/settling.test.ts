import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { settleInBackground } from '../../../../../electron/service/database/settling'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Deployments that become due, and what was written about them. */
function world(due: number[], longestWait = Infinity) {
  const written: number[] = []
  const reports: unknown[] = []
  const state = { isFull: false, looks: 0 }
  const deployments = {
    nextDue: () => (due.length === 0 ? null : new Date(Math.min(...due)).toISOString()),
    settleDue: async (now: string) => {
      await Promise.resolve()
      state.looks += 1
      if (state.isFull) throw new Error('full')
      const ended = due.filter((one) => one <= Date.parse(now))
      for (const time of ended) {
        due.splice(due.indexOf(time), 1)
        written.push(time)
      }
      return ended.length
    },
  }
  const settling = settleInBackground(deployments, (error) => reports.push(error), longestWait)
  return { due, written, reports, state, settling }
}

describe('settleInBackground', () => {
  test('writes what was due before it started, and what becomes due, several at once', async () => {
    const { written } = world([-5_000, 3_000, 3_500])
    await vi.advanceTimersByTimeAsync(0)
    expect(written).toEqual([-5_000])
    await vi.advanceTimersByTimeAsync(4_000)
    expect(written).toEqual([-5_000, 3_000, 3_500])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('writes what is inserted later, even if it is due sooner', async () => {
    const { due, written, settling } = world([86_400_000])
    due.push(2_000)
    settling.plan(new Date(2_000).toISOString())
    await vi.advanceTimersByTimeAsync(3_000)
    expect(written).toEqual([2_000])
  })

  test('waits for an end beyond the maximum of a timer', async () => {
    const distant = 30 * 86_400_000
    const { written, state } = world([distant])
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(written).toEqual([])
    expect(state.looks).toBeLessThanOrEqual(24)
    await vi.advanceTimersByTimeAsync(distant)
    expect(written).toEqual([distant])
  })

  test('finds what other instances left unfinished, if it looks for that', async () => {
    const { due, written } = world([], 2_000)
    await vi.advanceTimersByTimeAsync(500)
    due.push(-1_000)
    await vi.advanceTimersByTimeAsync(2_000)
    expect(written).toEqual([-1_000])
  })

  test('reports the first failure in a row, and tries until it succeeds', async () => {
    const { written, reports, state, settling } = world([0])
    state.isFull = true
    await vi.advanceTimersByTimeAsync(20_000)
    expect(reports).toHaveLength(1)
    state.isFull = false
    // Creations don't delay it.
    for (let second = 0; second < 5; second += 1) {
      settling.plan(new Date().toISOString())
      await vi.advanceTimersByTimeAsync(1_000)
    }
    expect(written).toEqual([0])
    expect(reports).toHaveLength(1)
  })

  test('reports a failure again after a success', async () => {
    const { due, reports, state, settling } = world([0])
    state.isFull = true
    await vi.advanceTimersByTimeAsync(1_000)
    state.isFull = false
    await vi.advanceTimersByTimeAsync(5_000)
    state.isFull = true
    due.push(10_000)
    settling.plan(new Date(10_000).toISOString())
    await vi.advanceTimersByTimeAsync(10_000)
    expect(reports).toHaveLength(2)
  })

  test('writes nothing after its end', async () => {
    const { written, settling } = world([0])
    settling.stop()
    settling.plan(new Date(0).toISOString())
    await vi.advanceTimersByTimeAsync(60_000)
    expect(written).toEqual([])
  })
})
