import {
  type Failure,
  type JournalEntry,
  type JournalFilter,
  type StoredChange,
  type StoredCreation,
  type StoredEntry,
  failure,
  failureText,
} from '@contract'
import type {
  AttemptedCreation,
  CalledPlace,
  ChangeEnd,
  CreationEnd,
  JournalPlace,
  LookupNote,
  OperatorsWord,
  SynchronisationEnd,
} from './entries'

/**
 * The local journal: what was created from this machine, what was synchronised, and which calls failed. What reads
 * entries or begins one rejects with an UnreadableJournalError until it could be read, and tries again each time.
 */
export interface Journal {
  /**
   * The newest entries that pass a filter, newest first. Up to `limit` older unconfirmed creations follow, so that the
   * window shows them all. So do as many of a name, because one of them may block it.
   */
  list: (limit: number, name?: string | null, filter?: JournalFilter) => Promise<JournalEntry[]>
  /** All entries with what only a comparison needs, in the order they began. */
  entries: () => Promise<StoredEntry[]>
  /**
   * Opens the entry of a creation and gives its identifier. The entry is on disk when this resolves. Rejects if it
   * can't be written.
   */
  beginCreation: (place: JournalPlace, attempted: AttemptedCreation) => Promise<string>
  /** Closes the entry of a running creation. A closed entry doesn't change. */
  endCreation: (id: string, end: CreationEnd) => Promise<void>
  /** The same for a change of a deployment. */
  beginChange: (
    place: CalledPlace,
    changed: Pick<StoredChange, 'action' | 'deploymentId' | 'name' | 'sent'>,
  ) => Promise<string>
  /** Ends a running or unconfirmed change. A settled one stays as it is. */
  endChange: (id: string, end: ChangeEnd) => Promise<void>
  /**
   * Whether attempts may be missing because the keychain doesn't give the key, so that the service must be asked about a
   * name first.
   */
  isIncomplete: () => Promise<boolean>
  /** Reads what needed the key. Call it when that is there. */
  noteUnlocked: () => Promise<void>
  /** The creations of every environment, in the order they began. */
  creations: () => Promise<StoredCreation[]>
  /** Moves a creation to another environment that leads to the same service. */
  moveCreation: (id: string, place: JournalPlace) => Promise<void>
  /** Notes what a lookup found, or why it found nothing. A settled attempt doesn't change. */
  noteLookup: (id: string, note: LookupNote) => Promise<void>
  /** Uses up the operator's consent to send the name of an attempt again. Rejects if that can't be written. */
  noteSentAgain: (id: string) => Promise<void>
  /**
   * Settles an unconfirmed attempt as the operator says. The entry is on disk when this resolves. Rejects, and leaves
   * the entry as it was, if it can't be written.
   */
  settleCreation: (id: string, word: OperatorsWord) => Promise<void>
  /** Notes that a synchronisation begins. Automatic ones in a row that find nothing share an entry. */
  beginSynchronisation: (place: CalledPlace, automatic: boolean) => Promise<string>
  endSynchronisation: (id: string, end: SynchronisationEnd) => Promise<void>
  /** Notes a failed call, such as "List deployments". The same failure is noted once a minute at most. */
  noteFailure: (place: CalledPlace, action: string, startedAt: Date, reason: Failure) => Promise<void>
}

/** The journal could not be read or written. */
export class JournalError extends Error {}

/** The journal could not be read. */
export class UnreadableJournalError extends JournalError {
  constructor(private readonly reason: Failure) {
    super('The journal could not be read.')
  }

  /** What the operator should know. `consequence` says what didn't happen because of it. */
  failure(consequence: string | null = null): Failure {
    const so = consequence === null ? '' : `, so ${consequence}`
    return failure('internal', `The journal couldn't be read${so}.`, {
      advice: failureText(this.reason),
      retryable: true,
    })
  }
}
