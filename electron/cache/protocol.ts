import { createHash } from 'node:crypto'
import type { historyDays } from '@contract/cache/choices'
import type {
  AgentEntries,
  CachedDetail,
  CachedRepositoryList,
  CacheOverview,
  CellDeployment,
  ChangesRequest,
  DeploymentHistory,
  DeploymentHistoryRequest,
  EarlierRequest,
  EnvironmentChanges,
  FoundDeployments,
  HistoryState,
  Observer,
  StatusHistory,
  StatusHistoryRequest,
} from '@contract/cache/answers'
import type { CachedPageRequest, CachedPage, CacheState, StatusCounts } from '@contract/cache/query'

/**
 * How large an environment's file may become, and its cache in memory. 100,000 deployments take about 450 MB.
 */
export const largestCache = { gigabytes: 4, gigabytesInMemory: 1 } as const

/** What is appended to the name of a cache's file that was set aside. */
export const asideSuffix = '.damaged-'

/**
 * When a request was sent and when its answer was complete, in milliseconds since 1970. An answer shows the service at
 * some moment in between, which decides which of two answers about a deployment is newer.
 */
export interface Span {
  sentAt: number
  receivedAt: number
}

/**
 * The requests to the cache process, each about an environment, and what each gives. It answers in order. Bodies are
 * answers as the service sent them.
 */
interface CacheOps {
  /**
   * Opens an environment's cache. A null `file` keeps it in memory only. `key` is 64 hexadecimal digits. A damaged
   * file, or one that the key can't open, is set aside and a new one is created. `service` identifies the service and
   * account: a file with the content of another account is removed and a new one is created.
   */
  open: [{ file: string | null; key: string; service: string }, Opened]
  close: [unknown, null]
  /** Closes the cache, and removes its file and those that were set aside. */
  remove: [{ file: string }, null]
  /**
   * A page of List deployments. `run` is the synchronisation that it belongs to, or null. Otherwise, `by` says what
   * requested it: by default, the list.
   */
  'write-page': [{ body: Uint8Array; span: Span; run: number | null; by?: Observer }, WrittenPage]
  /** The same for a page that came before, by its digest (`digestOf`); null if the cache doesn't know it any more. */
  'see-page': [{ digest: string; span: Span; run: number }, WrittenPage | null]
  /** One deployment, as Create a deployment answers it. */
  'write-deployment': [{ body: Uint8Array; span: Span }, null]
  'write-repositories': [{ integrationId: string; body: Uint8Array; span: Span }, null]
  page: [{ request: CachedPageRequest }, CachedPage]
  /** A deployment. `missingAt` is when the service answered that it doesn't have it (ISO 8601), if it did. */
  deployment: [{ id: string; missingAt?: string }, CachedDetail | null]
  repositories: [{ integrationId: string }, CachedRepositoryList | null]
  state: [unknown, CacheState]
  statuses: [unknown, StatusCounts]
  /** What the Overview shows: deployments by status, those that aren't settled, and the interval. */
  overview: [unknown, CacheOverview]
  history: [{ request: DeploymentHistoryRequest }, DeploymentHistory]
  changes: [{ request: ChangesRequest }, EnvironmentChanges]
  'status-history': [{ request: StatusHistoryRequest }, StatusHistory]
  /** A deployment as it was at an earlier point; null if that isn't kept. */
  earlier: [{ request: EarlierRequest }, CachedDetail | null]
  'history-state': [unknown, HistoryState]
  'keep-history': [{ days: (typeof historyDays)[number] }, HistoryState]
  /** Agents after `after` in the order of their keys, or those of `only`, each with all of its deployments. */
  agents: [{ search: string; after: string | null; limit: number; only: string[] | null }, AgentEntries]
  /** Places and versions of the deployments that were assigned to an agent by hand. */
  'assigned-agents': [{ ids: string[]; search: string }, FoundDeployments]
  /** The deployments at places that `agents` gave, without those that are gone by now. */
  'agent-cells': [{ places: number[] }, CellDeployment[]]
  /** Prepares for many writes (`true`), or finishes them (`false`): updates the search index and tidies the file. */
  bulk: [{ on: boolean }, null]
  /** Identifiers after `after` that aren't marked as gone and that `run` hasn't seen, in a stable order. */
  unseen: [{ run: number; after: number; limit: number }, Unseen]
  /** Marks deployments as gone, unless an answer to a request after `span.sentAt` has shown them. */
  'mark-gone': [{ ids: string[]; span: Span }, { marked: number }]
  /** Notes that a synchronisation has read the whole list. */
  synchronised: [{ span: Span }, null]
  /** Removes what was marked as gone before a time, in milliseconds since 1970. */
  'clean-up': [{ before: number }, { removed: number }]
  'read-note': [{ key: string }, string | null]
  'write-note': [{ key: string; value: string | null }, null]
}

export type CacheOp = keyof CacheOps

export type CacheInput<Op extends CacheOp> = { environmentId: string } & CacheOps[Op][0]

export type CacheOutput<Op extends CacheOp> = CacheOps[Op][1]

/** A request as the main process sends it. */
export type CacheRequest = { [Op in CacheOp]: { op: Op } & CacheInput<Op> }[CacheOp]

export interface CacheCall {
  id: number
  request: CacheRequest
}

/** A message of the main process. The answer has the same number. */
export interface StoreMessage {
  data: CacheCall | { id: number; state: StateRequest } | { id: number; keychain: KeychainRequest }
}

/** Requests that write what a service answered, if there is room for more. */
export const answerWriteOps: readonly CacheOp[] = [
  'write-page',
  'see-page',
  'write-deployment',
  'write-repositories',
]

/**
 * Why a request failed. `damaged`: the file was set aside and a new one created. `too-large`: the file has reached its
 * limit.
 */
export type CacheFailureCode =
  | 'not-open'
  | 'damaged'
  | 'too-large'
  | 'disk-full'
  | 'unreadable-answer'
  | 'internal'

/** A file that was set aside: what was wrong with it, and its new name. */
export interface SetAside {
  reason: 'damaged' | 'wrong-key'
  file: string
}

/** A reply of the process. The value is JSON text, so that a page reaches the renderer without being parsed. */
export type CacheReply =
  | { id: number; ok: true; text: string }
  | { id: number; ok: false; code: CacheFailureCode; message: string; setAside: SetAside | null }

export interface Opened {
  setAside: SetAside | null
  /** Whether the content was another service's or account's, and was removed. */
  otherService: boolean
}

export interface WrittenItem {
  id: string
  /** A checksum of its content. */
  version: string
  name: string
  created_at: string | null
  updated_at: string | null
  /** How it compares with the cache: new, different, the same, or older than the cached one. */
  was: 'new' | 'changed' | 'same' | 'older'
}

/** The result of writing a page. `received` counts all items, including unreadable ones. */
export interface WrittenPage {
  items: WrittenItem[]
  received: number
  unreadable: number
  returnedOffset: number | null
}

/** Identifies the body of a page. It isn't for security, since the body is the service's own. */
export const digestOf = (body: Uint8Array): string => createHash('sha1').update(body).digest('base64')

/** Identifiers that a run hasn't seen. `after` is where to continue; null at the end. */
export interface Unseen {
  ids: string[]
  after: number | null
}

/** A call to the system's keychain, which the process that owns the disk makes. */
export type KeychainRequest =
  | { call: 'get' | 'delete'; service: string; account: string }
  | { call: 'set'; service: string; account: string; value: string }

/** What each call gives: `delete` whether there was an entry. */
export interface KeychainValues {
  get: string | null
  set: null
  delete: boolean
}

/**
 * The reply to a call. `problem` says whether the keychain library can't be loaded or the keychain refused; `words` is
 * the error message of either.
 */
export type KeychainReply =
  | { ok: true; value: KeychainValues[KeychainRequest['call']] }
  | { ok: false; problem: 'library' | 'keychain'; words: string }

/** The tables of `state.db`, which has what Slipway itself keeps. Each has a text for each identifier. */
export const stateTables = ['journal', 'drafts', 'personal', 'watches'] as const

export type StateTable = (typeof stateTables)[number]

/** The table that is written without a key, too: an attempt must be on the disk before its request leaves. */
export const plainTable: StateTable = 'journal'

/** Replaces the text of an identifier; null removes it. */
export interface StateChange {
  id: string
  text: string | null
}

/** The texts of a table, in the order their identifiers were first written. */
export type StateRow = [id: string, text: string]

/** The main process's requests about `state.db` to the process that owns the disk. */
export type StateRequest =
  /** Opens the file, or creates it. Gives whether a key is needed to read all of it. */
  | { op: 'open'; file: string }
  /** From now on, everything is encrypted with this key: 64 hexadecimal digits. */
  | { op: 'unlock'; key: string }
  /** `isLocked`: some rows couldn't be read without the key. */
  | { op: 'read'; table: StateTable }
  /** Makes all changes or none. They are on the disk when this is answered. */
  | { op: 'write'; table: StateTable; changes: StateChange[] }

export type StateOp = StateRequest['op']

export interface StateValues {
  open: { isSealed: boolean }
  unlock: null
  read: { rows: StateRow[]; isLocked: boolean }
  write: null
}

/** Why a file was set aside, and its new name: then the request was answered from a new file. */
export interface StateAside {
  reason: 'damaged' | 'wrong-key'
  name: string
}

export type StateReply = { setAside: StateAside | null } & (
  | { ok: true; value: StateValues[StateOp] }
  | { ok: false; isFull: boolean; message: string }
)
