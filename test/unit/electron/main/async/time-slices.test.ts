import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runInSlices } from '../../../../../electron/main/async/time-slices'

describe('runInSlices', () => {
  /** Steps of 4 ms each, recorded as they run. */
  function* stepsOf(name: string, count: number): Generator<undefined, string> {
    for (let step = 0; step < count; step += 1) {
      time += 4
      done.push(name)
      yield
    }
    return name
  }
  const done: string[] = []
  let time = 0
  let waiting: NodeJS.Immediate

  beforeEach(() => {
    done.length = 0
    vi.spyOn(performance, 'now').mockImplementation(() => time)
    const others = (): void => {
      done.push('others')
      waiting = setImmediate(others)
    }
    waiting = setImmediate(others)
  })
  afterEach(() => {
    clearImmediate(waiting)
    vi.restoreAllMocks()
  })

  it('lets everything else run at least every 10 ms plus one step, however much work runs concurrently', async () => {
    const results = Promise.all([
      runInSlices(stepsOf('a', 7)),
      runInSlices(stepsOf('b', 1)),
      runInSlices(stepsOf('c', 5)),
    ])
    expect(await results).toEqual(['a', 'b', 'c'])
    const slices = done.join(' ').split('others')
    for (const slice of slices) expect(slice.match(/\w/g)?.length ?? 0).toBeLessThanOrEqual(3)
    // Short work doesn't wait for the end of long work.
    expect(done.indexOf('b')).toBeLessThan(done.lastIndexOf('a'))
  })

  it('rejects if the work throws, and continues with the next', async () => {
    const thrown = runInSlices(
      (function* (): Generator<undefined, void> {
        yield
        throw new Error('thrown')
      })(),
    )
    const next = runInSlices(stepsOf('next', 1))
    await expect(thrown).rejects.toThrow('thrown')
    expect(await next).toBe('next')
  })
})
