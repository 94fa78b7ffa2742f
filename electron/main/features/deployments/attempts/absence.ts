/** How far apart two lookups must be to show that a deployment is absent, in milliseconds. */
export const absenceMs = 600_000

/** When a lookup began. */
export interface LookupStart {
  at: number
  /** Grows with every suspend and resume. */
  wakefulness: number
}

/**
 * Decides which deployments are absent: two complete lists, read at least ten minutes apart, don't have them. Uses a
 * monotonic clock, so setting the wall clock has no effect. A suspend in between starts over, because it isn't known
 * how much time passes meanwhile, at the service or here. So does a restart.
 */
export class Absences {
  readonly #now: () => number
  /** When the first lookup that found nothing ended, by attempt. */
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

  /** Whether a lookup that began then is late enough to show that an attempt's deployment is absent. */
  wouldShow(attemptId: string, start: LookupStart): boolean {
    const first = this.#first.get(attemptId)
    return this.#isAwakeSince(start) && first !== undefined && start.at - first >= absenceMs
  }

  /** Notes that a complete list lacked an attempt's deployment. Gives whether the deployment is absent. */
  note(attemptId: string, start: LookupStart): boolean {
    if (this.#isAwakeSince(start) && !this.#first.has(attemptId)) this.#first.set(attemptId, this.#now())
    return this.wouldShow(attemptId, start)
  }

  /** Notes that something was found. */
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

  #isAwakeSince({ wakefulness }: LookupStart): boolean {
    return !this.#asleep && wakefulness === this.#wakefulness
  }

  #startOver(asleep: boolean): void {
    this.#asleep = asleep
    this.#wakefulness += 1
    this.#first.clear()
  }
}

/** How far the clocks may drift apart during a request, in milliseconds. */
const driftMs = 5_000

/** Starts to watch the clocks. The result says whether the wall clock has kept pace with the monotonic one since. */
export function watchWallClock(monotonic: () => number): () => boolean {
  const difference = (): number => Date.now() - monotonic()
  const before = difference()
  return () => Math.abs(difference() - before) <= driftMs
}
