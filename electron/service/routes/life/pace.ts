import type { Pace } from './changes'

/** The current time of a change (also as ISO 8601), with how long a revision takes in milliseconds. */
export function paceNow(durationMs: number): { pace: Pace; now: string } {
  const now = Date.now()
  return { pace: { now, durationMs }, now: new Date(now).toISOString() }
}
