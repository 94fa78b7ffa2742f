import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sequencerByKey } from '../../../../../../electron/service/database/postgres/sequencer-by-key'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Work that is recorded when it begins, and ends on request. */
function world() {
  const inTurn = sequencerByKey(1_000)
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const run = (key: string, name: string): Promise<string> =>
    inTurn(key, () => {
      begun.push(name)
      return new Promise((resolve, reject) => {
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)))
      })
    })
  return { begun, ends, run }
}

describe('sequencerByKey', () => {
  it('runs work for one key in sequence, even after a failure, and work for other keys meanwhile', async () => {
    const { begun, ends, run } = world()
    const first = run('a', 'first')
    const second = run('a', 'second')
    void run('b', 'other')
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual(['first', 'other'])
    ends.get('first')!(new Error('no'))
    await expect(first).rejects.toThrow('no')
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual(['first', 'other', 'second'])
    ends.get('second')!()
    expect(await second).toBe('second')
  })

  it('drops work that waited for too long without running it, and keeps the order of what follows', async () => {
    const { begun, ends, run } = world()
    void run('a', 'first')
    const second = run('a', 'second')
    const refused = expect(second).rejects.toMatchObject({ reason: 'unavailable' })
    await vi.advanceTimersByTimeAsync(900)
    const third = run('a', 'third')
    await vi.advanceTimersByTimeAsync(100)
    await refused
    expect(begun).toEqual(['first'])
    ends.get('first')!()
    await vi.advanceTimersByTimeAsync(0)
    expect(begun).toEqual(['first', 'third'])
    ends.get('third')!()
    expect(await third).toBe('third')
  })
})
