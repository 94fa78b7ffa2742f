/**
 * How long a deleted deployment keeps its place in the list, in milliseconds: longer than it takes to page through it.
 */
const placeKeptMs = 3_600_000

/** A deployment that was gone before this time (ISO 8601) has no place in the list at `now` (ISO 8601). */
export function placesUntil(now: string): string {
  return new Date(Date.parse(now) - placeKeptMs).toISOString()
}

/** When the next write is due (ISO 8601): the end of a provisioning, or of a place in the list. */
export function earlierDue(first: { ready_at: string | null; gone_at: string | null }): string | null {
  const times = first.ready_at === null ? [] : [first.ready_at]
  if (first.gone_at !== null) times.push(new Date(Date.parse(first.gone_at) + placeKeptMs).toISOString())
  return times.sort()[0] ?? null
}
