import type { NoticeEntry } from './watches'

export const historyDays = [30, 90, 365] as const

export const defaultHistoryDays: (typeof historyDays)[number] = 90

/** How large an environment's history may become. The oldest entries are removed first. */
export const maxHistory = { megabytes: 64 } as const

/** The notes that a cache's file contains, by their names in it. */
export const cacheNotes = {
  /** How often the environment is synchronised automatically, in minutes. */
  interval: 'sync-interval',
  /** When the last full synchronisation ended, in milliseconds since 1970. */
  synchronisedAt: 'synchronised-at',
  /** When the service last answered with something that is cached, in milliseconds since 1970. */
  newestAt: 'newest-at',
  historyDays: 'history-days',
} as const

/** How often an environment can be synchronised in the background, in minutes; 0 is never. */
export const syncIntervals = [0, 5, 15, 60, 240] as const

export const defaultSyncInterval: (typeof syncIntervals)[number] = 15

/** The kinds of change that a watch can report. Free of zod, because the first screen loads it. */
export const watchKinds = ['changed', 'appeared', 'gone', 'stuck', 'active'] as const

export type WatchKind = (typeof watchKinds)[number]

/**
 * Limits for watches and their notices. `followed` counts the deployments of all lists of one environment together.
 * `asked` is how many one round of background requests names. A notice has `entries`, of which the page gets `shown` until it requests all. Lengths are
 * in characters.
 */
export const watchLimits = {
  count: 100,
  nameLength: 60,
  textLength: 100,
  followed: 10_000,
  asked: 300,
  notices: 300,
  entries: 40,
  shown: 6,
} as const

/**
 * How long a deployment must be inactive before a watch reports it, in minutes. A first rollout takes about 14 minutes.
 */
export const stuckMinutes = { min: 5, max: 10_080, default: 30 } as const

/** The text of a notice about a deployment, without its name. Free of zod, because the first screen loads it. */
export function entryText(
  { kind, what, before, after, minutes }: NoticeEntry,
  statusLabel: (status: string) => string = (status) => status,
): string {
  if (what === 'failed') return `Failed: ${after ?? ''}`
  switch (kind) {
    case 'gone':
      return 'Deleted: the service no longer has it'
    case 'stuck':
      return `Not active after ${minutes === 1 ? '1 minute' : `${minutes} minutes`}`
    case 'active':
      return what === 'active-revision' ? `Revision ${after ?? ''} is active` : 'Active again'
    case 'appeared':
      return what === 'back' ? 'The service has it again' : `New in ${after ?? 'the list'}`
    case 'changed':
      if (what === 'revision') return `New revision ${after ?? ''}, not active yet`
      if (what === 'active-revision') return `Revision ${after ?? ''} is active`
      if (what === 'runs') return `Runs ${after ?? 'something else'}`
      return `${statusLabel(before ?? '')}, now ${statusLabel(after ?? '')}`
  }
}
