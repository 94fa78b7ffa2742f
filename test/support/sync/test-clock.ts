import type { Clock } from '../../../electron/main/features/sync/reader'

/** Time that passes only while something waits or ticks. Immediate answers come before any wait ends. */
export class TestClock implements Clock {
  private time = Date.UTC(2026, 0, 1)

  now(): number {
    return this.time
  }

  /** A time that no other event has. */
  tick(): number {
    this.time += 1
    return this.time
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        clearImmediate(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setImmediate(() => {
        this.time += ms
        end()
      })
      signal.addEventListener('abort', end)
    })
  }
}
