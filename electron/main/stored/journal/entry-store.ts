import type { StoredCreation, StoredEntry, StoredFailure, StoredSynchronisation } from '@contract'
import { ChangedFileError } from '../../files/append'
import { entriesToKeep, isWorthRewriting } from './compaction'
import { bounded } from './entries/bounded'
import { isOpen } from './entries/gap'
import type { JournalFile } from './file/journal-file'
import { joined, put } from './file/reading'
import type { RegainedJournal } from './file/set-aside'
import { FullJournalError, sizeLimits } from './file/size-limits'

/** How many bytes the file grows before it is rewritten again. */
const rewriteAgainAfter = 4 * 1024 * 1024

/**
 * The entries in memory, and their way into the file. Methods that write must run one after the other. Otherwise the
 * lines of an entry could change places.
 */
export class EntryStore {
  readonly #file: JournalFile
  readonly #report: (error: unknown) => void
  readonly #entries = new Map<string, StoredEntry>()
  /** Entries that the file lacks, or has in an older state. They are written with the next entry. */
  readonly #unwritten = new Set<string>()
  #rewriteAgainAt = 0
  /** Whether the file has lines that couldn't be set aside. Then it isn't rewritten, and the next start tries again. */
  #isPinned = false

  /** @param report gets errors of writing entries that may be lost */
  constructor(file: JournalFile, report: (error: unknown) => void) {
    this.#file = file
    this.#report = report
  }

  get isPinned(): boolean {
    return this.#isPinned
  }

  get(id: string): StoredEntry | undefined {
    return this.#entries.get(id)
  }

  /** All entries, in the order they began. */
  all(): StoredEntry[] {
    return [...this.#entries.values()]
  }

  creations(): StoredCreation[] {
    return this.all().filter((entry) => entry.kind === 'creation')
  }

  synchronisationsOf(environmentId: string): StoredSynchronisation[] {
    return this.all().filter(
      (entry): entry is StoredSynchronisation =>
        entry.kind === 'synchronisation' && entry.environmentId === environmentId,
    )
  }

  /** The gaps that may still hide attempts. */
  openGaps(): StoredFailure[] {
    return this.all().filter((entry): entry is StoredFailure => entry.kind === 'failure' && isOpen(entry))
  }

  /** Replaces the entries by those that were read, and those that aren't written yet. */
  reset(stored: readonly StoredEntry[]): void {
    const unsaved = [...this.#unwritten].flatMap((id) => this.#entries.get(id) ?? [])
    this.#entries.clear()
    for (const entry of [...stored, ...unsaved]) put(this.#entries, entry)
  }

  remove(id: string): void {
    this.#entries.delete(id)
  }

  /**
   * Writes an entry. Rejects with a FullJournalError beyond the limit, and if the file system does.
   *
   * @param limit how large the file may be before; unlimited for entries that must be written
   */
  async write(entry: StoredEntry, limit = Infinity): Promise<void> {
    const small = bounded(entry)
    put(this.#entries, small)
    if (this.#file.size.bytes > limit) await this.compactOrReport()
    if (this.#file.size.bytes > limit) throw new FullJournalError(this.#file.locked)
    try {
      await this.#writeUnwritten(entry.id)
      await this.#file.append(small)
    } catch (error) {
      if (!(error instanceof ChangedFileError)) throw error
      await this.#restore(small)
    }
    this.#unwritten.delete(entry.id)
    await this.compactOrReport()
  }

  /** Writes an entry whose loss is reported, but doesn't matter to the caller. */
  async writeOrReport(entry: StoredEntry, limit?: number): Promise<void> {
    await this.write(entry, limit).catch((error: unknown) => {
      this.#unwritten.add(entry.id)
      this.#report(error)
    })
  }

  /** Writes an entry, or leaves it as it was before and rejects. */
  async writeOrUndo(entry: StoredEntry, before: StoredEntry): Promise<void> {
    await this.write(entry).catch((error: unknown) => {
      put(this.#entries, before)
      // The file may lack the latest state of that entry too.
      this.#unwritten.add(before.id)
      throw error
    })
  }

  async #writeUnwritten(except: string): Promise<void> {
    if (this.#file.size.bytes > sizeLimits.notes) return
    for (const id of this.#unwritten) {
      const earlier = this.#entries.get(id)
      if (earlier && id !== except) await this.#file.append(earlier)
      this.#unwritten.delete(id)
    }
  }

  /** Rewrites a file that another program has changed, with everything that this run knows. */
  async #restore(entry: StoredEntry): Promise<void> {
    if (!this.#file.locked && !this.#isPinned) {
      await this.#file.rewrite(this.all())
      return
    }
    // Unreadable lines must stay. Lines that are readable now must be known before the file is rewritten.
    const { locked } = this.#file
    await this.readAgain()
    if (locked) this.#file.keepLocked()
    await this.#file.append(entry)
  }

  /** Rewrites the file if it is too long, or has lines in plain text that can be encrypted. */
  async compactOrReport(): Promise<void> {
    await this.#compact().catch(this.#report)
  }

  async #compact(): Promise<void> {
    const file = this.#file
    if (file.locked || this.#isPinned) return
    const isTooLong = isWorthRewriting(file.size) && file.size.bytes >= this.#rewriteAgainAt
    if (!isTooLong && !file.isExposed) return
    const remaining = isTooLong ? entriesToKeep(this.all()) : this.all()
    // If it fails, the next entry doesn't try again just because the file is long.
    this.#rewriteAgainAt = file.size.bytes + rewriteAgainAfter
    await file.rewrite(remaining)
    this.#rewriteAgainAt = file.size.bytes + rewriteAgainAfter
    this.#replace(remaining)
  }

  /**
   * Adds the entry of a gap. Starts a new file with it if the old one is set aside. Otherwise appends it to the old
   * one. Gives whether that was written; otherwise it is reported.
   */
  async addGap(entry: StoredFailure, isSetAside: boolean): Promise<boolean> {
    put(this.#entries, entry)
    this.#isPinned = !isSetAside
    try {
      await (isSetAside ? this.#file.rewrite(this.all()) : this.#file.append(entry))
      return true
    } catch (error) {
      this.#unwritten.add(entry.id)
      this.#report(error)
      return false
    }
  }

  /** Notes that the file has no more lines that must stay. */
  unpin(): void {
    this.#isPinned = false
  }

  /** Adds a journal that was set aside, before all entries. An entry that both have stays. Gives whether any is new. */
  async takeIn(older: RegainedJournal): Promise<boolean> {
    const all = joined(older.entries, this.all())
    if (all.size <= this.#entries.size) return false
    await this.#file.rewrite([...all.values()], sizeLimits.attempts)
    this.#replace([...all.values()])
    return true
  }

  /** Reads the file again, and keeps what this run knows. */
  async readAgain(): Promise<void> {
    const stored = await this.#file.read()
    this.#replace([...joined(stored.entries, this.all()).values()])
  }

  #replace(entries: readonly StoredEntry[]): void {
    this.#entries.clear()
    for (const entry of entries) this.#entries.set(entry.id, entry)
  }
}
