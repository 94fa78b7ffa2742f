import type { Failure, Outcome } from '@contract'
import type { CacheInput, CacheOp, Observer, SetAside } from '@contract/cache'
import type { HttpAnswer, HttpRequest } from '../../http/types'

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

export type Inputs<Op extends CacheOp> = Omit<CacheInput<Op>, 'environmentId'>
/** The requests to an open cache. Opening and closing happen automatically. */
export type OpenCacheOp = Exclude<CacheOp, 'open' | 'close' | 'remove'>
