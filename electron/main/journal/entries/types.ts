import type { Failure, Fingerprint, Lookup, SynchronisationEntry } from '@contract'

/** The environment that an entry is about. */
export interface JournalPlace {
  environmentId: string
  environmentName: string
}

/** What an attempt creates, and its request in a form that can be compared. */
export interface AttemptedCreation {
  name: string
  source: string
  fingerprint: Fingerprint
  /** The service that it is sent to, hashed with the fingerprint's salt. */
  serviceIdentity: string
  /** The request headers that it is sent with, hashed with the same salt. */
  headersIdentity: string
  /** The proxy and the certificate rule that it is sent by, hashed with the same salt. */
  routeIdentity: string
  /** Identifiers of earlier attempts at the name, at that service. */
  before: string[]
  /** The time by that service's clock; null if it isn't known. */
  startedAtService: string | null
}

/** How a creation ended; `heldBack` if Slipway refused it before handing it to the network. */
export type CreationEnd =
  | { state: 'created'; deploymentId: string }
  | { state: 'refused'; failure: Failure; heldBack?: true }
  | { state: 'unclear'; failure: Failure }

/** The result of a lookup. Missing members don't change. */
export interface LookupNote {
  /** Missing if the result of the attempt isn't known yet. */
  state?: 'created' | 'refused' | 'not-created' | 'unclear'
  lookup?: Lookup
  lookFailure: Failure | null
}

/** How a synchronisation ended, and what it found. */
export interface SynchronisationEnd {
  state: Exclude<SynchronisationEntry['state'], 'running'>
  /** How many deployments it saw, how many of them were new or changed, and how many others are gone. */
  seen: number
  added: number
  changed: number
  gone: number
  failure: Failure | null
}
