import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { leadingThrottle, pauseMs } from '../../../../../electron/main/async/leading-throttle'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('throttled work', () => {
  it('runs at once, then once for all calls in an interval', () => {
    const work = vi.fn()
    const run = leadingThrottle(work)
    for (let count = 0; count < 1_000; count += 1) run()
    expect(work).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(pauseMs)
    expect(work).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(10 * pauseMs)
    expect(work).toHaveBeenCalledTimes(2)
    run()
    expect(work).toHaveBeenCalledTimes(3)
  })
})
