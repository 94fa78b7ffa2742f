import {
  type ChangeEntry,
  isKnownSource,
  type JournalEntry,
  sourceLabels,
  type SynchronisationEntry,
} from '@contract'
import { formatCount } from '@/ui/format/words'
import { changeDone, changeTitle } from '@/ui/format/deployment'
import { unconfirmedCreationText } from '@/features/new-deployment/unconfirmed/unconfirmed-creation'
import { formatDate } from '@/ui/format/time'

/** What an entry shows in its row. */
export interface EntryLabels {
  /** What was done, shown around the deployment's `name`. */
  what: string
  name: string | null
  detail: string | null
  /** The word beside the dot, and the dot's tone. */
  result: string
  tone: 'good' | 'bad' | 'uncertain' | 'active'
}

/** What Slipway found out about a creation that is, or initially was, unconfirmed; null for every other entry. */
export const unconfirmedText = (entry: JournalEntry): ReturnType<typeof unconfirmedCreationText> | null =>
  entry.kind === 'creation' &&
  (entry.lookup !== null || entry.state === 'unconfirmed' || entry.state === 'dismissed')
    ? unconfirmedCreationText(entry)
    : null

/** How the list shows an entry of the journal. */
export function entryLabels(entry: JournalEntry): EntryLabels {
  if (entry.kind === 'failure') {
    return { what: entry.action, name: null, detail: null, result: 'Failed', tone: 'bad' }
  }
  if (entry.kind === 'synchronisation') return syncLabels(entry)
  if (entry.kind === 'change') return changeLabels(entry)
  const detail = `from ${isKnownSource(entry.source) ? sourceLabels[entry.source].toLowerCase() : entry.source}`
  return { ...creationLabels[entry.state], name: entry.name, detail }
}

const creationLabels = {
  created: { what: 'Created', result: 'Created', tone: 'good' },
  sending: { what: 'Creating', result: 'Sending', tone: 'active' },
  refused: { what: 'Tried to create', result: 'Rejected', tone: 'bad' },
  unconfirmed: { what: 'Tried to create', result: 'Unconfirmed', tone: 'uncertain' },
  dismissed: { what: 'Tried to create', result: 'Dismissed', tone: 'uncertain' },
} as const

const changeResults = {
  sending: { result: 'Sending', tone: 'active' },
  done: { result: 'Done', tone: 'good' },
  refused: { result: 'Rejected', tone: 'bad' },
  unconfirmed: { result: 'Unconfirmed', tone: 'uncertain' },
} as const

function changeLabels({ action, name, state }: ChangeEntry): EntryLabels {
  const what = state === 'done' ? changeDone(action) : `${changeTitle(action)}:`
  return { what, name, detail: null, ...changeResults[state] }
}

const stateLabels = {
  running: { what: 'Syncing', result: 'Running', tone: 'active' },
  complete: { what: 'Synced', result: 'Complete', tone: 'good' },
  unsettled: { what: 'Synced', result: 'Incomplete', tone: 'uncertain' },
  cancelled: { what: 'Started to sync', result: 'Cancelled', tone: 'uncertain' },
  paused: { what: 'Started to sync', result: 'Paused', tone: 'uncertain' },
  failed: { what: 'Tried to sync', result: 'Failed', tone: 'bad' },
  interrupted: { what: 'Started to sync', result: 'Interrupted', tone: 'uncertain' },
} as const

function syncLabels(entry: SynchronisationEntry): EntryLabels {
  const { state, automatic, seen, added, changed, gone, quietBefore } = entry
  const count = (value: number, word: string): string[] =>
    value === 0 ? [] : [`${formatCount(value)} ${word}`]
  const found = [...count(added, 'new'), ...count(changed, 'changed'), ...count(gone, 'deleted')]
  const parts = state === 'running' || state === 'interrupted' ? [] : [...count(seen, 'seen'), ...found]
  if (state === 'complete' && found.length === 0) parts.push('nothing new')
  const times = quietBefore > 0 ? `, ${formatCount(quietBefore + 1)} times in a row` : ''
  const how = automatic ? 'in the background' : ''
  const detail = [how, parts.join(', ') + times].filter((part) => part !== '').join(': ')
  return { ...stateLabels[state], name: null, detail: detail || null }
}

const stateAdvice: Partial<Record<SynchronisationEntry['state'], string>> = {
  interrupted: 'Slipway stopped unexpectedly. What was read stays cached, and the next sync starts over.',
  paused: 'Another environment was chosen, or Slipway was closed. The next sync starts over.',
  unsettled:
    'The service kept changing the order of its list; some deployments may be missing from the cache.',
}

/** Why a sync did not complete, and what happens next; null if there is nothing to add. */
export function synchronisationAdvice(entry: JournalEntry): string | null {
  return entry.kind === 'synchronisation' ? (stateAdvice[entry.state] ?? null) : null
}

export const detailsId = ({ id }: JournalEntry): string => `details-${id}`

/**
 * "Today", "Yesterday" or the date, in this machine's time zone.
 *
 * @param now the current time, in milliseconds
 */
export function dayOf(iso: string, now: number): string {
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
