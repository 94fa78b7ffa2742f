import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  createReadStream,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import Libsql from 'libsql'
import { Refusal } from '../base/failures'
import { databaseIn, holdFolder, isSound, requireDatabase } from './sqlite'

/** The file beside a backup with its SHA-256, as `sha256sum` writes and checks it. */
const checksumOf = (file: string): string => `${file}.sha256`

/**
 * Writes a consistent copy of the database in `folder` to a file, even while a service uses it. The file exists only if it
 * is whole, with its checksum beside it.
 *
 * @throws {Refusal} if the database can't be used, or the file exists or can't be written
 */
export async function backUp(folder: string, file: string): Promise<void> {
  if (existsSync(file)) throw new Refusal(`${file} exists. Name a file that doesn't, with --to.`)
  const partial = `${file}.partial`
  const database = new Libsql(requireDatabase(folder), { timeout: 2_500 })
  try {
    removeCopy(partial)
    database.prepare('vacuum into ?').run(partial)
    await sync(partial, 'r+')
    if (!isWhole(partial)) throw new Refusal(`${folder} is damaged: its copy can't be read back.`, 'damaged')
    writeFileSync(checksumOf(file), `${await sha256(partial)}  ${basename(file)}\n`)
    await sync(checksumOf(file), 'r+')
    renameSync(partial, file)
    await syncFolder(dirname(file))
  } catch (error) {
    removeCopy(partial)
    throw error instanceof Refusal ? error : new Refusal(`Cannot write ${file}: ${(error as Error).message}`)
  } finally {
    database.close()
  }
}

/**
 * Restores a backup into a folder without a database, for the next service that starts there. Gives whether there was a
 * checksum to check.
 *
 * @throws {Refusal} if the file is damaged or no backup, or the folder has a database or is in use
 */
export async function restore(file: string, folder: string): Promise<boolean> {
  const path = databaseIn(folder)
  const partial = `${path}.partial`
  const leave = holdFolder(folder)
  try {
    const found = filesOf(path).filter((each) => existsSync(each))
    if (found.length > 0) {
      throw new Refusal(
        `${folder} has a database. Use another folder with --data, or move that one away, all of its files ` +
          `together: ${found.map((each) => basename(each)).join(', ')}.`,
      )
    }
    copyFileSync(file, partial)
    // The copy has the backup's mode, which may let others read it, or let nobody write.
    chmodSync(partial, 0o600)
    const expected = readChecksum(file)
    if ((expected !== null && expected !== (await sha256(partial))) || !isWhole(partial)) {
      throw new Refusal(`${file} is not a backup of this service, or is damaged. Use another one.`, 'damaged')
    }
    await sync(partial, 'r+')
    renameSync(partial, path)
    await syncFolder(folder)
    return expected !== null
  } catch (error) {
    throw error instanceof Refusal
      ? error
      : new Refusal(`Cannot restore ${file}: ${(error as Error).message}`)
  } finally {
    rmSync(partial, { force: true })
    leave()
  }
}

/** Removes an incomplete copy, with the journal that SQLite leaves beside it when the disk is full. */
function removeCopy(partial: string): void {
  for (const each of filesOf(partial)) rmSync(each, { force: true })
}

/** The files of a database. SQLite would replay the log of an earlier database into the restored one. */
const filesOf = (path: string): string[] => [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]

/** The checksum of a backup; null if there is none. One that can't be read doesn't match. */
function readChecksum(file: string): string | null {
  const path = checksumOf(file)
  return existsSync(path) ? (readFileSync(path, 'utf8').split(' ')[0] ?? '') : null
}

/** Whether a file is an intact database of this service. */
function isWhole(file: string): boolean {
  let database: Libsql.Database | undefined
  try {
    database = new Libsql(file, { readonly: true })
    return database.prepare('select mode from installation').get() !== undefined && isSound(database)
  } catch (error) {
    if (/^SQLITE_/.test(String((error as { code?: unknown }).code))) return false
    throw error
  } finally {
    database?.close()
  }
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Waits until a file, or the names in a folder, are on the disk. */
async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const opened = await open(path, flags)
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows has no such call for a folder, and can't even open one.
  if (process.platform !== 'win32') await sync(path, 'r')
}
