/** How far apart two looks must be to show that a deployment is not there, in milliseconds. */
export const absenceMs = 600_000

/** When a look began. */
export interface LookBegin {
  at: number
  /** Grows with every suspend and resume. */
  wakefulness: number
}

/**
 * Knows which deployments are absent: missing from two complete lists, at least ten minutes apart, with no suspend in
 * between, during which neither the service's time nor this machine's is known to have passed. Time is that of a
 * monotonic clock: a wall clock that is set changes nothing. After a restart it begins anew.
 */
export class Absences {
  readonly #now: () => number
  /** When the first look that found nothing was over, by attempt. */
  readonly #first = new Map<string, number>()
  #wakefulness = 0
  #asleep = false

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** To be called before a list is asked for. */
  begin(): LookBegin {
    return { at: this.#now(), wakefulness: this.#wakefulness }
  }

  /** Notes that a complete list did not have it; gives whether that makes it absent. */
  note(attemptId: string, begin: LookBegin): boolean {
    if (this.#asleep || begin.wakefulness !== this.#wakefulness) return false
    const first = this.#first.get(attemptId)
    if (first !== undefined) return begin.at - first >= absenceMs
    this.#first.set(attemptId, this.#now())
    return false
  }

  /** Notes that something was found after all. */
  forget(attemptId: string): void {
    this.#first.delete(attemptId)
  }

  /** To be called when the machine is suspended. */
  suspend(): void {
    this.#begin(true)
  }

  /** To be called when the machine is awake again. */
  resume(): void {
    this.#begin(false)
  }

  #begin(asleep: boolean): void {
    this.#asleep = asleep
    this.#wakefulness += 1
    this.#first.clear()
  }
}

/** By how much the clocks may drift apart while a request is answered, in milliseconds. */
const driftMs = 5_000

/** Gives a function that tells whether the wall clock has gone as the monotonic one has since now. */
export function watchWallClock(monotonic: () => number): () => boolean {
  const between = (): number => Date.now() - monotonic()
  const before = between()
  return () => Math.abs(between() - before) <= driftMs
}
