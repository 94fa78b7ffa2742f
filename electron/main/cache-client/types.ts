import type { Outcome } from '@contract'
import type { HttpAnswer, HttpRequest } from '../http/types'

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
