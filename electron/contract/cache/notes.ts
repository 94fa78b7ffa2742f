/** The notes that are kept with a cache, by the names under which its file has them. */
export const cacheNotes = {
  /** The synchronisation that may go on, as JSON text (`savedRunSchema`). */
  run: 'sync-run',
  /** How often the environment is synchronised by itself, in minutes. */
  interval: 'sync-interval',
  /** When the last full synchronisation ended, in milliseconds since 1970. */
  synchronisedAt: 'synchronised-at',
  /** When the service last answered with something that is cached, in milliseconds since 1970. */
  newestAt: 'newest-at',
} as const
