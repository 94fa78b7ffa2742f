import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { cacheNotes } from '@contract/cache'
import Database from 'libsql'
import { readDeploymentBody } from './content'
import { isDamage } from './file'
import { headerOf } from './encryption/header'
import { prepareRows } from './database/rows'
import type { AdoptedRow } from './write'

/** The notes of an earlier file that are still valid. */
const adoptedNotes: readonly string[] = Object.values(cacheNotes)

const rowsAtATime = 200

type OldRow = [
  seq: number,
  hash: string,
  sentAt: number,
  receivedAt: number,
  run: number | null,
  goneAt: number | null,
  json: string | null,
]

/** A file of format 1: its key was given as text, its rows had no tags, and it had no header. */
export interface LegacyFile {
  rows: () => Iterable<AdoptedRow>
  notes: [key: string, value: string][]
  /** Closes it for a later attempt. */
  close: () => void
  /** Closes it and removes it. */
  remove: () => void
}

/**
 * Opens a file of format 1, if there is one, so that its content can be copied: an update loses nothing that can be
 * read offline. Null if there is none that can be read. A damaged one is set aside like any other file.
 *
 * The file is renamed first. If the process ends meanwhile, the next start finds it under that name.
 */
export function openLegacy(file: string, key: string): LegacyFile | null {
  const moved = `${file}.format-1`
  if (!existsSync(headerOf(file)) && existsSync(file) && !existsSync(moved)) {
    try {
      // The content of its log must be in the file before the file is renamed.
      const db = open(file, key)
      try {
        db.pragma('wal_checkpoint(truncate)')
      } finally {
        db.close()
      }
    } catch (error) {
      if (isDamage(error)) return null
      throw error
    }
    renameSync(file, moved)
    removeCompanions(file)
  }
  if (!existsSync(moved)) return null
  const remove = (): void => {
    rmSync(moved, { force: true })
    removeCompanions(moved)
  }
  let db: Database.Database
  try {
    db = open(moved, key)
  } catch (error) {
    if (!isDamage(error)) throw error
    remove()
    return null
  }
  return {
    rows: () => rowsOf(db),
    notes: whatCanBeRead(() => prepareRows(db, 'key, value', 'from note')<[string, string]>()).filter(
      ([name]) => adoptedNotes.includes(name),
    ),
    close: () => db.close(),
    remove() {
      db.close()
      remove()
    },
  }
}

function open(file: string, key: string): Database.Database {
  const db = new Database(file, { encryptionCipher: 'aes256cbc', encryptionKey: key } as Database.Options)
  try {
    db.pragma('schema_version')
    db.prepare('select count(*) from note').get()
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** The readable rows, up to the first damage that SQLite finds. */
function* rowsOf(db: Database.Database): Iterable<AdoptedRow> {
  const select = prepareRows(
    db,
    'c.seq, c.hash, c.sent_at, c.received_at, c.run, d.gone_at, t.json',
    `from copy as c join deployment as d on d.seq = c.seq join detail as t on t.seq = c.seq
     where c.seq > ? order by c.seq limit ${rowsAtATime}`,
  )
  for (let after: number | undefined = 0; after !== undefined;) {
    const from: number = after
    const rows: OldRow[] = whatCanBeRead(() => select<OldRow>(from))
    for (const [, hash, sentAt, receivedAt, run, goneAt, json] of rows) {
      if (json === null || sha1(json) !== hash.replace(/^gone:/, '')) continue
      const content = readDeploymentBody(Buffer.from(json))
      if (content) yield { content, span: { sentAt, receivedAt }, run, goneAt }
    }
    after = rows.at(-1)?.[0]
  }
}

function whatCanBeRead<T>(read: () => T[]): T[] {
  try {
    return read()
  } catch (error) {
    if (isDamage(error)) return []
    throw error
  }
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('base64')
}

function removeCompanions(file: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
}
