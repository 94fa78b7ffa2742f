import type { Called, Failure, Lookup, SentConfiguration, SynchronisationEntry } from '@contract'

/** The environment that an entry is about. */
export interface JournalPlace {
  environmentId: string
  environmentName: string
}

/** The environment whose service is called, and the account there; null if that isn't known. */
export interface CalledPlace extends JournalPlace {
  account: Called | null
}

/** What an attempt creates, and where. */
export interface AttemptedCreation {
  name: string
  source: string
  service: Called
  sent: SentConfiguration | null
}

/** How a creation ended. */
export type CreationEnd =
  { state: 'created'; deploymentId: string } | { state: 'refused' | 'unclear'; failure: Failure }

/** The result of a lookup. Missing members don't change. */
export interface LookupNote {
  /** Set if the lookup found what the attempt created. */
  state?: 'created'
  lookup?: Lookup
  lookFailure: Failure | null
}

/** What the operator says of an unconfirmed attempt: the chosen deployment of its lookup is it, or it is dismissed. */
export type OperatorsWord = { state: 'created'; lookup: Lookup } | { state: 'dismissed' }

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
