import { randomUUID } from 'node:crypto'
import type { NoticeEntry, WatchNotice } from '@contract/cache'
import { entryText } from '@contract/cache/watch-text'
import { watchLimits } from '@contract/cache/watch-limits'

/** A notice about what one synchronisation or one round of requests found, however much that is. */
export function changesNotice(
  environmentId: string,
  entries: readonly NoticeEntry[],
  at: number,
): WatchNotice {
  const shown = entries.slice(0, watchLimits.entries)
  return {
    ...newNotice(environmentId, at),
    kind: 'changes',
    entries: shown,
    more: entries.length - shown.length,
  }
}

/** A notice that a service can't be reached, or answers again. */
export const outageNotice = (
  environmentId: string,
  kind: 'unreachable' | 'reachable',
  at: number,
): WatchNotice => ({ ...newNotice(environmentId, at), kind, entries: [], more: 0 })

const newNotice = (environmentId: string, at: number) => ({
  id: randomUUID(),
  environmentId,
  at: new Date(at).toISOString(),
  isRead: false,
})

/** Notices with new ones before the others. The oldest go. */
export const withNotices = (notices: readonly WatchNotice[], added: readonly WatchNotice[]): WatchNotice[] =>
  [...added, ...notices].slice(0, watchLimits.notices)

/** How many deployments a notification of the system names. */
const maxNamed = 3

/** A notice as a notification of the system. */
export function notificationOf(
  { kind, entries, more }: WatchNotice,
  environmentName: string,
): { title: string; body: string } {
  if (kind === 'unreachable') return { title: environmentName, body: "The service can't be reached." }
  if (kind === 'reachable') return { title: environmentName, body: 'The service can be reached again.' }
  const [first, ...others] = entries
  if (first && others.length === 0 && more === 0)
    return { title: first.name, body: `${entryText(first)} (${environmentName})` }
  const named = entries.slice(0, maxNamed).map(({ name }) => name)
  const rest = entries.length + more - named.length
  return {
    title: `${entries.length + more} changes in ${environmentName}`,
    body: [named.join(', '), ...(rest > 0 ? [`and ${rest} more`] : [])].join(' '),
  }
}
