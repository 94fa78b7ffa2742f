/** How long a deleted deployment keeps its place in the list, in milliseconds: longer than paging through it takes. */
const placeKeptMs = 3_600_000

/** Until when (ISO 8601) a deployment has to be gone for its place not to be kept at `now` (ISO 8601). */
export function placesUntil(now: string): string {
  return new Date(Date.parse(now) - placeKeptMs).toISOString()
}

/** When there is next something to write (ISO 8601): a provisioning that ends, or a place that isn't kept any longer. */
export function earlierDue(first: { ready_at: string | null; gone_at: string | null }): string | null {
  const times = first.ready_at === null ? [] : [first.ready_at]
  if (first.gone_at !== null) times.push(new Date(Date.parse(first.gone_at) + placeKeptMs).toISOString())
  return times.sort()[0] ?? null
}
