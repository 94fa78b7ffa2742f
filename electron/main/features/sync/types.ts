import type { Outcome } from '@contract'
import type { Span, Unseen, WrittenPage } from '@contract/cache'

/** The unparsed body of an answer of List deployments, with the times when it was requested and complete. */
export interface FetchedPage {
  body: Uint8Array
  /** Identifies the body, as the cache's contract does. */
  digest: string
  span: Span
}

/** The service, from a synchronisation's point of view. */
export interface SyncSource {
  /** List deployments with `offset` and `limit`. */
  fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<Outcome<FetchedPage>>
  /** List deployments with `deployment_ids`; at most as many identifiers as one page has items. */
  fetchByIds: (ids: string[], signal: AbortSignal) => Promise<Outcome<FetchedPage>>
}

/** The cache, from a synchronisation's point of view. An unreadable page fails with `unreadable-answer`. */
export interface SyncStore {
  /**
   * Counts how often the cache was opened or replaced. If it changes, what was written may be lost.
   */
  opening: () => number
  writePage: (page: FetchedPage, run: number) => Promise<Outcome<WrittenPage>>
  /** Has the cache process read a page that is probably written later. Never rejects. */
  readAhead: (page: FetchedPage) => Promise<void>
  unseen: (run: number, after: number, limit: number) => Promise<Outcome<Unseen>>
  markGone: (ids: string[], span: Span) => Promise<Outcome<{ marked: number }>>
  bulk: (on: boolean) => Promise<Outcome<null>>
}

/** Time in milliseconds since 1970, and waiting. An aborted wait ends early, without an error. */
export interface Clock {
  now: () => number
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface SyncAdapters {
  source: SyncSource
  store: SyncStore
  clock: Clock
  /** A number from 0 up to, not including, 1: the jitter of waits. */
  random: () => number
}
