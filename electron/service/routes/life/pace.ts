import type { Pace } from './changes'

/** The time of a change that is made now (also as ISO 8601), with how long a revision takes in milliseconds. */
export function paceNow(durationMs: number): { pace: Pace; now: string } {
  const now = Date.now()
  return { pace: { now, durationMs }, now: new Date(now).toISOString() }
}
