import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  Limiter,
  raceCancellation,
  raceTimeout,
  Sequencer,
  singleFlight,
  sleep,
  startSpan,
  throttle,
  withTimeout,
} from '../../../../../electron/main/async'

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

describe('Sequencer', () => {
  it('starts a task when the one before it has settled', async () => {
    const sequencer = new Sequencer()
    const first = deferred<string>()
    const second = vi.fn(() => Promise.resolve('second'))
    const results = [sequencer.queue(() => first.promise), sequencer.queue(second)]
    await vi.advanceTimersByTimeAsync(0)
    expect(second).not.toHaveBeenCalled()
    first.resolve('first')
    expect(await Promise.all(results)).toEqual(['first', 'second'])
  })

  it('continues after a task that fails or throws', async () => {
    const sequencer = new Sequencer()
    const failed = sequencer.queue(() => Promise.reject(new Error('failed')))
    const thrown = sequencer.queue((): Promise<void> => {
      throw new Error('thrown')
    })
    const last = sequencer.queue(() => Promise.resolve('last'))
    await expect(failed).rejects.toThrow('failed')
    await expect(thrown).rejects.toThrow('thrown')
    expect(await last).toBe('last')
  })

  it('is idle when everything queued so far has settled', async () => {
    const sequencer = new Sequencer()
    const task = deferred<null>()
    const settled = sequencer.queue(() => task.promise)
    let isIdle = false
    const idle = sequencer.idle().then(() => (isIdle = true))
    await vi.advanceTimersByTimeAsync(0)
    expect(isIdle).toBe(false)
    task.reject(new Error('failed'))
    await expect(settled).rejects.toThrow('failed')
    await idle
  })
})

describe('sleep', () => {
  it('resolves after the time', async () => {
    let isOver = false
    const slept = sleep(1_000).then(() => (isOver = true))
    await vi.advanceTimersByTimeAsync(999)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await slept
  })

  it('resolves as soon as the signal aborts, and at once if it has', async () => {
    const controller = new AbortController()
    const slept = sleep(1_000, controller.signal)
    controller.abort()
    await slept
    await sleep(1_000, controller.signal)
  })
})

describe('raceTimeout', () => {
  it('returns the result of a promise that resolves in time', async () => {
    const onTimeout = vi.fn()
    expect(await raceTimeout(Promise.resolve('value'), 1_000, onTimeout)).toBe('value')
    expect(onTimeout).not.toHaveBeenCalled()
  })

  it('rejects as the promise does in time', async () => {
    await expect(raceTimeout(Promise.reject(new Error('failed')), 1_000)).rejects.toThrow('failed')
  })

  it('returns undefined after the timeout, whatever the promise does later', async () => {
    const onTimeout = vi.fn()
    const late = deferred<string>()
    const raced = raceTimeout(late.promise, 1_000, onTimeout)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await raced).toBeUndefined()
    expect(onTimeout).toHaveBeenCalledOnce()
    late.reject(new Error('failed late'))
    await vi.advanceTimersByTimeAsync(0)
  })
})

describe('raceCancellation', () => {
  it('returns the result of a promise that resolves before the signal aborts', async () => {
    const { signal } = new AbortController()
    expect(await raceCancellation(Promise.resolve('value'), signal)).toBe('value')
    await expect(raceCancellation(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
  })

  it('returns undefined when the signal aborts or has aborted', async () => {
    const controller = new AbortController()
    const never = new Promise<string>(() => undefined)
    const raced = raceCancellation(never, controller.signal)
    controller.abort()
    expect(await raced).toBeUndefined()
    expect(await raceCancellation(Promise.resolve('value'), controller.signal)).toBeUndefined()
  })
})

describe('withTimeout', () => {
  /** Gives the reason with which its signal aborts. */
  const untilAborted = (signal: AbortSignal): Promise<unknown> =>
    new Promise((resolve) => {
      if (signal.aborted) resolve(signal.reason)
      else signal.addEventListener('abort', () => resolve(signal.reason))
    })

  it('settles as the task does', async () => {
    expect(await withTimeout(1_000, () => Promise.resolve('value'))).toBe('value')
    await expect(withTimeout(1_000, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  })

  it('aborts the signal of the task after the timeout', async () => {
    const ended = withTimeout(1_000, untilAborted, { reason: 'too late' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(await ended).toBe('too late')
  })

  it('aborts it as soon as the given signal aborts', async () => {
    const controller = new AbortController()
    const ended = withTimeout(1_000, untilAborted, { signal: controller.signal })
    controller.abort('cancelled')
    expect(await ended).toBe('cancelled')
    expect(await withTimeout(1_000, untilAborted, { signal: controller.signal })).toBe('cancelled')
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

describe('throttle', () => {
  it('runs once at the end of the interval, however often it is called', () => {
    const task = vi.fn()
    const run = throttle(task, 1_000)
    run()
    run()
    expect(task).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(task).toHaveBeenCalledOnce()
    run()
    vi.advanceTimersByTime(1_000)
    expect(task).toHaveBeenCalledTimes(2)
  })

  it('does not run once it is cancelled, until it is called again', () => {
    const task = vi.fn()
    const run = throttle(task, 1_000)
    run()
    run.cancel()
    vi.advanceTimersByTime(2_000)
    expect(task).not.toHaveBeenCalled()
    run()
    vi.advanceTimersByTime(1_000)
    expect(task).toHaveBeenCalledOnce()
  })
})
