import type {
  Failure,
  Fingerprint,
  JournalEntry,
  JournalFilter,
  Lookup,
  StoredCreation,
  SynchronisationEntry,
} from '@contract'

/** The environment that an entry is about. */
export interface JournalPlace {
  environmentId: string
  environmentName: string
}

/** How a creation ended; `heldBack` where Slipway itself refused it, before it was handed to the network. */
export type CreationEnd =
  | { state: 'created'; deploymentId: string }
  | { state: 'refused'; failure: Failure; heldBack?: true }
  | { state: 'unclear'; failure: Failure }

/** What a look for the deployment of an attempt brought to light; what is left out stays as it was. */
export interface LookupNote {
  /** Left out while it is still not known what became of the attempt. */
  state?: 'created' | 'refused' | 'not-created' | 'unclear'
  lookup?: Lookup
  lookFailure: Failure | null
}

/** What an attempt is about, and what it sends in a form that can be compared. */
interface Attempted {
  name: string
  source: string
  fingerprint: Fingerprint
  /** The service that it is sent to, under the fingerprint's salt. */
  serviceIdentity: string
  /** The request headers that it is sent with, under the same salt. */
  headersIdentity: string
  /** The proxy and the certificate rule that it is sent by, under the same salt. */
  routeIdentity: string
  /** The attempts at the name that it comes after, at that service. */
  before: string[]
  /** The time by that service's clock, where it is known. */
  startedAtService: string | null
}

/**
 * Why the journal may not know of an attempt: the keychain keeps its key to itself (`keychain`), entries were lost or
 * changed not long ago (`gap`), or a newer Slipway has written to it (`newer`).
 */
export type IncompleteReason = 'keychain' | 'gap' | 'newer'

/** The local journal: what was created from this machine, what was synchronised, and which calls failed. */
export interface Journal {
  /**
   * The newest entries that pass a filter, newest first. With a name, so many of the unconfirmed creations of that name
   * besides: one may be in its way, whatever came after it.
   */
  list: (limit: number, name?: string | null, filter?: JournalFilter) => Promise<JournalEntry[]>
  /**
   * Opens the entry of a creation; it is on disk when this resolves. Rejects where it cannot be written, with a
   * FullJournalError where there is no room for it.
   */
  beginCreation: (place: JournalPlace, what: Attempted) => Promise<string>
  /** Ends a creation that is under way; one that has ended stays as it is. */
  endCreation: (id: string, end: CreationEnd) => Promise<void>
  /**
   * Why the journal may not know of an attempt, so that the service has to be asked for its name first; null where it
   * knows of every one.
   */
  incompleteReason: () => Promise<IncompleteReason | null>
  /**
   * Call it when the keychain answers again: takes in what could not be read without the key, also what was set aside, and
   * encrypts what was written without it.
   */
  unlock: () => Promise<void>
  /** The creations of every environment, in the order in which they began. */
  creations: () => Promise<StoredCreation[]>
  /** Moves the creation of an environment that was removed to one that leads to the same service. */
  moveCreation: (id: string, place: JournalPlace) => Promise<void>
  /**
   * Notes what a look for the deployment of an attempt found, or why it found nothing out. One that is created by now, as
   * another look found or the user said, stays as it is.
   */
  noteLookup: (id: string, look: LookupNote) => Promise<void>
  /**
   * Notes that the user says an attempt created what a look found; it is on disk when this resolves. Rejects where it
   * cannot be written: then it stays as it was.
   */
  claimCreation: (id: string, lookup: Lookup) => Promise<void>
  /** Notes that a synchronisation begins; `automatic` ones that find nothing, one after the other, share an entry. */
  beginSynchronisation: (place: JournalPlace, automatic: boolean) => Promise<string>
  endSynchronisation: (id: string, end: SynchronisationEnd) => Promise<void>
  /** Notes a call that failed, such as "List deployments"; the same failure only once a minute. */
  noteFailure: (place: JournalPlace, action: string, startedAt: Date, reason: Failure) => Promise<void>
}

/** How a synchronisation ended, and what it found. */
export interface SynchronisationEnd {
  state: Exclude<SynchronisationEntry['state'], 'running'>
  /** How many deployments it saw; how many of them were new or changed, and how many others are gone. */
  seen: number
  added: number
  changed: number
  gone: number
  failure: Failure | null
}
