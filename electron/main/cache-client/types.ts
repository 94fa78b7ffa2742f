import type { Failure, Outcome } from '@contract'
import type { CacheInput, CacheOp, CacheOutput, SetAside } from '@contract/cache'
import type { accountIdentity } from '../environments/model/service-identity'
import type { HttpAnswer, HttpRequest } from '../http/types'
import type { JsonText } from '../answers/json-text'
import type { CacheKeys } from './keys'

/** An operation of the service's interface whose answers are cached. */
export type Operation =
  | { name: 'list-deployments' }
  | { name: 'create-deployment' }
  | { name: 'list-repositories'; integrationId: string }

/** A request that names its operation: nobody has to find out from its URL what the answer is. */
export interface ServiceRequest extends HttpRequest {
  operation: Operation
}

/** An HTTP client that may write what the service answers into the cache. */
export interface ServiceClient {
  request: (request: ServiceRequest) => Promise<Outcome<HttpAnswer>>
}

/** What is needed of the cache process. */
export interface CacheProcess {
  postMessage: (message: unknown) => void
  onMessage: (listener: (message: unknown) => void) => void
  /** `crashed` says that it ended by itself, other than when something from outside ended it. */
  onExit: (listener: (crashed: boolean) => void) => void
  /** Ends the process at once, whatever it is doing. */
  kill: () => void
}

/** Something about a cache that its owner should know. */
export type CacheNotice = { environmentId: string } & (
  | { kind: 'set-aside'; setAside: SetAside }
  | { kind: 'damaged-rows'; count: number }
  | { kind: 'memory-only'; reason: Failure }
  | { kind: 'on-disk-again' }
  | { kind: 'disk-full' }
  | { kind: 'too-large' }
  | { kind: 'other-service' }
)

/** What says to which service, and to which account there, an environment leads. */
export type ServiceTarget = Parameters<typeof accountIdentity>[0]

export interface CacheOptions {
  fork: () => CacheProcess
  keys: CacheKeys
  /** Whether there is an environment of this identifier: a removed one gets no cache. */
  exists: (environmentId: string) => boolean
  /**
   * Where an environment leads now; a failure where that is unknown, as with a locked keychain. Asks the keychain only
   * with `mayAsk`.
   */
  target: (environmentId: string, mayAsk: boolean) => Promise<Outcome<ServiceTarget>>
  /** Where the files are, one an environment. */
  folder: string
  notice: (notice: CacheNotice) => void
  /** How long a request may take, in milliseconds, before the process counts as hanging. */
  timeLimitMs?: number
  /** A process that ends more often than this within a minute is not started again for the rest of it. */
  startsAMinute?: number
}

export type Inputs<Op extends CacheOp> = Omit<CacheInput<Op>, 'environmentId'>
/** The requests about a cache that is open; opening and closing happen by themselves. */
export type OpenCacheOp = Exclude<CacheOp, 'open' | 'close' | 'remove'>

/**
 * The caches of the environments, in a process of their own. Every call may fail with `cache` or `disk-full`.
 *
 * A cache belongs to the service and the account that its content is from, as `accountIdentity` names them ("service"
 * below): what one account may see, or one proxy leads to, is not shown to another. After an edit that leads an
 * environment to another service, its cache is removed and a new one begun before any answer. Editing it back doesn't
 * bring the old one back. Writes name the service that they are `from`, so that an answer or a synchronisation of the old
 * service never gets into the new cache.
 */
export interface Cache {
  /** Fails with `environment-changed` where the environment no longer leads to the service that `from` names. */
  ask: <Op extends OpenCacheOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
    from?: string,
  ) => Promise<Outcome<CacheOutput<Op>>>
  /** The same, but gives the text that the cache process wrote. */
  askText: <Op extends OpenCacheOp>(
    environmentId: string,
    op: Op,
    input: Inputs<Op>,
    from?: string,
  ) => Promise<Outcome<JsonText<CacheOutput<Op>>>>
  /** The name of the service that an environment leads to, for `from`; it holds for this session. */
  service: (environmentId: string) => Promise<Outcome<string>>
  /** The name of the service that a request went to. */
  serviceOf: (target: ServiceTarget) => string
  /** Where the cache of an environment is kept; null before it was opened. */
  storage: (environmentId: string) => 'disk' | 'memory' | null
  /** How often the cache of an environment was opened, or begun anew because it was damaged, in this session. */
  opening: (environmentId: string) => number
  /** The environments whose caches have files, without those of which a file was set aside. */
  stored: () => Promise<string[]>
  /**
   * Call it when the keychain answers again. Caches that are in memory because it didn't are opened from the disk with the
   * next call, where there is a key by now.
   */
  reopen: () => Promise<void>
  /** Removes the cache of an environment, its file and its key. */
  remove: (environmentId: string) => Promise<void>
  /** Closes the caches, for a second at most, and ends the process. */
  close: () => Promise<void>
}
