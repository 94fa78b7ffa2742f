import { basename, dirname, join } from 'node:path'
import { type JournalGap, journalHeadSchema, sealedHeadSchema, type StoredEntry } from '@contract'
import { type Files, nodeFiles, UnusableFileError } from '../../files'
import { appendBehind, ChangedFileError } from '../../files/append'
import { type AsideReason, asidePath, removeAside } from '../../files/set-aside'
import { writeAtomically } from '../../files/atomic-write'
import { after, type Link, origin, writeLine } from './chain'
import type { LineEncryption } from './line-encryption'
import { joined, type ReadPart, readPart } from './reading'
import { FullJournalError, room } from './size-limits'
import { readSetAside, type RegainedJournal } from './set-aside'

const headPurpose = 'journal head'

const nothing: ReadPart = {
  entries: [],
  length: 0,
  end: origin,
  lines: 0,
  plain: false,
  opened: false,
  locked: false,
  newer: false,
  gap: null,
}

/**
 * The journal on disk: one entry a line, as JSON. A change of an entry is a later line with the same identifier,
 * so that nothing that was written is ever written over. Lines are encrypted as far as the seal has a key, and chained
 * (see `chain`). How far the chain goes is kept beside it, encrypted, so that it shows when its end is missing.
 *
 * A journal of a newer Slipway is read as far as possible and left as it is: what happens meanwhile is written to a
 * file beside it, which whoever can read the journal takes in.
 */
export class JournalFile {
  readonly #paths: { journal: string; meanwhile: string; head: string }
  readonly #seal: LineEncryption
  readonly #files: Files
  /** The file that is written, and what is known of it; `certain` unless it failed to be written anew. */
  #path: string
  #part: ReadPart = nothing
  #certain = true
  /** An earlier run may have ended before it was certain that the folder has the file. */
  #inFolder = false
  #locked = false
  #newer = false

  constructor(path: string, seal: LineEncryption, files: Files = nodeFiles) {
    const beside = (name: string): string => join(dirname(path), name)
    this.#paths = {
      journal: path,
      meanwhile: beside('journal.meanwhile.jsonl'),
      head: beside('journal.head'),
    }
    this.#path = path
    this.#seal = seal
    this.#files = files
  }

  /** Whether there are lines that were not read because there was no key: they must not be written over. */
  get locked(): boolean {
    return this.#locked
  }

  /** Whether a newer Slipway has written the journal, so that not everything in it can be read. */
  get newer(): boolean {
    return this.#newer
  }

  /** How many lines the file that is written has, and how many bytes. */
  get size(): { lines: number; bytes: number } {
    return { lines: this.#part.lines, bytes: this.#part.length }
  }

  /** Whether lines are not encrypted that could be. */
  get isExposed(): boolean {
    return this.#part.plain && this.#seal.isOpen && !this.#locked && !this.#newer
  }

  /** Reads every entry in the order in which they began, and whether some may be missing. */
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
    if (!journal.newer && !this.#locked && meanwhile.lines > 0) {
      await this.rewrite(entries)
      if (meanwhile.gap === null) await this.#files.remove(this.#paths.meanwhile)
      else await this.#rename(this.#paths.meanwhile, reasonOf[meanwhile.gap])
    }
    return { entries, gap: (journal.newer ? null : journal.gap) ?? meanwhile.gap }
  }

  /** Whether lines that were not read can be read now. `anew` asks the keychain at once. */
  async canUnlock(anew = false): Promise<boolean> {
    return this.#locked && (await this.#seal.open(true, anew))
  }

  /** Waits for the keychain, if it is being asked, and gives whether lines that were not read can be read then. */
  async keyCame(): Promise<boolean> {
    await this.#seal.answered()
    return this.#locked && this.#seal.isOpen
  }

  /** Asks for the key at once where lines were written without it. */
  async openSeal(): Promise<void> {
    if (this.#part.plain) await this.#seal.open(this.#locked, true)
  }

  /**
   * Appends an entry; it is on the disk, readable, when this resolves, and nothing of it is left where this rejects.
   * A ChangedFileError means that the file is not what was read any more.
   */
  async append(entry: StoredEntry): Promise<void> {
    await this.#seal.open(this.#locked)
    if (!this.#certain) throw new ChangedFileError()
    const { end, length, lines } = this.#part
    const line = writeLine(entry, end, this.#seal)
    const bytes = Buffer.from(line + '\n')
    await appendBehind(this.#files, this.#path, length, bytes, this.#inFolder)
    this.#inFolder = true
    this.#part = {
      ...this.#part,
      end: after(end, line, end.n + 1),
      length: length + bytes.length,
      lines: lines + 1,
      plain: this.#part.plain || !this.#seal.isOpen,
    }
    await this.#writeHead()
  }

  /**
   * Writes the file anew with these entries only, and reads it back; the old one stays until the new one is whole. Rejects
   * with a FullJournalError, and leaves the file as it is, where it would be larger than `limit`.
   */
  async rewrite(entries: readonly StoredEntry[], limit: number = room.rewriting): Promise<void> {
    let end: Link = { n: this.#part.end.n, hash: origin.hash }
    let text = ''
    for (const entry of entries) {
      const line = writeLine(entry, end, this.#seal)
      end = after(end, line, end.n + 1)
      text += line + '\n'
    }
    const bytes = Buffer.from(text)
    if (bytes.length > limit) throw new FullJournalError(this.#locked)
    this.#certain = false
    await writeAtomically(this.#path, bytes, this.#files)
    if (!(await this.#files.read(this.#path))?.equals(bytes)) throw new ChangedFileError()
    this.#certain = true
    const plain = !this.#seal.isOpen && entries.length > 0
    this.#part = { ...nothing, end, length: bytes.length, lines: entries.length, plain }
    await this.#writeHead()
  }

  /** Keeps the file as it is under another name, before it is written anew; gives that name, null without a file. */
  async setAside(gap: JournalGap['reason']): Promise<string | null> {
    if ((await this.#files.size(this.#path)) === null) return null
    const aside = await asidePath(this.#files, this.#path, reasonOf[gap])
    const content = await this.#readUsable(this.#path)
    if (content === 'unusable') await this.#files.rename(this.#path, aside)
    else if (content) await writeAtomically(aside, content, this.#files)
    return basename(aside)
  }

  /**
   * Reads the journals that were set aside and that the key opens now, the newest first; none while the journal itself
   * cannot be read.
   */
  async readSetAside(): Promise<RegainedJournal[]> {
    return this.#locked || this.#newer ? [] : readSetAside(this.#files, this.#paths, this.#seal)
  }

  /** Removes a journal that was set aside, once the one that is written has all of it. */
  async removeSetAside({ path }: RegainedJournal): Promise<void> {
    await removeAside(this.#files, path)
  }

  async #readPart(path: string, isJournal: boolean): Promise<ReadPart> {
    const content = await this.#readUsable(path)
    const head = isJournal ? await this.#readUsable(this.#paths.head) : null
    if (content === 'unusable') {
      // The journal is set aside once the user can be told of it.
      if (!isJournal) await this.#putAside(path)
      return { ...nothing, gap: 'changed' }
    }
    const bytes = content ?? Buffer.alloc(0)
    if (head !== null || bytes.includes('"sealed":"')) await this.#seal.open(true)
    if (head !== 'unusable') return readPart(bytes, this.#seal, head && this.#readHead(head))
    await this.#putAside(this.#paths.head)
    const part = readPart(bytes, this.#seal, null)
    return part.locked ? part : { ...part, gap: part.gap ?? 'changed' }
  }

  /** Makes room for a file; where that cannot be, it is tried again at the next start. */
  async #putAside(path: string): Promise<void> {
    await this.#rename(path, 'damaged').catch(() => undefined)
  }

  async #rename(path: string, reason: AsideReason): Promise<void> {
    await this.#files.rename(path, await asidePath(this.#files, path, reason))
  }

  /** The content of a file; `unusable` where something else stands in its place, or more than Slipway writes. */
  async #readUsable(path: string): Promise<Buffer | null | 'unusable'> {
    try {
      return await this.#files.read(path)
    } catch (error) {
      if (error instanceof UnusableFileError) return 'unusable'
      throw error
    }
  }

  /** Null where it cannot be read: it may be made with another key, or torn; it is not written with much care. */
  #readHead(bytes: Buffer): Link | null {
    try {
      const { sealed } = sealedHeadSchema.parse(JSON.parse(bytes.toString('utf8')))
      const head = this.#seal.unseal(sealed, headPurpose)
      return head?.state === 'read' ? journalHeadSchema.parse(JSON.parse(head.text)) : null
    } catch {
      return null
    }
  }

  /** Notes how far the chain goes. The journal is none the worse without it. */
  async #writeHead(): Promise<void> {
    if (this.#newer) return
    const sealed = this.#seal.seal(JSON.stringify(this.#part.end), headPurpose)
    if (sealed === null) return
    try {
      const file = await this.#files.open(this.#paths.head, 'new')
      try {
        await file.append(Buffer.from(JSON.stringify({ sealed })))
      } finally {
        await file.close()
      }
    } catch {
      // Without it, a cut of the end does not show until the next entry is written.
    }
  }
}

/** Only what was set aside because its key was lost may be taken in again. */
const reasonOf: Record<JournalGap['reason'], AsideReason> = { key: 'unreadable', changed: 'damaged' }
