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

// The lines of the journal. Each has its number and a hash of everything before it in the file. So a line that was
// removed, changed, moved, repeated or inserted is detected. Both are authenticated with an encrypted line. A line in
// plain text is authenticated by the next encrypted one. Lines of the first version have neither, and are only allowed
// before all others.

/** A position between two lines. */
export interface Link {
  /** The number of the line before it. */
  n: number
  /** The hash of everything before it. */
  hash: string
}

/** The beginning of a file. */
export const origin: Link = { n: 0, hash: '' }

const firstVersionPurpose = 'journal'
const purposeOf = ({ n, prev }: LineHead): string => `journal ${journalLineVersion} ${n} ${prev}`

/** The position that a line claims. Lines of the first version claim none. */
export interface LineHead {
  n: number
  prev: string
}

/** The result of reading a line. */
export type ReadLine =
  | { state: 'read'; entry: StoredEntry; encrypted: boolean; head: LineHead | null }
  /** Encrypted, and there is no key. */
  | { state: 'locked'; head: LineHead | null }
  /** Encrypted with another key, or changed since. */
  | { state: 'other-key'; head: LineHead | null }
  | { state: 'newer' }
  | { state: 'damaged' }

/** The line of an entry that follows `link`, without a line break; encrypted if there is a key. */
export function writeLine(entry: StoredEntry, link: Link, encryption: LineEncryption): string {
  const head = { v: journalLineVersion, n: link.n + 1, prev: link.hash }
  const sealed = encryption.encrypt(JSON.stringify(entry), purposeOf(head))
  return JSON.stringify(sealed === null ? { ...head, entry } : { ...head, sealed })
}

/** The position after a line. */
export function after({ hash }: Link, line: string, n: number): Link {
  return { n, hash: createHash('sha256').update(`${hash}\n${line}`).digest('base64url') }
}

/** Reads a line of any version. */
export function readLine(line: string, encryption: LineEncryption): ReadLine {
  const value = parsed(line)
  if (!isObject(value)) return { state: 'damaged' }
  // Checks members first: validating an entry that fits no schema is slow.
  if ('v' in value) return readChained(value, encryption)
  if (!('sealed' in value)) return readEntry(value, false, null)
  const first = firstSealedLineSchema.safeParse(value)
  return first.success
    ? readDecrypted(encryption.decrypt(first.data.sealed, firstVersionPurpose), null)
    : { state: 'damaged' }
}

function readChained(value: object, encryption: LineEncryption): ReadLine {
  if (!('v' in value && value.v === journalLineVersion)) {
    return { state: newerLineSchema.safeParse(value).success ? 'newer' : 'damaged' }
  }
  if ('sealed' in value) {
    const line = sealedLineSchema.safeParse(value)
    if (!line.success) return { state: 'damaged' }
    const { n, prev, sealed } = line.data
    return readDecrypted(encryption.decrypt(sealed, purposeOf({ n, prev })), { n, prev })
  }
  const line = plainLineSchema.safeParse(value)
  if (!line.success) return { state: 'damaged' }
  const { n, prev, entry } = line.data
  return readEntry(entry, false, { n, prev })
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function readDecrypted(content: ReturnType<LineEncryption['decrypt']>, head: LineHead | null): ReadLine {
  if (content === null) return { state: 'locked', head }
  if (content.state === 'newer') return { state: 'newer' }
  if (content.state === 'unreadable') return { state: 'other-key', head }
  return readEntry(parsed(content.text), true, head)
}

function readEntry(value: unknown, encrypted: boolean, head: LineHead | null): ReadLine {
  const entry = storedEntrySchema.safeParse(value)
  if (entry.success) return { state: 'read', entry: entry.data, encrypted, head }
  return { state: unknownEntrySchema.safeParse(value).success ? 'newer' : 'damaged' }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
