import type { CallInput, CreateRequest, DeploymentDetail, Outcome } from '@contract'
import type { Environments, ReadyEnvironment } from '../../environments/model/types'
import type { ServiceClient } from '../../cache-client/types'
import type { Journal } from '../../journal'
import type { Reconciler } from '../reconcile'

/** What creations need of the drafts that they are made from (see `Drafts`). */
export interface CreationDrafts {
  /** Saves what isn't saved yet; never fails or takes long. */
  settle: () => Promise<void>
  /** Replaces marks with their values, as far as these may be sent to the environment. */
  fillIn: (request: CreateRequest, environment: ReadyEnvironment) => Promise<Outcome<CreateRequest>>
}

/** What the steps of a creation work with. */
export interface CreationContext {
  environments: Environments
  http: ServiceClient
  journal: Journal
  reconciler: Reconciler
  report: (error: unknown) => void
}

/** What the user knew of an unconfirmed attempt when they chose to send its name again. */
type Consent = NonNullable<CallInput<'deployments.create'>['again']>

/** A creation on its way through its steps. */
export interface Creation {
  /** As it was made ready at first: nothing is sent if it was edited since. */
  environment: ReadyEnvironment
  /** With the values of its secrets. */
  request: CreateRequest
  consent: Consent | null
  signal: AbortSignal
}

/** How a creation ends for whoever called for it. */
export type CreationOutcome = Outcome<DeploymentDetail>
