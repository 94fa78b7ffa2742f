import { randomBytes, randomUUID } from 'node:crypto'
import { access, link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { limits } from '../base/limits'
import type { Log } from '../base/log'
import { StorageFailure } from '../base/storage-failure'
import { syncFolder } from '../base/sync'
import { onDisk, unless } from './disk'
import { type ArchiveOwner, type ArchivePlace, placeOf } from './places'
import { type IsThere, type Removal, removeInBackground } from './removal'
import { type ArchiveBounds, type NoRoom, roomIn } from './room'
import { checkTicket, signTicket, type Ticket } from './tickets'

/** The result of an upload. */
type Saved = 'saved' | 'used already' | 'not gzip' | 'cut off' | 'not wanted' | NoRoom

/** A service's archives. Each method rejects with a StorageFailure if the disk fails. */
export interface Archives extends Removal {
  /** Creates a ticket for uploading a new archive. */
  grant(owner: ArchiveOwner, now: number): Promise<{ place: ArchivePlace; ticket: Ticket }>
  /** Checks a ticket for an archive. */
  check(place: ArchivePlace, ticket: Ticket, now: number): Promise<ReturnType<typeof checkTicket>>
  /** Whether an archive exists. */
  has(place: ArchivePlace): Promise<boolean>
  /**
   * Saves what a client sends as an archive, and settles once it is on the disk. If it isn't saved, nothing of it
   * remains.
   *
   * @param bytes the expected size
   * @param isWanted whether the deployment still accepts it, asked once all of it has arrived
   */
  save(place: ArchivePlace, source: Readable, bytes: number, isWanted: () => Promise<boolean>): Promise<Saved>
  /**
   * Keeps the archive of a `source_tarball_path` for as long as a deployment exists. Gives false if its tenant has no
   * such archive.
   */
  keepFor(owner: ArchiveOwner, path: string): Promise<boolean>
  /** Drops the archives of a deployment that wasn't created. */
  drop(owner: ArchiveOwner): Promise<void>
}

/** Where archives are stored, and their limits. */
export interface ArchivePlan {
  folder: string
  bounds: ArchiveBounds
}

/** The first two bytes of every gzip file (RFC 1952, 2.3.1). */
const gzipHead = Buffer.from([0x1f, 0x8b])

/**
 * Opens the archives in a folder. The folder is created when it is first needed, so that a service also starts while
 * the disk is full.
 *
 * @param isThere says which deployments the database has
 */
export function openArchives({ folder, bounds }: ArchivePlan, isThere: IsThere, log: Log): Archives {
  const room = roomIn(folder, bounds)
  const partials = join(folder, 'partial')
  const folderOf = ({ tenantId, deploymentId }: ArchiveOwner): string => join(folder, tenantId, deploymentId)
  const removal = removeInBackground({ folder, partials, folderOf, removeAll, isThere, log })
  let key: Promise<Uint8Array> | null = null

  /** The file of an archive in the folder of a deployment: the one that it was uploaded for, or another. */
  const fileOf = (place: ArchivePlace, { deploymentId }: { deploymentId: string } = place): string =>
    join(folderOf({ ...place, deploymentId }), nameOf(place))

  /** The file through which all deployments of a tenant find an archive, until the last one that uses it is gone. */
  const sharedOf = (tenantId: string, name: string): string => join(folder, tenantId, 'shared', name)

  /** Removes a deployment's archives, except those that others use. */
  async function removeAll(owner: ArchiveOwner): Promise<void> {
    for (const name of await unless('ENOENT', readdir(folderOf(owner)), [])) {
      if (!(await isOfOthers(owner, name))) await rm(sharedOf(owner.tenantId, name), { force: true })
    }
    await rm(folderOf(owner), { recursive: true, force: true })
  }

  /**
   * Whether another deployment uses an archive. The number of hard links doesn't show it: a copy of the folder has
   * others.
   */
  async function isOfOthers({ tenantId, deploymentId }: ArchiveOwner, name: string): Promise<boolean> {
    for (const other of await readdir(join(folder, tenantId))) {
      if (other === 'shared' || other === deploymentId) continue
      if (await exists(join(folder, tenantId, other, name))) return true
    }
    return false
  }

  function readKey(): Promise<Uint8Array> {
    key ??= onDisk(() => keyIn(folder, partials)).catch((error: unknown) => {
      key = null
      throw error
    })
    return key
  }

  async function exists(file: string): Promise<boolean> {
    return (await unless('ENOENT', access(file), false)) !== false
  }

  /** Links a file that is on the disk at another path, unless there is one. */
  async function put(file: string, place: string): Promise<boolean> {
    await mkdir(dirname(place), { recursive: true, mode: 0o700 })
    if ((await unless('EEXIST', link(file, place), false)) === false) return false
    for (const path of [dirname(place), dirname(dirname(place)), folder]) await syncFolder(path)
    return true
  }

  /** Links a file that is on the disk at an archive's path, unless there is one. */
  async function putArchive(file: string, place: ArchivePlace): Promise<boolean> {
    if (!(await put(file, fileOf(place)))) return false
    try {
      await put(file, sharedOf(place.tenantId, nameOf(place)))
      return true
    } catch (error) {
      await rm(fileOf(place), { force: true })
      throw error
    }
  }

  /** Writes the received bytes into a file. */
  async function receive(
    file: string,
    source: Readable,
  ): Promise<Extract<Saved, 'not gzip' | 'cut off'> | null> {
    const handle = await onDisk(async () => {
      await mkdir(partials, { recursive: true, mode: 0o700 })
      return open(file, 'wx', 0o600)
    })
    try {
      let head = Buffer.alloc(0)
      // The connection has to stay open for the answer.
      const pieces = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer, void>
      for (;;) {
        const next = await pieces.next().catch(() => null)
        if (next === null) return 'cut off'
        if (next.done) break
        const { value } = next
        if (head.length < gzipHead.length) head = Buffer.concat([head, value.subarray(0, gzipHead.length)])
        if (!gzipHead.subarray(0, head.length).equals(head.subarray(0, gzipHead.length))) return 'not gzip'
        await onDisk(() => handle.writeFile(value))
      }
      if (head.length < gzipHead.length) return 'not gzip'
      await onDisk(() => handle.sync())
      return null
    } finally {
      await handle.close()
    }
  }

  return {
    ...removal,
    async grant(owner, now) {
      const place = { ...owner, archiveId: randomUUID() }
      return { place, ticket: signTicket(await readKey(), place, now + limits.ticketMs) }
    },
    check: async (place, ticket, now) => checkTicket(await readKey(), place, ticket, now),
    has: (place) => onDisk(() => exists(fileOf(place))),
    async save(place, source, bytes, isWanted) {
      const release = await onDisk(() => room.reserve(bytes))
      if (typeof release === 'string') return release
      const partial = join(partials, randomUUID())
      let isSaved = false
      try {
        const fault = await receive(partial, source)
        if (fault !== null) return fault
        if (!(await isWanted())) return 'not wanted'
        isSaved = await onDisk(() => putArchive(partial, place))
        return isSaved ? 'saved' : 'used already'
      } finally {
        release(isSaved)
        await rm(partial, { force: true }).catch(() => undefined)
      }
    },
    keepFor(owner, path) {
      const place = placeOf(path, owner.tenantId)
      if (place === null) return Promise.resolve(false)
      return onDisk(async () => {
        const own = fileOf(place, owner)
        const shared = sharedOf(owner.tenantId, nameOf(place))
        if (await exists(own)) return true
        if (!(await exists(shared))) {
          // If an instance ended in the middle of an upload, only this file may exist.
          if (!(await exists(fileOf(place)))) return false
          await put(fileOf(place), shared)
        }
        await put(shared, own)
        return true
      })
    },
    drop: (owner) => onDisk(() => removeAll(owner)),
  }
}

const nameOf = ({ deploymentId, archiveId }: ArchivePlace): string => `${deploymentId}.${archiveId}.tar.gz`

/** The key that signs tickets. The first instance that needs it creates it. */
async function keyIn(folder: string, partials: string): Promise<Uint8Array> {
  const file = join(folder, 'ticket-key')
  const found = await unless('ENOENT', readFile(file), null)
  if (found !== null) return usable(found, file)
  await mkdir(partials, { recursive: true, mode: 0o700 })
  const partial = join(partials, randomUUID())
  try {
    const handle = await open(partial, 'wx', 0o600)
    try {
      await handle.writeFile(randomBytes(keyBytes))
      await handle.sync()
    } finally {
      await handle.close()
    }
    // Another instance may have been first.
    await unless('EEXIST', link(partial, file), null)
    await syncFolder(folder)
  } finally {
    await rm(partial, { force: true })
  }
  return usable(await readFile(file), file)
}

const keyBytes = 32

/** Checks a key that was read. A short one could be guessed. */
function usable(key: Uint8Array, file: string): Uint8Array {
  if (key.length === keyBytes) return key
  const reason = `${file} is damaged. Remove it: the next upload makes another one.`
  throw new StorageFailure('unavailable', reason, 'archives')
}
