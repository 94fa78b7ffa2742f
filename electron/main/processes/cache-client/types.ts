import type { Failure, Outcome } from '@contract'
import type { CacheInput, CacheOp, Observer, SetAside } from '@contract/cache'
import type { HttpAnswer, HttpRequest } from '../../http/types'

/** A request that says how its answer is written into the cache. `by` is what looks, for the history. */
interface ServiceRequest extends HttpRequest {
  cachedAs:
    | { op: 'write-page'; run: null; by: Observer }
    | { op: 'write-deployment' }
    | { op: 'write-repositories'; integrationId: string }
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

export type Inputs<Op extends CacheOp> = Omit<CacheInput<Op>, 'environmentId'>
/** The requests to an open cache. Opening and closing happen automatically. */
export type OpenCacheOp = Exclude<CacheOp, 'open' | 'close' | 'remove'>
