import {
  type CreationEntry,
  isUnconfirmed,
  type JournalEntry,
  passesFilter,
  shownCreation,
  type StoredCreation,
  type StoredEntry,
} from '@contract'
import { Sequencer } from '../../async'
import { creationAfterLookup, creationSentAgain, endedCreation, newCreation } from './entries/creation'
import { failureEntry, RepeatedFailures } from './entries/failure'
import { beginEntry, endEntry } from './entries/synchronisation'
import { EntryStore } from './entry-store'
import type { JournalFile } from './file/journal-file'
import { JournalError, sizeLimits } from './file/size-limits'
import { JournalLoader } from './loader'
import type { Journal } from './types'

export { FullJournalError, JournalError, UnreadableJournalError } from './file/size-limits'
export type { CalledPlace, CreationEnd, LookupNote, SentTo, SynchronisationEnd } from './entries/types'
export type { IncompleteReason, Journal } from './types'

export interface JournalEvents {
  /** Called with every entry that is new or has changed. */
  changed: (entry: JournalEntry) => void
  /** Called with errors of writing entries that may be lost. */
  report: (error: unknown) => void
  /** Called with what the operator must know about the journal itself; null if there is nothing. */
  notice?: (text: string | null) => void
  /** Called with the name of a file that was set aside, after its content was added again. */
  regained?: (name: string) => void
  /** Called when attempts of earlier runs may have been found after the first read. */
  readLate?: () => void
}

/** Says where an attempt was sent, as `sentTo` of its entry. */
export type SentToOf = (attempt: StoredCreation) => CreationEntry['sentTo']

/**
 * Stores the journal in a file. The file is read when it is first needed, and again once lines can be decrypted whose
 * key was missing before.
 */
export function createJournal(
  file: JournalFile,
  events: JournalEvents,
  sentTo: SentToOf = () => undefined,
): Journal {
  const { changed, report, notice = () => undefined } = events
  const { regained = () => undefined, readLate = () => undefined } = events
  const writes = new Sequencer()
  const repeatedFailures = new RepeatedFailures()
  /** Entries that began in this run. */
  const ownIds = new Set<string>()
  const store = new EntryStore(file, report)
  const shown = (entry: StoredEntry): JournalEntry => shownEntry(entry, sentTo)
  const notify = (entry: StoredEntry): void => changed(shown(entry))
  const loader = new JournalLoader(file, store, ownIds, { onGap: notify, notice, regained, report })
  let firstRead: Promise<void> | null = null
  /** Whether the journal was read before, or couldn't be. */
  let isLate = false

  /** Runs one write after the other, so that the lines of an entry stay in order. Rejects with a JournalError. */
  const queue = <T>(write: () => Promise<T>): Promise<T> => writes.queue(write).catch(throwJournalError)

  async function load(): Promise<void> {
    firstRead ??= queue(read)
    await firstRead
    if (file.locked) await queue(() => readUnlocked(false))
  }

  /** If this fails, no later call relies on what was read, and the next one reads anew. */
  async function read(): Promise<void> {
    try {
      await loader.read()
    } catch (error) {
      firstRead = null
      isLate = true
      throw error
    }
    if (file.locked) void readOnceUnlocked().catch(report)
    if (isLate) readLate()
    isLate = true
  }

  /** Reads the file again if locked lines can be decrypted now. With `anew`, asks the keychain again at once. */
  async function readUnlocked(anew: boolean): Promise<void> {
    if (await file.canUnlock(anew)) await read()
  }

  /** Reads locked lines when the keychain answers after all. No caller waits for it. */
  async function readOnceUnlocked(): Promise<void> {
    if (await file.keyCame()) await queue(() => (file.locked ? read() : Promise.resolve()))
  }

  /** Adds an entry. If it is lost, that is reported, but the caller doesn't fail. */
  async function add(entry: StoredEntry): Promise<void> {
    await queue(() => store.writeOrReport(entry, sizeLimits.notes))
    notify(entry)
  }

  /**
   * Changes an entry in its state at that time, so that nothing noted meanwhile is lost.
   *
   * @param edit gives the changed entry; null if it doesn't change
   * @param write writes it; if that rejects, nobody is notified
   */
  async function change<Kind extends StoredEntry['kind']>(
    kind: Kind,
    id: string,
    edit: (entry: EntryOf<Kind>) => EntryOf<Kind> | null,
    write = (next: StoredEntry, _before: StoredEntry): Promise<void> =>
      store.writeOrReport(next, sizeLimits.notes),
  ): Promise<void> {
    const edited = await queue(async () => {
      const entry = store.get(id)
      const next = entry && isOf(kind, entry) ? edit(entry) : null
      if (entry && next) await write(next, entry)
      return next
    })
    if (edited) notify(edited)
  }

  return {
    async list(limit, name = null, filter = 'all') {
      await load()
      const newestFirst = store
        .all()
        .filter((entry) => passesFilter(entry, filter))
        .reverse()
      const older = newestFirst
        .slice(limit)
        .filter((entry) => entry.kind === 'creation' && isUnconfirmed(entry))
      const ofName = older.filter((entry) => entry.kind === 'creation' && entry.name === name)
      const chosen = new Set([...ofName.slice(0, limit), ...older.slice(0, limit)])
      return [...newestFirst.slice(0, limit), ...older.filter((entry) => chosen.has(entry))].map(shown)
    },

    async entries() {
      await load()
      return store.all()
    },

    async beginCreation(place, attempted) {
      await load()
      const entry = newCreation(place, attempted)
      ownIds.add(entry.id)
      await queue(() => store.write(entry, sizeLimits.attempts)).catch((error: unknown) => {
        store.remove(entry.id)
        throw error
      })
      notify(entry)
      return entry.id
    },

    endCreation: (id, end) =>
      change(
        'creation',
        id,
        (entry) => endedCreation(entry, end),
        (next) => store.writeOrReport(next),
      ),

    async incompleteReason() {
      await load()
      await queue(() => loader.noteTimePassed())
      if (file.locked) return 'keychain'
      if (file.newer) return 'newer'
      return store.openGaps().length > 0 ? 'gap' : null
    },

    async unlock() {
      await load()
      await queue(async () => {
        await readUnlocked(true)
        await file.requestKey()
        await loader.takeInSetAside()
        await loader.endInterrupted()
        await store.compactOrReport()
      })
      readLate()
    },

    async creations() {
      await load()
      return store.creations()
    },

    moveCreation: (id, place) => change('creation', id, (entry) => ({ ...entry, ...place })),

    noteLookup: (id, note) => change('creation', id, (entry) => creationAfterLookup(entry, note)),

    noteSentAgain: (id) =>
      change('creation', id, creationSentAgain, (next, before) => store.writeOrUndo(next, before)),

    claimCreation: (id, lookup, foundAt) =>
      change(
        'creation',
        id,
        (entry) =>
          creationAfterLookup({ ...entry, ...foundAt }, { state: 'created', lookup, lookFailure: null }),
        (next, before) => store.writeOrUndo(next, before),
      ),

    async beginSynchronisation(place, automatic) {
      await load()
      const entry = beginEntry(place, automatic, store.synchronisationsOf(place.environmentId).at(-1))
      ownIds.add(entry.id)
      await add(entry)
      return entry.id
    },

    endSynchronisation: (id, end) => change('synchronisation', id, (entry) => endEntry(entry, end)),

    async noteFailure(place, action, startedAt, reason) {
      await load()
      if (!repeatedFailures.isRepeated(place, action, reason))
        await add(failureEntry(place, action, startedAt, reason))
    },
  }
}

type EntryOf<Kind extends StoredEntry['kind']> = Extract<StoredEntry, { kind: Kind }>

const isOf = <Kind extends StoredEntry['kind']>(kind: Kind, entry: StoredEntry): entry is EntryOf<Kind> =>
  entry.kind === kind

function throwJournalError(error: unknown): never {
  throw error instanceof JournalError ? error : new JournalError(String(error), { cause: error })
}

/**
 * An entry as others see it: without what only a comparison needs.
 *
 * @param sentTo says where an attempt was sent, as `sentTo` of the entry
 */
function shownEntry(entry: StoredEntry, sentTo: SentToOf): JournalEntry {
  if (entry.kind === 'synchronisation') {
    const { account: _account, ...rest } = entry
    return rest
  }
  if (entry.kind === 'failure') {
    const { account: _account, gap: _gap, ...rest } = entry
    return rest
  }
  return { ...shownCreation(entry), sentTo: sentTo(entry) }
}
