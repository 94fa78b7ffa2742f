import type { JournalGap, StoredEntry } from '@contract'
import { after, type LineHead, type Link, origin, type ReadLine, readLine } from './chain'
import type { LineEncryption } from './line-encryption'

/** What a file of the journal holds. */
export interface ReadPart {
  /** In the order in which they began. */
  entries: StoredEntry[]
  /** Where the next line goes: after how many bytes, and what it has to name. */
  length: number
  end: Link
  lines: number
  /** Whether there are lines that are not encrypted. */
  plain: boolean
  /** Whether there are encrypted lines that the key opens. */
  opened: boolean
  /** Whether there are encrypted lines and no key. Then nothing is said about `gap`. */
  locked: boolean
  /** Whether a newer Slipway has written to it. */
  newer: boolean
  /** Why entries may be missing, or not be Slipway's; null where the file is as Slipway left it. */
  gap: JournalGap['reason'] | null
}

const newline = 0x0a

/**
 * Reads a file of the journal.
 *
 * What follows the last whole line was torn off in writing and was never promised to anyone; it is left out, and with
 * it a last line that is no text of Slipway's at all, which a power cut may leave behind.
 *
 * Whatever the file went through, an entry counts as the line with the highest number has it, and nothing that is not
 * encrypted changes one that is: while the keychain keeps the key to itself, Slipway does not know those.
 *
 * @param head the place up to which the file is known to have been written; null where that is not known
 */
export function readPart(bytes: Buffer, seal: LineEncryption, head: Link | null): ReadPart {
  const entries = new Map<string, StoredEntry>()
  /** Which line wrote an entry last. */
  const writers = new Map<string, { n: number; sealed: boolean }>()
  const lines = wholeLines(bytes)
  let length = bytes.lastIndexOf(newline) + 1
  let end = origin
  let first: { n: number; sealed: boolean } | null = null
  let [locked, newer, changed, sealedOtherwise] = [false, false, false, false]
  let headSeen = head === null || head.n === 0
  let [plain, opened] = [false, false]

  const take = (entry: StoredEntry, n: number, sealed: boolean): void => {
    const writer = writers.get(entry.id)
    if (writer && writer.n > n) return
    writers.set(entry.id, { n, sealed })
    put(entries, entry)
  }

  const takeOld = (read: ReadLine): void => {
    if (read.state === 'damaged') return
    // An older Slipway may have written it, or anyone may have put it in.
    if (first) changed = true
    if (read.state === 'read' && (!first || !writers.has(read.entry.id))) take(read.entry, 0, read.sealed)
  }

  const takeChained = (read: ReadLine, { n, prev }: LineHead): void => {
    if (prev !== end.hash || (first && n !== end.n + 1)) changed = true
    first ??= { n, sealed: read.state !== 'read' || read.sealed }
    if (read.state !== 'read') return
    const writer = writers.get(read.entry.id)
    if (writer?.sealed && !read.sealed) changed = true
    else take(read.entry, n, read.sealed)
  }

  for (const [index, line] of lines.entries()) {
    let read = readLine(line, seal)
    if (read.state === 'damaged' && !first) read = readSwallowed(line, seal)
    if (read.state === 'damaged' && index === lines.length - 1) {
      length -= Buffer.byteLength(line) + 1
      break
    }
    if (read.state === 'damaged' && first) changed = true
    if (read.state === 'locked') {
      locked = true
      // It may say what became of those before it.
      entries.clear()
      writers.clear()
    }
    if (read.state === 'sealed-otherwise') sealedOtherwise = true
    if (read.state === 'newer') newer = true
    plain ||= read.state === 'read' && !read.sealed
    opened ||= read.state === 'read' && read.sealed
    const place = 'head' in read ? read.head : null
    if (place) takeChained(read, place)
    else if (read.state !== 'newer') takeOld(read)
    end = after(end, line, Math.max(end.n, place?.n ?? 0))
    headSeen ||= end.n === head?.n && end.hash === head.hash
  }
  // Written anew since, the file begins behind that place: with a line that only Slipway can write, or, where the key was
  // another one then, with one that nobody can read.
  headSeen ||= isBehind(first, head)
  const gap = changed || !headSeen ? 'changed' : sealedOtherwise ? 'key' : null
  return {
    entries: [...entries.values()],
    length,
    end,
    lines: lines.length,
    plain,
    opened,
    locked,
    newer,
    gap: locked ? null : gap,
  }
}

/**
 * Puts an entry among the others, in the order in which they began. One that changes keeps its place, but the entry of
 * synchronisations, which later ones take over, moves to the end.
 */
export function put(entries: Map<string, StoredEntry>, entry: StoredEntry): void {
  if (entry.kind === 'synchronisation') entries.delete(entry.id)
  entries.set(entry.id, entry)
}

/** Several lists of entries as one, by identifier: what a later list has of an entry counts. */
export function joined(...lists: (readonly StoredEntry[])[]): Map<string, StoredEntry> {
  const all = new Map<string, StoredEntry>()
  for (const entry of lists.flat()) put(all, entry)
  return all
}

function isBehind(first: { n: number; sealed: boolean } | null, head: Link | null): boolean {
  return first !== null && head !== null && first.sealed && first.n > head.n
}

function wholeLines(bytes: Buffer): string[] {
  const whole = bytes.subarray(0, bytes.lastIndexOf(newline) + 1).toString('utf8')
  return whole === '' ? [] : whole.slice(0, -1).split('\n')
}

/** Lines of the first version had no protection: an entry that was written behind a torn line is inside of it. */
function readSwallowed(line: string, seal: LineEncryption): ReadLine {
  const begins = [...line.matchAll(/\{"id":"[^"]{1,100}","startedAt"|\{"sealed":"/g)].at(-1)
  return begins?.index ? readLine(line.slice(begins.index), seal) : { state: 'damaged' }
}
