/** How far apart two lookups must be to show that a deployment is absent, in milliseconds. */
export const absenceMs = 600_000

/** When a lookup began. */
export interface LookupStart {
  at: number
  /** Grows with every suspend and resume. */
  wakefulness: number
}

/**
 * Decides which deployments are absent: those that two complete lists lack, read at least ten minutes apart. Time is that
 * of a monotonic clock, so setting a wall clock changes nothing. A suspend in between starts over: it isn't known how much
 * time passes meanwhile, at the service or here. So does a restart.
 */
export class Absences {
  readonly #now: () => number
  /** When the first lookup that found nothing was over, by attempt. */
  readonly #first = new Map<string, number>()
  #wakefulness = 0
  #asleep = false

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Call it before a list is requested. */
  begin(): LookupStart {
    return { at: this.#now(), wakefulness: this.#wakefulness }
  }

  /** Notes that a complete list lacked an attempt's deployment; gives whether the deployment is absent. */
  note(attemptId: string, start: LookupStart): boolean {
    if (this.#asleep || start.wakefulness !== this.#wakefulness) return false
    const first = this.#first.get(attemptId)
    if (first !== undefined) return start.at - first >= absenceMs
    this.#first.set(attemptId, this.#now())
    return false
  }

  /** Notes that something was found after all. */
  forget(attemptId: string): void {
    this.#first.delete(attemptId)
  }

  /** Call it when the machine is suspended. */
  suspend(): void {
    this.#startOver(true)
  }

  /** Call it when the machine wakes up. */
  resume(): void {
    this.#startOver(false)
  }

  #startOver(asleep: boolean): void {
    this.#asleep = asleep
    this.#wakefulness += 1
    this.#first.clear()
  }
}

/** How far the clocks may drift apart while a request is answered, in milliseconds. */
const driftMs = 5_000

/** Gives a function that says whether the wall clock has kept pace with the monotonic one since now. */
export function watchWallClock(monotonic: () => number): () => boolean {
  const difference = (): number => Date.now() - monotonic()
  const before = difference()
  return () => Math.abs(difference() - before) <= driftMs
}
