import type { Change, StatusCounts } from '@contract/cache'
import { maxStatuses } from '@contract/deployment-api/list'
import { deploymentStatuses } from '@contract/deployment-api/statuses'
import type { Time } from '@domain/timeline'

/** How many deployments have each listed status, and, as null, any other. */
type StatusCount = Map<string | null, number>

/** What an answer changed, and when (milliseconds since 1970). */
interface Seen {
  seenAt: number
  changes: readonly Change[]
}

/**
 * The statuses to list over a time: those of the interface, the most frequent ones now, and, if those are all that
 * there are, the ones that changes name most often.
 *
 * @param max how many are listed at most
 */
export function listedStatuses(
  { counts, others }: Pick<StatusCounts, 'counts' | 'others'>,
  seen: Iterable<Seen>,
  max: number = maxStatuses,
): Set<string> {
  const listed = new Set<string>([...deploymentStatuses, ...counts.map(({ status }) => status)])
  if (others.statuses === 0) {
    const named = new Map<string, number>()
    for (const { changes } of seen) {
      for (const [before, after] of statusesOf(changes)) {
        for (const status of [before, after]) {
          if (status !== null && !listed.has(status)) named.set(status, (named.get(status) ?? 0) + 1)
        }
      }
    }
    for (const [status] of [...named].sort(([, one], [, other]) => other - one)) listed.add(status)
  }
  return new Set([...listed].slice(0, max))
}

/**
 * How many deployments had each status at earlier moments, by undoing the changes since.
 *
 * @param now how many have each status now
 * @param listed the statuses to tell apart
 * @param seen newest first, and all of them back to the first moment
 * @param moments oldest first, in milliseconds since 1970
 */
export function statusCountsAt(
  { counts: countsNow, others }: Pick<StatusCounts, 'counts' | 'others'>,
  listed: ReadonlySet<string>,
  seen: Iterable<Seen>,
  moments: readonly number[],
): StatusCount[] {
  const counts: StatusCount = new Map()
  const add = (status: string, by: number): void => {
    const place = listed.has(status) ? status : null
    counts.set(place, (counts.get(place) ?? 0) + by)
  }
  for (const { status, count } of countsNow) add(status, count)
  counts.set(null, (counts.get(null) ?? 0) + others.deployments)
  const found: StatusCount[] = []
  const rest = [...moments]
  const noteUntil = (at: number): void => {
    for (let moment = rest.at(-1); moment !== undefined && moment >= at; moment = rest.at(-1)) {
      found.push(new Map([...counts].filter(([, count]) => count > 0)))
      rest.pop()
    }
  }
  for (const { seenAt, changes } of seen) {
    noteUntil(seenAt)
    for (const [before, after] of statusesOf(changes)) {
      if (after !== null) add(after, -1)
      if (before !== null) add(before, 1)
    }
  }
  noteUntil(-Infinity)
  return found.reverse()
}

/** The statuses before and after each change of one; null where there was no deployment. */
function* statusesOf(changes: readonly Change[]): Iterable<[before: string | null, after: string | null]> {
  for (const { kind, before, after } of changes) {
    if (kind === 'status' || kind === 'appeared' || kind === 'gone' || kind === 'back') yield [before, after]
  }
}

/** `count` moments that divide a time evenly, oldest first. The first and the last one are its ends. */
export function evenMoments({ from, to }: Time, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + ((to - from) * index) / (count - 1))
}
