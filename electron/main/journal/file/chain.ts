import { createHash } from 'node:crypto'
import {
  firstSealedLineSchema,
  journalLineVersion,
  newerLineSchema,
  plainLineSchema,
  sealedLineSchema,
  type StoredEntry,
  storedEntrySchema,
  unknownEntrySchema,
} from '@contract'
import type { LineEncryption } from './line-encryption'

/**
 * The lines of the journal. Each names its number and a hash of everything before it in the file, so that a line which
 * was removed, changed, moved, repeated or put in shows. The two are authenticated with an encrypted line; a line that
 * is not encrypted is bound by the next one that is.
 *
 * Lines of the first version have neither; they may only stand before all others.
 */

/** A place between two lines: the number of the line before it, and the hash of all that is before it. */
export interface Link {
  n: number
  hash: string
}

/** The beginning of a file. */
export const origin: Link = { n: 0, hash: '' }

const oldPurpose = 'journal'
const purposeOf = ({ n, prev }: LineHead): string => `journal ${journalLineVersion} ${n} ${prev}`

/** The place that a line claims; a line of the first version claims none. */
export interface LineHead {
  n: number
  prev: string
}

/** What a line says. */
export type ReadLine =
  | { state: 'read'; entry: StoredEntry; sealed: boolean; head: LineHead | null }
  /** Encrypted, and there is no key. */
  | { state: 'locked'; head: LineHead | null }
  /** Encrypted with another key, or changed since. */
  | { state: 'sealed-otherwise'; head: LineHead | null }
  | { state: 'newer' }
  | { state: 'damaged' }

/** The line of an entry that follows `link`, without its end. Encrypted where there is a key. */
export function writeLine(entry: StoredEntry, link: Link, seal: LineEncryption): string {
  const head = { v: journalLineVersion, n: link.n + 1, prev: link.hash }
  const sealed = seal.seal(JSON.stringify(entry), purposeOf(head))
  return JSON.stringify(sealed === null ? { ...head, entry } : { ...head, sealed })
}

/** The place after a line. */
export function after({ hash }: Link, line: string, n: number): Link {
  return { n, hash: createHash('sha256').update(`${hash}\n${line}`).digest('base64url') }
}

/** Reads a line, of whatever version. */
export function readLine(line: string, seal: LineEncryption): ReadLine {
  const value = parsed(line)
  if (!isObject(value)) return { state: 'damaged' }
  // Told apart by their members first: an entry that fits no schema is slow to refuse.
  if ('v' in value) return readChained(value, seal)
  if (!('sealed' in value)) return entryIn(value, false, null)
  const old = firstSealedLineSchema.safeParse(value)
  return old.success ? opened(seal.unseal(old.data.sealed, oldPurpose), null) : { state: 'damaged' }
}

function readChained(value: object, seal: LineEncryption): ReadLine {
  if (!('v' in value && value.v === journalLineVersion)) {
    return { state: newerLineSchema.safeParse(value).success ? 'newer' : 'damaged' }
  }
  if ('sealed' in value) {
    const line = sealedLineSchema.safeParse(value)
    if (!line.success) return { state: 'damaged' }
    const { n, prev, sealed } = line.data
    return opened(seal.unseal(sealed, purposeOf({ n, prev })), { n, prev })
  }
  const line = plainLineSchema.safeParse(value)
  if (!line.success) return { state: 'damaged' }
  const { n, prev, entry } = line.data
  return entryIn(entry, false, { n, prev })
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function opened(content: ReturnType<LineEncryption['unseal']>, head: LineHead | null): ReadLine {
  if (content === null) return { state: 'locked', head }
  if (content.state === 'newer') return { state: 'newer' }
  if (content.state === 'unreadable') return { state: 'sealed-otherwise', head }
  return entryIn(parsed(content.text), true, head)
}

function entryIn(value: unknown, sealed: boolean, head: LineHead | null): ReadLine {
  const entry = storedEntrySchema.safeParse(value)
  if (entry.success) return { state: 'read', entry: entry.data, sealed, head }
  return { state: unknownEntrySchema.safeParse(value).success ? 'newer' : 'damaged' }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
