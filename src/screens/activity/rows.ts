import type { JournalEntry } from '@contract'
import { formatDate } from '@/format/time'

/** A row of the table: the heading of a day, an entry, or the details of the entry above. */
export type Row =
  | { kind: 'day'; key: string; label: string }
  | { kind: 'entry' | 'details'; key: string; entry: JournalEntry }

export const detailsId = ({ id }: JournalEntry): string => `details-${id}`

/**
 * The rows of entries, each day under its heading, and each open entry followed by its details.
 *
 * @param open the identifiers of entries whose details are shown
 * @param now the current time, in milliseconds
 */
export function rowsOf(entries: readonly JournalEntry[], open: ReadonlySet<string>, now: number): Row[] {
  const rows: Row[] = []
  let last: string | null = null
  for (const entry of entries) {
    const label = dayOf(entry.startedAt, now)
    // If the clock was set back, a day may occur twice.
    if (label !== last) rows.push({ kind: 'day', key: `day-${entry.id}`, label })
    last = label
    rows.push({ kind: 'entry', key: entry.id, entry })
    if (open.has(entry.id)) rows.push({ kind: 'details', key: detailsId(entry), entry })
  }
  return rows
}

/** "Today", "Yesterday" or the date, in this machine's time zone. */
function dayOf(iso: string, now: number): string {
  if (Number.isNaN(Date.parse(iso))) return 'Unknown date'
  const date = formatDate(iso)
  const daysAgo = (days: number): string => {
    const day = new Date(now)
    day.setDate(day.getDate() - days)
    return formatDate(day.toISOString())
  }
  if (date === daysAgo(0)) return 'Today'
  return date === daysAgo(1) ? 'Yesterday' : date
}

/** Whether an entry is a background sync that found nothing new. */
export const isQuiet = (entry: JournalEntry): boolean =>
  entry.kind === 'synchronisation' &&
  entry.automatic &&
  entry.state === 'complete' &&
  entry.added + entry.changed + entry.gone === 0
