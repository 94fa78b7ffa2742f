import type { Watch } from '@contract/cache'
import { watchLimits } from '@contract/cache/watches/watch-limits'
import type { FollowedMap } from './types'

/**
 * The deployments to request in the next round: always those with a watch of their own, those that are rolling out and
 * those with a pending change, then some of the others in turn. Deleted ones are left out.
 *
 * @param next where to continue with the others: the result of the round before
 */
export function toAsk(
  followed: FollowedMap,
  watches: readonly Watch[],
  next: number,
  max: number = watchLimits.asked,
): { ids: string[]; next: number } {
  const own = watches.flatMap(({ on }) => (on.kind === 'deployment' ? on.deploymentId : []))
  const first = new Set(own.filter((id) => !followed.get(id)?.isGone))
  const others: string[] = []
  for (const [id, { by, isGone, pending, inactiveSince }] of followed) {
    if (isGone || by.length === 0 || first.has(id)) continue
    if (pending !== null || inactiveSince !== null) first.add(id)
    else others.push(id)
  }
  if (first.size >= max) return roundRobin([...first], next, max)
  const rest = roundRobin(others, next, max - first.size)
  return { ids: [...first, ...rest.ids], next: rest.next }
}

function roundRobin(all: readonly string[], next: number, max: number): { ids: string[]; next: number } {
  const from = all.length > 0 ? next % all.length : 0
  const ids = [...all.slice(from), ...all.slice(0, from)].slice(0, max)
  return { ids, next: from + ids.length }
}
