import type { Archives } from '../../archives/archives'
import type { Log } from '../../base/log'
import type { Store } from '../../database/store'

/** The dependencies of routes about deployments. */
export interface RouteParts {
  store: Store
  /** Null if the service doesn't store archives. */
  archives: Archives | null
  log: Log
  /** How long a deployment, a revision or a deletion takes, in milliseconds. */
  provisionMs: number
}
