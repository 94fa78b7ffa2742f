import { basename } from 'node:path'
import { failureText, type JournalGap, type StoredFailure } from '@contract'
import { interruptedCreation } from './entries/creation'
import { gapEntry, gapNotice, lockedNotice, newerNotice, withTimePassed } from './entries/gap'
import { interruptedEntry } from './entries/synchronisation'
import type { EntryStore } from './entry-store'
import type { JournalFile } from './file/journal-file'
import type { RegainedJournal } from './file/set-aside'
import { FullJournalError, UnreadableJournalError } from './file/size-limits'

/** What the loader reports. */
interface LoaderEvents {
  /** Called with the entry of a gap. */
  onGap: (entry: StoredFailure) => void
  /** Called with what the operator must know about the journal itself; null if there is nothing. */
  notice: (text: string | null) => void
  /** Called with the name of a file that was set aside, after its content was added again. */
  regained: (name: string) => void
  report: (error: unknown) => void
}

/** Reads the file into the store and repairs what needs repair. Its methods must run one after the other. */
export class JournalLoader {
  readonly #file: JournalFile
  readonly #store: EntryStore
  readonly #ownIds: ReadonlySet<string>
  readonly #events: LoaderEvents

  /** @param ownIds entries that began in this run, so they aren't interrupted */
  constructor(file: JournalFile, store: EntryStore, ownIds: ReadonlySet<string>, events: LoaderEvents) {
    this.#file = file
    this.#store = store
    this.#ownIds = ownIds
    this.#events = events
  }

  /** Reads the file. Notices an UnreadableJournalError, with which it rejects if the file system does. */
  async read(): Promise<void> {
    const { entries, gap } = await this.#file.read().catch((error: unknown) => {
      if (error instanceof UnreadableJournalError) this.#events.notice(failureText(error.failure()))
      throw error
    })
    this.#store.reset(entries)
    if (gap === null) this.#store.unpin()
    else await this.#closeGap(gap)
    await this.takeInSetAside()
    await this.endInterrupted()
    await this.noteTimePassed()
    if (this.#file.isExposed) await this.#store.compactOrReport()
    this.#notify()
  }

  /**
   * Sets the file aside for anyone who can read it, and starts a new one with what could be read. If it can't be set
   * aside, or has lines that may be readable later, it stays.
   */
  async #closeGap(reason: JournalGap['reason']): Promise<void> {
    const setAside = this.#file.hasLockedLines
      ? undefined
      : await this.#file.setAside(reason).catch((error: unknown) => {
          this.#events.report(error)
          return undefined
        })
    const entry = gapEntry(reason, setAside ?? null, new Date())
    this.#events.onGap(entry)
    const isWritten = await this.#store.addGap(entry, setAside !== undefined)
    if (isWritten && setAside !== undefined) await this.#file.removeMeanwhile()
  }

  /**
   * Adds journals that were set aside while their key was lost. Such a file is removed only once the journal has all of
   * it.
   */
  async takeInSetAside(): Promise<void> {
    if (this.#store.isPinned) return
    const setAside = await this.#file.readSetAside().catch((error: unknown) => {
      this.#events.report(error)
      return []
    })
    for (const older of setAside) {
      await this.#takeIn(older).catch(async (error: unknown) => {
        this.#events.report(error)
        if (!(error instanceof FullJournalError)) await this.#store.readAgain().catch(this.#events.report)
      })
    }
  }

  async #takeIn(older: RegainedJournal): Promise<void> {
    const isNew = await this.#store.takeIn(older)
    if (older.isWhole) await this.#file.removeSetAside(older)
    if (older.isWhole || isNew) this.#events.regained(basename(older.path))
  }

  /** Ends the entries that an earlier run left open. */
  async endInterrupted(): Promise<void> {
    for (const entry of this.#store.all()) {
      if (this.#ownIds.has(entry.id)) continue
      if (entry.kind === 'creation' && entry.state === 'sending')
        await this.#store.writeOrReport(interruptedCreation(entry))
      if (entry.kind === 'synchronisation' && entry.state === 'running')
        await this.#store.writeOrReport(interruptedEntry(entry))
    }
  }

  /** Notes how much time has passed since each gap. */
  async noteTimePassed(): Promise<void> {
    for (const entry of this.#store.openGaps()) {
      const later = withTimePassed(entry, new Date())
      if (later === entry) continue
      await this.#store.writeOrReport(later)
      this.#notify()
    }
  }

  #notify(): void {
    const gap = this.#store.openGaps().at(-1)
    const { notice } = this.#events
    if (this.#file.newer) notice(newerNotice)
    else if (this.#file.locked) notice(lockedNotice)
    else notice(gap ? gapNotice(gap) : null)
  }
}
