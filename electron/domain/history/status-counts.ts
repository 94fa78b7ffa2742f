import type { Change } from '@contract/cache'

/** How many deployments have each status. */
export type StatusCount = Map<string, number>

/** What an answer changed, and when (milliseconds since 1970). */
interface Seen {
  seenAt: number
  changes: readonly Change[]
}

/**
 * How many deployments had each status at earlier moments: the changes since then, taken back.
 *
 * @param now how many have each status now
 * @param seen newest first, and all of them back to the first moment
 * @param moments oldest first, in milliseconds since 1970
 */
export function statusCountsAt(
  now: StatusCount,
  seen: Iterable<Seen>,
  moments: readonly number[],
): StatusCount[] {
  const counts = new Map(now)
  const add = (status: string | null, by: 1 | -1): void => {
    if (status !== null) counts.set(status, (counts.get(status) ?? 0) + by)
  }
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
    for (const { kind, before, after } of changes) {
      if (kind !== 'status' && kind !== 'appeared' && kind !== 'gone' && kind !== 'back') continue
      add(after, -1)
      add(before, 1)
    }
  }
  noteUntil(-Infinity)
  return found.reverse()
}
