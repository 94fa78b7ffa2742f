import type { Awaitable } from './store'

/** How long after it is due the end of a provisioning is written, in milliseconds, so that several share one write. */
const delayMs = 1_000

/** How long to wait after a failed write, in milliseconds. */
const retryMs = 5_000

/** The longest wait, in milliseconds. If the clock was far ahead, an end may lie beyond the range of timers. */
const mostMs = 3_600_000

/**
 * How far ahead an end may be, in milliseconds: provisioning takes a day at most, and a place is kept for an hour.
 * Anything further ahead was created while the clock was wrong, and counts as due.
 */
const farthestMs = 26 * 3_600_000

/** From when on (ISO 8601) ends are too far ahead at `now` (ISO 8601). */
export function tooFarAhead(now: string): string {
  return new Date(Date.parse(now) + farthestMs).toISOString()
}

/** The provisionings whose ends have to be written. */
export interface Provisionings {
  /** When the next provisioning ends (ISO 8601), or has ended without being written; null if there is none. */
  nextDue(): Awaitable<string | null>
  /**
   * Moves ends that are too far ahead to now, then writes the ends of some provisionings that are due at `now` (ISO
   * 8601). Gives their number.
   */
  settleDue(now: string): Promise<number>
}

/** Writes ends of provisionings in the background. */
export interface Settling {
  /** Plans the end of a provisioning at `readyAt` (ISO 8601). Call it after the deployment was inserted. */
  plan(readyAt: string): void
  /** Stops, before the database is closed. */
  stop(): void
}

/**
 * Writes the ends of provisionings once they are due. Readers don't wait for that: they see each end on time, even if
 * it can't be written. A failed write is repeated until it succeeds.
 *
 * @param report is called with the first of several failures in a row
 * @param longestWait how often to look for provisionings that others left unfinished, in milliseconds; never if
 *   infinite
 */
export function settleInBackground(
  provisionings: Provisionings,
  report: (error: unknown) => void,
  longestWait = Infinity,
): Settling {
  let timer: NodeJS.Timeout | null = null
  let plannedAt = Infinity
  let isFailing = false
  let isStopped = false

  /** Wakes up at a time (milliseconds), unless an earlier time is planned. */
  function wakeAt(time: number): void {
    if (isStopped || (timer !== null && plannedAt <= time)) return
    cancel()
    if (time === Infinity) return
    plannedAt = time
    timer = setTimeout(() => void settle(), Math.min(Math.max(0, time - Date.now()), mostMs))
    timer.unref()
  }

  function cancel(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }

  async function settle(): Promise<void> {
    timer = null
    try {
      const written = await provisionings.settleDue(new Date().toISOString())
      isFailing = false
      // If something is due and can't be locked, another instance is writing it.
      wakeAt(Math.max(await timeOfNext(), written > 0 ? 0 : Date.now() + delayMs))
    } catch (error) {
      fail(error)
    }
  }

  async function timeOfNext(): Promise<number> {
    const due = await provisionings.nextDue()
    const next = due === null ? Infinity : Date.parse(due) + delayMs
    return Math.min(next, Date.now() + longestWait)
  }

  function fail(error: unknown): void {
    if (!isFailing && !isStopped) report(error)
    isFailing = true
    wakeAt(Date.now() + retryMs)
  }

  timeOfNext().then(wakeAt).catch(fail)
  return {
    plan(readyAt) {
      // An insert doesn't bring a retry forward.
      if (!isFailing) wakeAt(Date.parse(readyAt) + delayMs)
    },
    stop() {
      isStopped = true
      cancel()
    },
  }
}
