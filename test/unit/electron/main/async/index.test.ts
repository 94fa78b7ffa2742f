import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Limiter, singleFlight, startSpan } from '../../../../../electron/main/async'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

it('measures how long something took, even if the clock is set meanwhile', () => {
  const span = startSpan()
  vi.advanceTimersByTime(1_500)
  for (const setBy of [5, -5]) {
    vi.setSystemTime(Date.now() + setBy * 3_600_000)
    expect(span()).toEqual({ sentAt: Date.now() - 1_500, receivedAt: Date.now() })
  }
})

/** A promise that the test settles. */
function deferred<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}

describe('Limiter', () => {
  it('runs some tasks at a time, in order, and continues after a failed one', async () => {
    const limiter = new Limiter(2)
    const tasks = Array.from({ length: 4 }, () => deferred<string>())
    const begun: number[] = []
    const results = tasks.map((task, index) =>
      limiter
        .queue(() => {
          begun.push(index)
          return task.promise
        })
        .catch((error: Error) => error.message),
    )
    await Promise.resolve()
    expect(begun).toEqual([0, 1])
    tasks[1]?.reject(new Error('no'))
    expect(await results[1]).toBe('no')
    expect(begun).toEqual([0, 1, 2])
    for (const [index, { resolve }] of tasks.entries()) resolve(`${index}`)
    expect(await Promise.all(results)).toEqual(['0', 'no', '2', '3'])
    expect(begun).toEqual([0, 1, 2, 3])
  })
})

describe('singleFlight', () => {
  it('shares a task that is running, and starts another one after it', async () => {
    const task = vi.fn(() => Promise.resolve({}))
    const run = singleFlight(task)
    const [one, other] = await Promise.all([run(), run()])
    expect(one).toBe(other)
    expect(await run()).not.toBe(one)
    expect(task).toHaveBeenCalledTimes(2)
  })

  it('starts another one after a failure', async () => {
    const task = vi.fn(() => Promise.reject(new Error('failed')))
    const run = singleFlight(task)
    await expect(run()).rejects.toThrow('failed')
    await expect(run()).rejects.toThrow('failed')
    expect(task).toHaveBeenCalledTimes(2)
  })
})
