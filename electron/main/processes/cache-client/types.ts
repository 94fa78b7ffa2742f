import type { Failure, Outcome } from '@contract'
import type { CacheInput, CacheOp, CacheOutput, Observer, SetAside } from '@contract/cache'
import type { accountIdentity } from '../../environments/identity'
import type { HttpAnswer, HttpRequest } from '../../http/types'
import type { JsonText } from '../answers'
import type { StoreProcess } from '../store-process'
import type { FileKeys } from '../keychain/file-keys'

/** An operation of the service's interface whose answers are cached. `by` is what looks, for the history. */
export type Operation =
  | { name: 'list-deployments'; by?: Observer }
  | { name: 'create-deployment' }
  | { name: 'list-repositories'; integrationId: string }

/** A request that names its operation, so that nobody has to derive it from the URL. */
interface ServiceRequest extends HttpRequest {
  operation: Operation
}

/** An HTTP client that may write the answers of the service into the cache. */
export interface ServiceClient {
  request: (request: ServiceRequest) => Promise<Outcome<HttpAnswer>>
}

/** Something about a cache that the operator should know. */
export type CacheNotice = { environmentId: string } & (
  | { kind: 'set-aside'; setAside: SetAside }
  | { kind: 'memory-only'; reason: Failure }
  | { kind: 'on-disk-again' }
  | { kind: 'unwritten'; reason: 'disk-full' | 'too-large' | 'other' }
  | { kind: 'written-again' }
  | { kind: 'other-service' }
)

/** Says to which service, and which account there, an environment leads. */
export type ServiceTarget = Parameters<typeof accountIdentity>[0]

export interface CacheOptions {
  process: StoreProcess
  keys: FileKeys
  /** Whether an environment with this identifier exists: a removed one gets no cache. */
  exists: (environmentId: string) => boolean
  /**
   * Where an environment leads now. Fails if that isn't known, as with a locked keychain. Asks the keychain only with
   * `mayAsk`.
   */
  target: (environmentId: string, mayAsk: boolean) => Promise<Outcome<ServiceTarget>>
  /** The folder of the files, one for each environment. */
  folder: string
  notice: (notice: CacheNotice) => void
}

export type Inputs<Op extends CacheOp> = Omit<CacheInput<Op>, 'environmentId'>
/** The requests to an open cache. Opening and closing happen automatically. */
export type OpenCacheOp = Exclude<CacheOp, 'open' | 'close' | 'remove'>

/** The requests that only read. */
export type ReadingOp = Extract<
  OpenCacheOp,
  | 'page'
  | 'deployment'
  | 'repositories'
  | 'state'
  | 'statuses'
  | 'overview'
  | 'read-note'
  | 'history'
  | 'changes'
  | 'status-history'
  | 'earlier'
  | 'history-state'
  | 'agents'
  | 'assigned-agents'
  | 'agent-cells'
>

/** Reads one cache, while a visit lasts. */
export interface CacheReader {
  ask: <Op extends ReadingOp>(op: Op, input: Inputs<Op>) => Promise<Outcome<CacheOutput<Op>>>
  /** The same, with the text as the cache process wrote it. */
  askText: <Op extends ReadingOp>(op: Op, input: Inputs<Op>) => Promise<Outcome<JsonText<CacheOutput<Op>>>>
}

/**
 * The caches of the environments, in a process of their own. Every call may fail with `cache` or `disk-full`.
 *
 * A cache belongs to the service and the account of its content, as `accountIdentity` identifies them ("service"
 * below). What one account may see, or one proxy leads to, isn't shown to another. After an edit that leads an
 * environment to another service, its cache is replaced by a new one before any answer. Editing it back doesn't restore
 * the old one. Writes name the service that they are `from`, so that an answer or a synchronisation of the old service
 * never gets into the new cache.
 */
export interface Cache {
  /** Fails with `environment-changed` if the environment no longer leads to the service that `from` names. */
  ask: <Op extends OpenCacheOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
    from?: string,
  ) => Promise<Outcome<CacheOutput<Op>>>
  /** The same, with the text as the cache process wrote it. */
  askText: <Op extends OpenCacheOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
    from?: string,
  ) => Promise<Outcome<JsonText<CacheOutput<Op>>>>
  /**
   * Reads the cache of any environment without keeping it open: one that wasn't open is closed again. Gives null if
   * nothing is stored. Creates neither a file, nor a cache in memory, so it fails where `ask` would go on in memory:
   * with the keychain's failures. `read` may run again, with the new cache, if
   * the environment is edited meanwhile. Fails with `not-found` if the environment is removed meanwhile.
   */
  visit: <Value>(
    environmentId: string,
    read: (reader: CacheReader) => Promise<Outcome<Value>>,
  ) => Promise<Outcome<Value | null>>
  /** The identity of the service that an environment leads to, for `from`. It is valid in this session. */
  service: (environmentId: string) => Promise<Outcome<string>>
  /** The identity of the service that a request went to. */
  serviceOf: (target: ServiceTarget) => string
  /** Where the cache of an environment is stored; null before it was opened. */
  storage: (environmentId: string) => 'disk' | 'memory' | null
  /**
   * How often the cache of an environment was opened, or replaced because it was damaged, in this session.
   */
  opening: (environmentId: string) => number
  /**
   * Call it when the keychain answers again. The next call opens caches from the disk that are in memory because of it,
   * if there is a key now.
   */
  reopen: () => Promise<void>
  /** Removes the cache of an environment, its file and its key. */
  remove: (environmentId: string) => Promise<void>
  /** Closes the caches, for a second at most, and ends the process. */
  close: () => Promise<void>
}
