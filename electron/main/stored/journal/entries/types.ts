import type { CalledAccount, Failure, Fingerprint, Lookup, SynchronisationEntry } from '@contract'

/** The environment that an entry is about. */
export interface JournalPlace {
  environmentId: string
  environmentName: string
}

/** The environment whose service is called, and the account there; null if that isn't known. */
export interface CalledPlace extends JournalPlace {
  account: CalledAccount | null
}

/** Where an attempt is sent. */
export interface SentTo {
  /** With the salt of the following. */
  fingerprint: Fingerprint
  /** The service. */
  serviceIdentity: string
  /** The request headers. */
  headersIdentity: string
  /** The proxy and the certificate rule. */
  routeIdentity: string
}

/** What an attempt creates, and what it sends in a form that can be compared. */
export interface AttemptedCreation extends SentTo {
  name: string
  source: string
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
