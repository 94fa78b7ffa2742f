import type { CallInput, CreateRequest, DeploymentDetail, Outcome } from '@contract'
import type { Environments, ReadyEnvironment } from '../../../environments/model/types'
import type { ServiceClient } from '../../../processes/cache-client/types'
import type { Journal } from '../../../stored/journal'
import type { Reconciler } from '../attempts/reconciler'

/** What creations need from drafts (see `Drafts`). */
export interface CreationDrafts {
  /** Saves unsaved drafts. Never fails and never takes long. */
  settle: () => Promise<void>
  /** Replaces marks with their values, if these may be sent to the environment. */
  fillIn: (request: CreateRequest, environment: ReadyEnvironment) => Promise<Outcome<CreateRequest>>
}

/** What the steps of a creation work with. */
export interface CreationContext {
  environments: Environments
  http: ServiceClient
  journal: Journal
  reconciler: Reconciler
  drafts: CreationDrafts
  report: (error: unknown) => void
}

/** A creation during its steps. */
export interface Creation {
  /** As it was at the start. Nothing is sent if it was edited since. */
  environment: ReadyEnvironment
  /** With the values of its secrets. */
  request: CreateRequest
  /** What the operator knew about an unconfirmed attempt when they chose to send its name again. */
  consent: CallInput<'deployments.create'>['again']
  signal: AbortSignal
}

/** How a creation ends for its caller. */
export type CreationOutcome = Outcome<DeploymentDetail>
