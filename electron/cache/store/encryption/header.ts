import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { saltBytes } from './keys'

/** A header has a few hundred bytes. Anything larger isn't one. */
const longestHeader = 4_096

/** The text form of a salt. */
const saltPattern = new RegExp(`^[0-9a-f]{${2 * saltBytes}}$`)

/** The name of the header of a database. It is a separate file, because a database has no room for it. */
const headerOf = (file: string): string => `${file}.header`

/** The salt of a database; null without a readable header: then the database is unreadable. */
export function readSalt(file: string): Uint8Array | null {
  let header: { salt?: unknown } | null
  try {
    header = JSON.parse(readHeader(headerOf(file))) as typeof header
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const salt = header?.salt
  return typeof salt === 'string' && saltPattern.test(salt) ? Buffer.from(salt, 'hex') : null
}

/** The text of a header; empty if it can't be one. Never blocks, even on a pipe. */
function readHeader(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(descriptor)
    return found.isFile() && found.size <= longestHeader ? readFileSync(descriptor, 'utf8') : ''
  } finally {
    closeSync(descriptor)
  }
}

/** Writes the header of a new database. It is on the disk before anything is encrypted with its salt, or not at all. */
export function writeSalt(file: string): Uint8Array {
  const salt = randomBytes(saltBytes)
  const part = `${headerOf(file)}.part`
  const descriptor = openSync(part, 'w', 0o600)
  try {
    writeSync(descriptor, JSON.stringify({ salt: salt.toString('hex') }))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(part, headerOf(file))
  return salt
}
