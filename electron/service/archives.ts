import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { limits } from './base/limits'
import type { Log } from './base/log'
import { StorageFailure } from './base/failures'
import type { ArchivePlace } from './database/archives'
import type { Store } from './database/store'

/** The prefix of upload paths. They need no key. */
export const uploadsPath = '/uploads/'

/** Where archives are stored, and the limits of all together. */
export interface ArchivePlan {
  folder: string
  bounds: { count: number; bytes: number }
}

/** Permission to upload one archive without a key, until a time (milliseconds). */
interface Ticket {
  expires: number
  signature: string
}

/** The result of an upload. */
type Saved = 'saved' | 'used already' | 'not gzip' | 'cut off' | 'not wanted' | 'too many' | 'no room'

export type Archives = ReturnType<typeof openArchives>

/** The first two bytes of every gzip file (RFC 1952, 2.3.1). */
const gzipHead = Buffer.from([0x1f, 0x8b])

/** How long after a deployment is gone its archives are removed, in milliseconds, so that several go together. */
const delayMs = 1_000

/**
 * Opens the archives in a folder, which is created when it is first needed. The database knows which ones there are, and
 * which deployments use them. The methods that use the disk reject with a StorageFailure if it fails.
 */
export function openArchives({ folder, bounds }: ArchivePlan, store: Store, log: Log) {
  const partials = join(folder, 'partial')
  const timers = new Set<NodeJS.Timeout>()
  const fileOf = ({ tenantId, deploymentId, archiveId }: ArchivePlace): string =>
    join(folder, tenantId, `${deploymentId}.${archiveId}.tar.gz`)

  function signatureOf({ tenantId, deploymentId, archiveId }: ArchivePlace, expires: number): Buffer {
    return createHmac('sha256', store.ticketKey)
      .update(['upload', tenantId, deploymentId, archiveId, expires].join('\n'))
      .digest()
  }

  /** Writes the received bytes into a file, and waits until they are on the disk. */
  async function receive(file: string, source: Readable): Promise<'not gzip' | 'cut off' | null> {
    await mkdir(partials, { recursive: true, mode: 0o700 })
    const handle = await open(file, 'wx', 0o600)
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
        await handle.writeFile(value)
      }
      if (head.length < gzipHead.length) return 'not gzip'
      await handle.sync()
      return null
    } finally {
      await handle.close()
    }
  }

  /** Removes archives that no deployment uses any longer, and uploads of instances that ended. */
  async function tidy(): Promise<void> {
    try {
      await store.archives.removeUnused((place) => rm(fileOf(place), { force: true }))
      for (const name of await readdir(partials).catch(() => [])) {
        const file = join(partials, name)
        const found = await stat(file).catch(() => null)
        if (found !== null && found.mtimeMs < Date.now() - 2 * limits.requestMs)
          await rm(file, { force: true })
      }
    } catch (error) {
      log.problem("Archives of deleted deployments can't be removed yet.", (error as Error).message)
    }
  }

  return {
    /** Creates the place of a new archive, and the query of the address for its upload. */
    grant(owner: Omit<ArchivePlace, 'archiveId'>): { place: ArchivePlace; query: string } {
      const place = { ...owner, archiveId: randomUUID() }
      const expires = Date.now() + limits.ticketMs
      const signature = signatureOf(place, expires).toString('base64url')
      return { place, query: `expires=${expires}&signature=${signature}` }
    },

    /** Checks a ticket. The time that this takes doesn't depend on how much of the ticket is right. */
    check(place: ArchivePlace, { expires, signature }: Ticket): 'right' | 'wrong' | 'expired' {
      const received = Buffer.from(signature, 'base64url')
      const expected = signatureOf(place, expires)
      if (received.length !== expected.length || !timingSafeEqual(received, expected)) return 'wrong'
      return Date.now() < expires ? 'right' : 'expired'
    },

    /**
     * Saves what a client sends as an archive, and settles once it is on the disk. If it isn't saved, nothing of it
     * remains.
     *
     * @param bytes the expected size
     */
    save: (place: ArchivePlace, source: Readable, bytes: number): Promise<Saved> =>
      onDisk(async () => {
        const deployment = await store.deployments.get({ ...place, id: place.deploymentId }, Date.now())
        if (deployment === null || deployment.status === 'AWAITING_DELETE') return 'not wanted'
        const taken = await store.archives.taken()
        if (taken.count >= bounds.count) return 'too many'
        if (taken.bytes + bytes > bounds.bytes) return 'no room'
        const partial = join(partials, randomUUID())
        try {
          const fault = await receive(partial, source)
          if (fault !== null) return fault
          return await store.archives.keep(place, bytes, async () => {
            await mkdir(dirname(fileOf(place)), { recursive: true, mode: 0o700 })
            await rename(partial, fileOf(place))
          })
        } finally {
          await rm(partial, { force: true }).catch(() => undefined)
        }
      }),

    tidy,

    /** Plans to tidy up at a time (milliseconds), when a deployment is gone. */
    tidyAt(time: number): void {
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          void tidy()
        },
        time - Date.now() + delayMs,
      ).unref()
      timers.add(timer)
    },

    stop: (): void => timers.forEach(clearTimeout),
  }
}

/** Runs file operations. Rejects with a StorageFailure instead of the system's error. */
async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code, syscall } = error as Partial<NodeJS.ErrnoException>
    if (error instanceof StorageFailure || code === undefined || syscall === undefined) throw error
    const isFull = code === 'ENOSPC' || code === 'EDQUOT'
    throw new StorageFailure(isFull ? 'full' : 'unavailable', error, 'archives')
  }
}
