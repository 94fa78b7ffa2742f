import { randomUUID } from 'node:crypto'
import type { NoticeEntry, QuietHours, WatchNotice } from '@contract/cache'
import { entryText, watchLimits } from '@contract/cache/choices'
import { orUnnamed } from '@contract/core/text'
import { cutText } from '@contract/deployment-api/list'
import type { StoredService } from '../../environments/known'

/** A notice as it is stored, with all its entries. */
export type StoredNotice = Omit<WatchNotice, 'hidden' | 'isElsewhere'> & StoredService

/**
 * A new notice: of everything that a synchronisation, or a round of requests, found, or that a service can't be reached,
 * or answers again.
 */
export const newNotice = (
  { environmentId, service }: StoredService,
  kind: StoredNotice['kind'],
  at: number,
  entries: readonly NoticeEntry[] = [],
): StoredNotice => ({
  id: randomUUID(),
  environmentId,
  service,
  at: new Date(at).toISOString(),
  isRead: false,
  kind,
  entries: entries.slice(0, watchLimits.entries),
  more: Math.max(0, entries.length - watchLimits.entries),
})

/** Adds a new notice before the others. */
export const withNotice = (notices: readonly StoredNotice[], added: StoredNotice): StoredNotice[] =>
  withoutSurplus([added, ...notices])

/** The newest notices, up to the limit. Read ones are dropped first. */
function withoutSurplus(newestFirst: readonly StoredNotice[]): StoredNotice[] {
  const left = [...newestFirst]
  while (left.length > watchLimits.notices) {
    left.splice(
      left.findLastIndex(({ isRead }) => isRead),
      1,
    )
  }
  return left
}

/** Puts dismissed notices back in their places. */
export function withRestored(
  notices: readonly StoredNotice[],
  dismissed: readonly StoredNotice[],
): StoredNotice[] {
  const missing = dismissed.filter(({ id }) => !notices.some((one) => one.id === id))
  return withoutSurplus(
    [...notices, ...missing].sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0)),
  )
}

/** How many deployments a notification of the system names, and the longest name, in characters. */
const maxNamed = 3
const nameLength = 40

const named = (name: string): string => cutText(orUnnamed(name), nameLength)

/**
 * The system notification of a notice. Its environment comes before the service's texts: no length of them cuts it off,
 * and none can pose as another environment.
 */
export function notificationOf(
  { kind, entries, more }: Pick<StoredNotice, 'kind' | 'entries' | 'more'>,
  environmentName: string,
): { title: string; body: string } {
  if (kind === 'unreachable') return { title: environmentName, body: "The service can't be reached." }
  if (kind === 'reachable') return { title: environmentName, body: 'The service can be reached again.' }
  const [first, ...others] = entries
  if (first && others.length === 0 && more === 0)
    return { title: environmentName, body: `${named(first.name)}: ${entryText(first)}` }
  const names = entries.slice(0, maxNamed).map(({ name }) => named(name))
  const rest = entries.length + more - names.length
  return {
    title: `${entries.length + more} changes in ${environmentName}`,
    body: [names.join(', '), ...(rest > 0 ? [`and ${rest} more`] : [])].join(' '),
  }
}

/** Whether a moment is in the quiet hours, by the machine's clock. They may go past midnight. */
export function isQuiet(quiet: QuietHours, at: Date): boolean {
  if (quiet === null) return false
  const { from, to } = quiet
  const pad = (part: number): string => String(part).padStart(2, '0')
  const now = `${pad(at.getHours())}:${pad(at.getMinutes())}`
  return from < to ? from <= now && now < to : from <= now || now < to
}
