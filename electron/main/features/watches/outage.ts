/** An outage of a service. Times are milliseconds since 1970. */
export interface Outage {
  since: number
  isTold: boolean
  /** Since when the service answers again; null while it doesn't answer. */
  answersSince: number | null
}

/** How long a service must be out of reach, or answer again, before that is reported, in milliseconds. */
const outagePendingMs = 60_000

/**
 * Notes whether a service answers now. Gives the outage, and what to report: the start and the end of each outage,
 * once. Anything shorter than the pending period doesn't count as an outage.
 */
export function takeReachability(
  before: Outage | null,
  isReachable: boolean,
  at: number,
): { outage: Outage | null; report: 'unreachable' | 'reachable' | null } {
  if (before === null) {
    const outage = isReachable ? null : { since: at, isTold: false, answersSince: null }
    return { outage, report: null }
  }
  if (!isReachable) {
    const isDue = !before.isTold && at - before.since >= outagePendingMs
    const outage = { ...before, isTold: before.isTold || isDue, answersSince: null }
    return { outage, report: isDue ? 'unreachable' : null }
  }
  if (!before.isTold) return { outage: null, report: null }
  const answersSince = before.answersSince ?? at
  if (at - answersSince >= outagePendingMs) return { outage: null, report: 'reachable' }
  return { outage: { ...before, answersSince }, report: null }
}

/**
 * An outage as it continues after a start: its duration counts from then on, and one that wasn't reported is forgotten.
 */
export const resumedOutage = (before: Outage): Outage | null =>
  before.isTold ? { ...before, answersSince: null } : null
