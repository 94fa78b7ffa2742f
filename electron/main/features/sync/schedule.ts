/** The next synchronisation waits four times as long as the last one took. */
const restFactor = 4

/** The first wait after a failure. It doubles up to the longest. */
const firstWaitMs = 60_000
const longestWaitMs = 60 * 60_000

/** When an automatic synchronisation of an environment is due. Times are milliseconds since 1970. */
export class Schedule {
  private durationMs = 0
  private failures = 0
  private endedAt: number | null = null

  /** `synchronisedAt` is when it was last synchronised, in this session or before; null for never. */
  constructor(private synchronisedAt: number | null) {}

  /** Call it when a run has ended. `well` means that it didn't fail. */
  ended(at: number, durationMs: number, well: boolean): void {
    this.endedAt = at
    this.durationMs = durationMs
    this.failures = well ? 0 : this.failures + 1
    if (well) this.synchronisedAt = at
  }

  /** Whether it is due; never if the interval is 0. */
  isDue(now: number, intervalMinutes: number): boolean {
    if (intervalMinutes === 0) return false
    if (this.failures > 0 && this.endedAt !== null) {
      return isPast(now - this.endedAt, Math.min(firstWaitMs * 2 ** (this.failures - 1), longestWaitMs))
    }
    if (this.synchronisedAt === null) return true
    const rest = Math.max(intervalMinutes * 60_000, this.durationMs * restFactor)
    return isPast(now - this.synchronisedAt, rest)
  }
}

/** Whether a wait is over. A time in the future means that the clock was set back. */
const isPast = (age: number, waitMs: number): boolean => age < 0 || age >= waitMs
