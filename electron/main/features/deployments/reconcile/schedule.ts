import { absenceMs } from '../attempts/absence'

/**
 * When an unconfirmed attempt is looked up, in milliseconds since it became unconfirmed or was scheduled again. After
 * that, it is looked up at each multiple of the last of these times. Two of the lookups are far enough apart to show an
 * absence, even if one between them gets no answer.
 */
export const lookupTimesMs: readonly number[] = [
  1_000,
  3_000,
  10_000,
  30_000,
  120_000,
  absenceMs + 60_000,
  2 * absenceMs + 120_000,
  3_600_000,
]

interface LookupScheduleOptions {
  /** A monotonic clock, in milliseconds. */
  monotonic: () => number
  /** Looks an attempt up. Gives whether to continue. After an error, the schedule continues. */
  lookUp: (environmentId: string, attemptId: string) => Promise<boolean>
  report: (error: unknown) => void
}

/** Looks attempts up repeatedly, each at growing intervals, until its lookup ends the series. */
export class LookupSchedule {
  readonly #options: LookupScheduleOptions
  readonly #series = new Map<string, { since: number; timer: NodeJS.Timeout | null }>()
  #closed = false

  constructor(options: LookupScheduleOptions) {
    this.#options = options
  }

  has(attemptId: string): boolean {
    return this.#series.has(attemptId)
  }

  /** Sets the timer for the next lookup of an attempt. */
  next(environmentId: string, attemptId: string): void {
    const { monotonic, report } = this.#options
    const own = this.#series.get(attemptId) ?? { since: monotonic(), timer: null }
    this.#series.delete(attemptId)
    if (this.#closed) return
    const elapsed = monotonic() - own.since
    own.timer = setTimeout(
      () => void this.#run(environmentId, attemptId).catch(report),
      timeAfter(elapsed) - elapsed,
    )
    this.#series.set(attemptId, own)
  }

  async #run(environmentId: string, attemptId: string): Promise<void> {
    let goesOn = true
    try {
      goesOn = await this.#options.lookUp(environmentId, attemptId)
    } finally {
      if (goesOn) this.next(environmentId, attemptId)
      else this.#series.delete(attemptId)
    }
  }

  /** Ends every series. Attempts may be scheduled again. */
  clear(): void {
    for (const { timer } of this.#series.values()) if (timer) clearTimeout(timer)
    this.#series.clear()
  }

  /** Ends every series permanently. */
  close(): void {
    this.#closed = true
    this.clear()
  }
}

/** The first time for a lookup after `elapsed`. */
function timeAfter(elapsed: number): number {
  const last = lookupTimesMs.at(-1)!
  return lookupTimesMs.find((time) => time > elapsed) ?? (Math.floor(elapsed / last) + 1) * last
}
