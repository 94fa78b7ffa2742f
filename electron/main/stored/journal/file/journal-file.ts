import { basename, dirname, join } from 'node:path'
import { type JournalGap, journalHeadSchema, sealedHeadSchema, type StoredEntry } from '@contract'
import { type Files, nodeFiles, UnusableFileError } from '../../../files'
import { appendBehind, ChangedFileError } from '../../../files/append'
import { type AsideReason, asidePath, removeAside } from '../../../files/set-aside'
import { writeAtomically } from '../../../files/atomic-write'
import { after, type Link, origin, writeLine } from './chain'
import type { LineEncryption } from './line-encryption'
import { joined, type ReadPart, readPart } from './reading'
import { FullJournalError, sizeLimits, UnreadableJournalError } from './size-limits'
import { readSetAside, type RegainedJournal } from './set-aside'

const headPurpose = 'journal head'

const nothing: ReadPart = {
  entries: [],
  length: 0,
  end: origin,
  lines: 0,
  plain: false,
  decrypted: false,
  locked: false,
  newer: false,
  gap: null,
}

/**
 * The journal on disk: one entry per line, as JSON. A changed entry is a later line with the same identifier, so
 * nothing is ever overwritten. Lines are encrypted if there is a key, and chained (`chain.ts`). An encrypted file
 * beside it has the end of the chain, so that a missing end is detected.
 *
 * The journal of a newer Slipway is read as far as possible and left unchanged. New entries go to a file beside it. The
 * next Slipway that can read the journal adds them to it.
 */
export class JournalFile {
  readonly #paths: { journal: string; meanwhile: string; head: string }
  readonly #encryption: LineEncryption
  readonly #files: Files
  /** The file that is written. */
  #path: string
  #part: ReadPart = nothing
  /** What was read beside the journal of a newer version, and isn't in the journal yet. */
  #meanwhile: ReadPart = nothing
  /** Whether `#part` is the content of the file. After a failed rewrite, it may not be. */
  #certain = true
  /** Whether the folder is known to have the file, even after a power cut. */
  #inFolder = false
  #locked = false
  #newer = false

  constructor(path: string, encryption: LineEncryption, files: Files = nodeFiles) {
    const beside = (name: string): string => join(dirname(path), name)
    this.#paths = {
      journal: path,
      meanwhile: beside('journal.meanwhile.jsonl'),
      head: beside('journal.head'),
    }
    this.#path = path
    this.#encryption = encryption
    this.#files = files
  }

  /** Whether there are lines that weren't read because the key is missing. They must not be overwritten. */
  get locked(): boolean {
    return this.#locked
  }

  /** Whether a newer Slipway has written to the journal, so that part of it can't be read. */
  get newer(): boolean {
    return this.#newer
  }

  /** Whether lines of the file that is written weren't read because the key is missing. */
  get hasLockedLines(): boolean {
    return this.#part.locked
  }

  /** Whether all of both files could be read by this version with its key. */
  get #isWhole(): boolean {
    return !this.#newer && !this.#locked
  }

  /** The size of the file that is written. */
  get size(): { lines: number; bytes: number } {
    return { lines: this.#part.lines, bytes: this.#part.length }
  }

  /** Whether there are lines in plain text that could be encrypted. */
  get isExposed(): boolean {
    return this.#part.plain && this.#encryption.isOpen && !this.#locked && !this.#newer
  }

  /**
   * Reads all entries, in the order they began, and whether some may be missing. Rejects with an UnreadableJournalError
   * if the file system refuses to read it. After any rejection it must be read again.
   */
  async read(): Promise<{ entries: StoredEntry[]; gap: JournalGap['reason'] | null }> {
    const journal = await this.#readPart(this.#paths.journal, true)
    const meanwhile = await this.#readPart(this.#paths.meanwhile, false)
    this.#newer = journal.newer
    this.#locked = journal.locked || meanwhile.locked
    this.#path = journal.newer ? this.#paths.meanwhile : this.#paths.journal
    this.#part = journal.newer ? meanwhile : journal
    this.#certain = true
    this.#inFolder = false
    const entries = [...joined(journal.entries, meanwhile.entries).values()]
    this.#meanwhile = meanwhile
    // With a gap, the journal must be set aside before anything is written over it.
    if (meanwhile.lines > 0 && this.#isWhole && journal.gap === null) {
      try {
        await this.rewrite(entries)
        await this.removeMeanwhile()
      } catch (error) {
        // The caller knows no entries, so none may be overwritten.
        this.#locked = true
        throw error
      }
    }
    return { entries, gap: (journal.newer ? null : journal.gap) ?? meanwhile.gap }
  }

  /**
   * Removes what was written beside the journal of a newer version, if the journal has all of it by now. Sets it aside
   * if some of it couldn't be read.
   */
  async removeMeanwhile(): Promise<void> {
    const { lines, gap } = this.#meanwhile
    if (lines === 0 || !this.#isWhole) return
    if (gap === null) await this.#files.remove(this.#paths.meanwhile)
    else await this.#rename(this.#paths.meanwhile, reasonOf[gap])
    this.#meanwhile = nothing
  }

  /** Call it if what was locked was read without the loader: then it is read again, with all that follows. */
  keepLocked(): void {
    this.#locked = true
  }

  /** Whether unread lines can be decrypted now. With `anew`, asks the keychain again at once. */
  async canUnlock(anew = false): Promise<boolean> {
    return this.#locked && (await this.#encryption.open(true, anew))
  }

  /** Waits for a running request to the keychain. Gives whether unread lines can be decrypted then. */
  async keyCame(): Promise<boolean> {
    await this.#encryption.answered()
    return this.#locked && this.#encryption.isOpen
  }

  /** Asks for the key at once if lines were written without it. */
  async requestKey(): Promise<void> {
    if (this.#part.plain) await this.#encryption.open(this.#locked, true)
  }

  /**
   * Appends an entry. It is on disk and readable when this resolves. Nothing of it remains if this rejects. A
   * ChangedFileError means that the file is no longer the one that was read.
   */
  async append(entry: StoredEntry): Promise<void> {
    await this.#encryption.open(this.#locked)
    if (!this.#certain) throw new ChangedFileError()
    const { end, length, lines } = this.#part
    const line = writeLine(entry, end, this.#encryption)
    const bytes = Buffer.from(line + '\n')
    await appendBehind(this.#files, this.#path, length, bytes, this.#inFolder)
    this.#inFolder = true
    this.#part = {
      ...this.#part,
      end: after(end, line, end.n + 1),
      length: length + bytes.length,
      lines: lines + 1,
      plain: this.#part.plain || !this.#encryption.isOpen,
    }
    await this.#writeHead()
  }

  /**
   * Rewrites the file with these entries only and reads it back. The old file stays until the new one is complete. If
   * the new one would exceed `limit`, rejects with a FullJournalError and leaves the file unchanged.
   */
  async rewrite(entries: readonly StoredEntry[], limit: number = sizeLimits.rewriting): Promise<void> {
    let end: Link = { n: this.#part.end.n, hash: origin.hash }
    let text = ''
    for (const entry of entries) {
      const line = writeLine(entry, end, this.#encryption)
      end = after(end, line, end.n + 1)
      text += line + '\n'
    }
    const bytes = Buffer.from(text)
    if (bytes.length > limit) throw new FullJournalError(this.#locked)
    this.#certain = false
    await writeAtomically(this.#path, bytes, this.#files)
    if (!(await this.#files.read(this.#path))?.equals(bytes)) throw new ChangedFileError()
    this.#certain = true
    const plain = !this.#encryption.isOpen && entries.length > 0
    this.#part = { ...nothing, end, length: bytes.length, lines: entries.length, plain }
    await this.#writeHead()
  }

  /** Copies the file to another name before it is rewritten. Gives that name, or null without a file. */
  async setAside(gap: JournalGap['reason']): Promise<string | null> {
    if ((await this.#files.size(this.#path)) === null) return null
    const aside = await asidePath(this.#files, this.#path, reasonOf[gap])
    const content = await this.#readUsable(this.#path)
    if (content === 'unusable') await this.#files.rename(this.#path, aside)
    else if (content) await writeAtomically(aside, content, this.#files)
    return basename(aside)
  }

  /**
   * Reads the journals that were set aside and that the key decrypts now, newest first; none while the journal itself
   * can't be read.
   */
  async readSetAside(): Promise<RegainedJournal[]> {
    return this.#locked || this.#newer ? [] : readSetAside(this.#files, this.#paths, this.#encryption)
  }

  /** Removes a journal that was set aside. Call it once the written file has all of it. */
  async removeSetAside({ path }: RegainedJournal): Promise<void> {
    await removeAside(this.#files, path)
  }

  async #readPart(path: string, isJournal: boolean): Promise<ReadPart> {
    const content = await this.#readUsable(path)
    const head = isJournal ? await this.#readUsable(this.#paths.head) : null
    if (content === 'unusable') {
      // The journal itself is set aside by `setAside`, which tells the operator.
      if (!isJournal) await this.#putAside(path)
      return { ...nothing, gap: 'changed' }
    }
    const bytes = content ?? Buffer.alloc(0)
    if (head !== null || bytes.includes('"sealed":"')) await this.#encryption.open(true)
    if (head !== 'unusable') return readPart(bytes, this.#encryption, head && this.#readHead(head))
    await this.#putAside(this.#paths.head)
    const part = readPart(bytes, this.#encryption, null)
    return part.locked ? part : { ...part, gap: part.gap ?? 'changed' }
  }

  /** Moves another file out of the way. If that fails, the next start tries again. */
  async #putAside(path: string): Promise<void> {
    await this.#rename(path, 'damaged').catch(() => undefined)
  }

  async #rename(path: string, reason: AsideReason): Promise<void> {
    await this.#files.rename(path, await asidePath(this.#files, path, reason))
  }

  /** The content of a file; `unusable` if it isn't a regular file, or is larger than any that Slipway writes. */
  async #readUsable(path: string): Promise<Buffer | null | 'unusable'> {
    try {
      return await this.#files.read(path)
    } catch (error) {
      if (error instanceof UnusableFileError) return 'unusable'
      throw new UnreadableJournalError(error)
    }
  }

  /** Reads the end of the chain; null if it is unreadable: it may be cut off or encrypted with another key. */
  #readHead(bytes: Buffer): Link | null {
    try {
      const { sealed } = sealedHeadSchema.parse(JSON.parse(bytes.toString('utf8')))
      const head = this.#encryption.decrypt(sealed, headPurpose)
      return head?.state === 'read' ? journalHeadSchema.parse(JSON.parse(head.text)) : null
    } catch {
      return null
    }
  }

  /** Writes the end of the chain. The journal works without it. */
  async #writeHead(): Promise<void> {
    if (this.#newer) return
    const sealed = this.#encryption.encrypt(JSON.stringify(this.#part.end), headPurpose)
    if (sealed === null) return
    try {
      const file = await this.#files.open(this.#paths.head, 'new')
      try {
        await file.append(Buffer.from(JSON.stringify({ sealed })))
      } finally {
        await file.close()
      }
    } catch {
      // Without it, a cut at the end doesn't show until the next entry is written.
    }
  }
}

/** Only files that were set aside because their key was lost may be added again (`AsideReason`). */
const reasonOf: Record<JournalGap['reason'], AsideReason> = { key: 'unreadable', changed: 'damaged' }
