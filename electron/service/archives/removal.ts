import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../base/limits'
import type { Log } from '../base/log'
import { onDisk, unless } from './disk'
import type { ArchiveOwner } from './places'

/** How often to look for deployments that are gone, in milliseconds, beside the times that are planned. */
const lookMs = 3_600_000

/** How long after a deployment is gone its archives are removed, in milliseconds, so that several share one look. */
const delayMs = 1_000

/** How many deployments are asked for at once. */
const mostAtOnce = 100

/** Tells which deployments of a tenant the database has, of some that are asked for. */
export type IsThere = (tenantId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>

/** Removes archives in the background. */
export interface Removal {
  /** Marks the archives of a deployment that is about to be deleted. Without any, it does nothing. */
  mark(owner: ArchiveOwner): Promise<void>
  /** Looks for deployments that are gone, at a time (milliseconds). */
  lookAt(time: number): void
  stop(): void
}

/** What is kept, and how it is removed. */
interface Kept {
  /** The folder of everything. */
  folder: string
  /** The folder of uploads that are on their way. */
  partials: string
  /** Gives the folder of a deployment's archives. */
  folderOf: (owner: ArchiveOwner) => string
  /** Removes a deployment's archives. May be called again if it was broken off. */
  removeAll: (owner: ArchiveOwner) => Promise<void>
  isThere: IsThere
  log: Log
}

/**
 * Removes the archives of deployments that were marked and that the database doesn't have any longer. Both has to hold:
 * a deletion that failed leaves a mark, and a service with another database must not remove what it doesn't know.
 */
export function removeInBackground({ folder, partials, folderOf, removeAll, isThere, log }: Kept): Removal {
  const marks = join(folder, 'deleted')
  const timers = new Set<NodeJS.Timeout>()
  let isLooking = false

  const wake = (ms: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      void look()
    }, ms).unref()
    timers.add(timer)
  }

  async function look(): Promise<void> {
    if (isLooking) return wake(delayMs)
    isLooking = true
    try {
      await removeGone()
      await removeLeftovers()
    } catch (error) {
      log.problem("Archives of deleted deployments can't be removed yet.", (error as Error).message)
    } finally {
      isLooking = false
    }
  }

  async function removeGone(): Promise<void> {
    const marked = (await namesIn(marks)).map(ownerOf).filter((owner) => owner !== null)
    for (const tenantId of new Set(marked.map((owner) => owner.tenantId))) {
      const ids = marked.filter((owner) => owner.tenantId === tenantId).map((owner) => owner.deploymentId)
      for (let start = 0; start < ids.length; start += mostAtOnce) {
        const some = ids.slice(start, start + mostAtOnce)
        const there = await isThere(tenantId, some)
        for (const deploymentId of some.filter((id) => !there.has(id))) {
          const owner = { tenantId, deploymentId }
          await removeAll(owner)
          await rm(join(marks, markOf(owner)), { force: true })
        }
      }
    }
  }

  /** Removes what is left of uploads whose instance ended. */
  async function removeLeftovers(): Promise<void> {
    for (const name of await namesIn(partials)) {
      const file = join(partials, name)
      const found = await unless('ENOENT', stat(file), null)
      if (found !== null && found.mtimeMs < Date.now() - 2 * limits.uploadMs) await rm(file, { force: true })
    }
  }

  wake(0)
  const looking = setInterval(() => void look(), lookMs).unref()
  return {
    mark: (owner) =>
      onDisk(async () => {
        if ((await unless('ENOENT', stat(folderOf(owner)), null)) === null) return
        await mkdir(marks, { recursive: true, mode: 0o700 })
        await writeFile(join(marks, markOf(owner)), '', { mode: 0o600 })
      }),
    lookAt: (time) => wake(Math.max(0, time - Date.now()) + delayMs),
    stop() {
      clearInterval(looking)
      timers.forEach(clearTimeout)
    },
  }
}

const namesIn = (folder: string): Promise<string[]> => unless('ENOENT', readdir(folder), [])

const markOf = ({ tenantId, deploymentId }: ArchiveOwner): string => `${tenantId}.${deploymentId}`

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const shape = new RegExp(`^(${uuid})\\.(${uuid})$`)

/** The deployment of a mark; null if that is something else. */
function ownerOf(name: string): ArchiveOwner | null {
  const [, tenantId, deploymentId] = shape.exec(name) ?? []
  return tenantId === undefined || deploymentId === undefined ? null : { tenantId, deploymentId }
}
