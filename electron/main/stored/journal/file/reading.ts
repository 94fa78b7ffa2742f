import type { JournalGap, StoredEntry } from '@contract'
import { after, type LineHead, type Link, origin, type ReadLine, readLine } from './chain'
import type { LineEncryption } from './line-encryption'

/** The content of a file of the journal. */
export interface ReadPart {
  /** In the order they began. */
  entries: StoredEntry[]
  /** The position of the next line, in bytes. */
  length: number
  /** The link that the next line must have. */
  end: Link
  lines: number
  /** Whether there are lines in plain text. */
  plain: boolean
  /** Whether there are encrypted lines that the key decrypts. */
  decrypted: boolean
  /** Whether there are encrypted lines and no key. Then `gap` is null. */
  locked: boolean
  /** Whether a newer Slipway has written to it. */
  newer: boolean
  /** Why entries may be missing, or written by another program; null if the file is as Slipway left it. */
  gap: JournalGap['reason'] | null
}

const newline = 0x0a

/**
 * Reads a file of the journal.
 *
 * Leaves out what follows the last complete line: its writing was interrupted, so it was never acknowledged. Also
 * leaves out a last line that Slipway didn't write, which a power cut may leave behind.
 *
 * If an entry has several lines, the one with the highest number counts, whatever happened to the file. A line in plain
 * text never replaces an encrypted one: while the keychain gives no key, Slipway doesn't know the encrypted ones.
 *
 * @param head the position up to which the file is known to have been written; null if that isn't known
 */
export function readPart(bytes: Buffer, encryption: LineEncryption, head: Link | null): ReadPart {
  const lines = wholeLines(bytes)
  const walk = new Walk(head)
  let length = bytes.lastIndexOf(newline) + 1
  for (const [index, line] of lines.entries()) {
    let read = readLine(line, encryption)
    if (read.state === 'damaged' && !walk.hasChained) read = readSwallowed(line, encryption)
    if (read.state === 'damaged' && index === lines.length - 1) {
      length -= Buffer.byteLength(line) + 1
      break
    }
    walk.take(line, read)
  }
  return { ...walk.result(), length, lines: lines.length }
}

/** Reads the lines of a file, one after the other. */
class Walk {
  readonly #head: Link | null
  readonly #entries = new Map<string, StoredEntry>()
  /** Which line wrote each entry last. */
  readonly #writers = new Map<string, { n: number; encrypted: boolean }>()
  #end = origin
  #first: { n: number; encrypted: boolean } | null = null
  #headSeen: boolean
  #locked = false
  #newer = false
  #changed = false
  #otherKey = false
  #plain = false
  #decrypted = false

  constructor(head: Link | null) {
    this.#head = head
    this.#headSeen = head === null || head.n === 0
  }

  /** Whether there was a chained line. No line of the first version may follow it. */
  get hasChained(): boolean {
    return this.#first !== null
  }

  take(line: string, read: ReadLine): void {
    if (read.state === 'damaged' && this.#first) this.#changed = true
    if (read.state === 'locked') {
      this.#locked = true
      // It may change the entries before it.
      this.#entries.clear()
      this.#writers.clear()
    }
    this.#otherKey ||= read.state === 'other-key'
    this.#newer ||= read.state === 'newer'
    this.#plain ||= read.state === 'read' && !read.encrypted
    this.#decrypted ||= read.state === 'read' && read.encrypted
    const place = 'head' in read ? read.head : null
    if (place) this.#takeChained(read, place)
    else if (read.state !== 'newer') this.#takeFirstVersion(read)
    this.#end = after(this.#end, line, Math.max(this.#end.n, place?.n ?? 0))
    this.#headSeen ||= this.#end.n === this.#head?.n && this.#end.hash === this.#head.hash
  }

  #takeFirstVersion(read: ReadLine): void {
    if (read.state === 'damaged') return
    // An older Slipway may have written it, or anyone may have inserted it.
    if (this.#first) this.#changed = true
    if (read.state === 'read' && (!this.#first || !this.#writers.has(read.entry.id)))
      this.#put(read.entry, 0, read.encrypted)
  }

  #takeChained(read: ReadLine, { n, prev }: LineHead): void {
    if (prev !== this.#end.hash || (this.#first && n !== this.#end.n + 1)) this.#changed = true
    this.#first ??= { n, encrypted: read.state !== 'read' || read.encrypted }
    if (read.state !== 'read') return
    const writer = this.#writers.get(read.entry.id)
    if (writer?.encrypted && !read.encrypted) this.#changed = true
    else this.#put(read.entry, n, read.encrypted)
  }

  #put(entry: StoredEntry, n: number, encrypted: boolean): void {
    const writer = this.#writers.get(entry.id)
    if (writer && writer.n > n) return
    this.#writers.set(entry.id, { n, encrypted })
    put(this.#entries, entry)
  }

  result(): Omit<ReadPart, 'length' | 'lines'> {
    const gap = this.#changed || !(this.#headSeen || this.#isRewritten()) ? 'changed' : null
    return {
      entries: [...this.#entries.values()],
      end: this.#end,
      plain: this.#plain,
      decrypted: this.#decrypted,
      locked: this.#locked,
      newer: this.#newer,
      gap: this.#locked ? null : (gap ?? (this.#otherKey ? 'key' : null)),
    }
  }

  /**
   * Whether the file was rewritten after the head was noted. Then it begins behind that position, with a line that only
   * Slipway can write, or that is unreadable if the key was another one then.
   */
  #isRewritten(): boolean {
    const [first, head] = [this.#first, this.#head]
    return first !== null && head !== null && first.encrypted && first.n > head.n
  }
}

/**
 * Adds an entry to the others, in the order they began. A changed entry keeps its place. The entry of
 * synchronisations moves to the end, since later ones share it.
 */
export function put(entries: Map<string, StoredEntry>, entry: StoredEntry): void {
  if (entry.kind === 'synchronisation') entries.delete(entry.id)
  entries.set(entry.id, entry)
}

/** Merges lists of entries by identifier. Later lists win. */
export function joined(...lists: (readonly StoredEntry[])[]): Map<string, StoredEntry> {
  const all = new Map<string, StoredEntry>()
  for (const entry of lists.flat()) put(all, entry)
  return all
}

function wholeLines(bytes: Buffer): string[] {
  const whole = bytes.subarray(0, bytes.lastIndexOf(newline) + 1).toString('utf8')
  return whole === '' ? [] : whole.slice(0, -1).split('\n')
}

/**
 * Lines of the first version were unprotected. An entry that was written after an incomplete line is part of that line.
 */
function readSwallowed(line: string, encryption: LineEncryption): ReadLine {
  const begins = [...line.matchAll(/\{"id":"[^"]{1,100}","startedAt"|\{"sealed":"/g)].at(-1)
  return begins?.index ? readLine(line.slice(begins.index), encryption) : { state: 'damaged' }
}
