/** How the last request to an environment's service ended, and since when (ISO 8601). */
export interface Reach {
  state: 'reached' | 'failing' | 'denied' | 'unreached' | 'unknown'
  /**
   * If `reached`, when it last answered. Otherwise the first in a row of calls with the same end; null if it was never
   * called.
   */
  since: string | null
}

/** A call and how it ended. `at` is when, as an ISO 8601 time. `failing`: the service answered, but with an error. */
export interface Call {
  at: string
  end: 'answered' | 'failing' | 'denied' | 'unreached'
}

/** The reachability of a service according to the known calls, in any order. Calls with invalid times are ignored. */
export function reachOf(calls: readonly Call[]): Reach {
  const known = calls
    .filter(({ at }) => !Number.isNaN(Date.parse(at)))
    .sort((one, other) => Date.parse(other.at) - Date.parse(one.at))
  const [last] = known
  if (!last) return { state: 'unknown', since: null }
  if (last.end === 'answered') return { state: 'reached', since: last.at }
  const other = known.findIndex(({ end }) => end !== last.end)
  const first = known[other === -1 ? known.length - 1 : other - 1]
  return { state: last.end, since: first?.at ?? last.at }
}
