/** The notes that a cache's file contains, by their names in it. */
export const cacheNotes = {
  /** How often the environment is synchronised automatically, in minutes. */
  interval: 'sync-interval',
  /** When the last full synchronisation ended, in milliseconds since 1970. */
  synchronisedAt: 'synchronised-at',
  /** When the service last answered with something that is cached, in milliseconds since 1970. */
  newestAt: 'newest-at',
  /** For how many days the history is kept. */
  historyDays: 'history-days',
} as const
