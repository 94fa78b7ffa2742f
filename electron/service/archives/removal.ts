import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../base/limits'
import type { Log } from '../base/log'
import { onDisk, unless } from './disk'
import type { ArchiveOwner } from './places'

/** How often to look for deleted deployments, in milliseconds, besides the planned times. */
const lookMs = 3_600_000

/**
 * How long after a deployment is gone its archives are removed, in milliseconds, so that several are removed together.
 */
const delayMs = 1_000

/** How many deployments are looked up at once. */
const mostAtOnce = 100

/** Says which of some deployments of a tenant the database has. */
export type IsThere = (tenantId: string, ids: readonly string[]) => Promise<ReadonlySet<string>>

/** Removes archives in the background. */
export interface Removal {
  /** Marks the archives of a deployment that is about to be deleted. Does nothing if it has none. */
  mark(owner: ArchiveOwner): Promise<void>
  /** Plans to look for deleted deployments at a time (milliseconds). */
  lookAt(time: number): void
  stop(): void
}

/** Where the archives are, and how they are removed. */
interface RemovalOptions {
  /** The folder of all archives. */
  folder: string
  /** The folder of running uploads. */
  partials: string
  /** Gives the folder of a deployment's archives. */
  folderOf: (owner: ArchiveOwner) => string
  /** Removes a deployment's archives. Can be called again after an interruption. */
  removeAll: (owner: ArchiveOwner) => Promise<void>
  isThere: IsThere
  log: Log
}

/**
 * Removes the archives of deployments that are marked and that the database no longer has. Both conditions are needed:
 * a failed deletion leaves a mark, and a service with another database must not remove archives that it doesn't know.
 */
export function removeInBackground({
  folder,
  partials,
  folderOf,
  removeAll,
  isThere,
  log,
}: RemovalOptions): Removal {
  const marks = join(folder, 'deleted')
  const timers = new Set<NodeJS.Timeout>()
  /** The next look that nobody planned. */
  let next: NodeJS.Timeout | undefined
  let waitMs = delayMs
  let isLooking = false
  let isStopped = false

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
    let isDone = false
    try {
      isDone = await removeGone()
      await removeLeftovers()
    } catch (error) {
      log.problem("Archives of deleted deployments can't be removed yet.", (error as Error).message)
    } finally {
      isLooking = false
    }
    lookAgain(isDone)
  }

  /**
   * Plans the next look. While something is left, such as a deployment that was deleted by a clock that was ahead, it is
   * soon, and twice as far away each time.
   */
  function lookAgain(isDone: boolean): void {
    if (isStopped) return
    clearTimeout(next)
    next = setTimeout(() => void look(), isDone ? lookMs : waitMs).unref()
    waitMs = isDone ? delayMs : Math.min(waitMs * 2, lookMs)
  }

  /** Gives whether nothing that was marked is left. */
  async function removeGone(): Promise<boolean> {
    let isDone = true
    const marked = (await namesIn(marks)).map(ownerOf).filter((owner) => owner !== null)
    for (const tenantId of new Set(marked.map((owner) => owner.tenantId))) {
      const ids = marked.filter((owner) => owner.tenantId === tenantId).map((owner) => owner.deploymentId)
      for (let start = 0; start < ids.length; start += mostAtOnce) {
        const some = ids.slice(start, start + mostAtOnce)
        const there = await isThere(tenantId, some)
        if (there.size > 0) isDone = false
        for (const deploymentId of some.filter((id) => !there.has(id))) {
          const owner = { tenantId, deploymentId }
          await removeAll(owner)
          await rm(join(marks, markOf(owner)), { force: true })
        }
      }
    }
    return isDone
  }

  /** Removes partial uploads of instances that ended. */
  async function removeLeftovers(): Promise<void> {
    for (const name of await namesIn(partials)) {
      const file = join(partials, name)
      const found = await unless('ENOENT', stat(file), null)
      if (found !== null && found.mtimeMs < Date.now() - 2 * limits.uploadMs) await rm(file, { force: true })
    }
  }

  wake(0)
  return {
    mark: (owner) =>
      onDisk(async () => {
        if ((await unless('ENOENT', stat(folderOf(owner)), null)) === null) return
        await mkdir(marks, { recursive: true, mode: 0o700 })
        await writeFile(join(marks, markOf(owner)), '', { mode: 0o600 })
      }),
    lookAt(time) {
      waitMs = delayMs
      wake(Math.max(0, time - Date.now()) + delayMs)
    },
    stop() {
      isStopped = true
      clearTimeout(next)
      timers.forEach(clearTimeout)
    },
  }
}

const namesIn = (folder: string): Promise<string[]> => unless('ENOENT', readdir(folder), [])

const markOf = ({ tenantId, deploymentId }: ArchiveOwner): string => `${tenantId}.${deploymentId}`

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const shape = new RegExp(`^(${uuid})\\.(${uuid})$`)

/** The deployment of a mark; null if the file isn't a mark. */
function ownerOf(name: string): ArchiveOwner | null {
  const [, tenantId, deploymentId] = shape.exec(name) ?? []
  return tenantId === undefined || deploymentId === undefined ? null : { tenantId, deploymentId }
}
