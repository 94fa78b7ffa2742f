import type { Archives } from '../archives/archives'
import type { Store } from '../database/store'

/** What routes about deployments work on. */
export interface RouteParts {
  store: Store
  /** Null if the service keeps none. */
  archives: Archives | null
  /** How long a deployment, a revision or a deletion takes, in milliseconds. */
  provisionMs: number
}
