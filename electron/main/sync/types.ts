import type { Outcome } from '@contract'
import type { Span, Unseen, WrittenPage } from '@contract/cache'

/** The body of an answer of List deployments, unread, with when it was sent for and when it was complete. */
export interface FetchedPage {
  body: Uint8Array
  span: Span
}

/** The service, as a synchronisation sees it. */
export interface SyncSource {
  /** List deployments with `offset` and `limit`. */
  fetchPage: (offset: number, limit: number, signal: AbortSignal) => Promise<Outcome<FetchedPage>>
  /** List deployments with `deployment_ids`; at most as many identifiers as one page holds. */
  fetchByIds: (ids: string[], signal: AbortSignal) => Promise<Outcome<FetchedPage>>
}

/** The cache, as a synchronisation sees it. A page that it cannot read fails with `unreadable-answer`. */
export interface SyncStore {
  /** Counts how often the cache was opened or begun anew: when it changes, what was written may not be there. */
  opening: () => number
  writePage: (page: FetchedPage, run: number) => Promise<Outcome<WrittenPage>>
  unseen: (run: number, after: number, limit: number) => Promise<Outcome<Unseen>>
  markGone: (ids: string[], span: Span) => Promise<Outcome<{ marked: number }>>
  bulk: (on: boolean) => Promise<Outcome<null>>
  readNote: (key: string) => Promise<Outcome<string | null>>
  writeNote: (key: string, value: string | null) => Promise<Outcome<null>>
}

/** Time, in milliseconds since 1970, and waiting. A wait ends early, without failing, when it is aborted. */
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
