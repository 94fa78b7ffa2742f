import type { Connection, CreationEntry, Failure, Fingerprint, Lookup, Outcome } from '@contract'
import type { Environments, ReadyEnvironment } from '../../../environments/model/types'
import type { ServiceClient } from '../../../processes/cache-client/types'
import type { HttpTarget } from '../../../http/types'
import type { Journal, LookupNote } from '../../../stored/journal'
import type { ServiceClocks } from '../attempts/service-clocks'

/**
 * Finds out how unconfirmed attempts ended, by reading alone. It never sends a creation. It reads only in the
 * current environment, and ignores every service but the one that an attempt was sent to.
 */
export interface Reconciler {
  /** Schedules lookups for the unconfirmed attempts of the current environment until each is settled. */
  follow: () => Promise<void>
  /**
   * Looks an attempt up once, on request. Gives the attempt as it is then known, including a lookup without an answer.
   * Failures: `not-found`, `environment-changed`, `internal` if the journal can't be read.
   */
  lookUp: (environmentId: string, attemptId: string, signal: AbortSignal) => Promise<Outcome<CreationEntry>>
  /**
   * Looks an attempt up before its name is sent again. It doesn't join a running lookup, which began earlier and may be
   * cancelled by another caller. Gives why nothing may be sent, or null. A service without an answer is no reason.
   */
  lookUpBeforeSending: (
    environmentId: string,
    attemptId: string,
    signal: AbortSignal,
  ) => Promise<Failure | null>
  /** Looks up whether a refused attempt was carried out after all (`refusal.ts`). Notes nothing. */
  lookUpAfterRefusal: (
    environmentId: string,
    attemptId: string,
    refusal: Failure,
    signal: AbortSignal,
  ) => Promise<RefusalLookup>
  /**
   * Looks up whether earlier refused attempts at a name were carried out since. Call it before the name is sent again.
   * Attempts that were, or may have been, are no longer refused. Gives the one that is created by now; null if there is
   * none, or the service gave no answer. Fails if the lookup was cancelled.
   */
  reviewRefused: (
    environment: ReadyEnvironment,
    name: string,
    signal: AbortSignal,
  ) => Promise<Outcome<EarlierCreation | null>>
  /** Reads the clocks for an attempt that is about to be sent. */
  readClocks: (target: HttpTarget) => AttemptStart
  /** Stores when an attempt began. */
  noteStart: (attemptId: string, start: AttemptStart) => void
  /**
   * Settles an attempt as the creator of a deployment that the last lookup found, because the operator says so.
   * Failures: `not-found`; `conflict` if more is known of the attempt by now; `other-service`; `internal` if the
   * journal can't be written; those of `readyEnvironment`.
   */
  claim: (
    environmentId: string,
    attemptId: string,
    deploymentId: string,
    signal: AbortSignal,
  ) => Promise<Outcome<CreationEntry>>
  /** Call it after every change of a connection: a lookup may succeed once the service is back. */
  noteConnection: (connection: Connection) => void
  /** Call it when another environment may be current. */
  noteEnvironment: () => void
  /** Call it when the journal has read more attempts than at first. */
  noteJournal: () => void
  /** Call it when the machine is suspended. */
  noteSuspend: () => void
  /** Call it when the machine wakes up. */
  noteResume: () => void
  /** Cancels all lookups, because the application quits. */
  close: () => void
  /**
   * Why nothing may be sent any more, because nothing would be looked up afterwards; null while the reconciler is open.
   */
  closed: () => Failure | null
}

export interface ReconcilerOptions {
  environments: Environments
  http: ServiceClient
  journal: Journal
  /** A monotonic clock, in milliseconds. */
  monotonic: () => number
  clocks: Pick<ServiceClocks, 'now'>
  report: (error: unknown) => void
}

/** How a refused creation ended after all, and what the lookup found or why it found nothing. */
export type RefusalLookup = Required<Pick<LookupNote, 'lookFailure'>> & {
  state: 'created' | 'refused' | 'unclear'
  lookup: Lookup | null
}

/** What an earlier attempt created, and its fingerprint (null if that isn't known). */
export interface EarlierCreation {
  deploymentId: string
  sent: Fingerprint | null
}

/** When an attempt began. */
export interface AttemptStart {
  /** By the service's clock (ISO 8601); null if that isn't known. */
  startedAtService: string | null
  /** Whether this machine's clock has run steadily since. */
  isSteady: () => boolean
}
