import { randomUUID } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { type Files, nodeFiles } from '../../files'
import { unlessMissing } from '../../files/regular-file'

/** Files that are being written beside a chosen one. */
export interface UnfinishedFiles {
  /** A new path in a folder. */
  begin: (folder: string) => Promise<string>
  /** Removes what is left at that path. */
  end: (path: string) => Promise<void>
}

export interface RememberedFiles extends UnfinishedFiles {
  /** Removes the files that a process left when it was killed. */
  removeLeftOver: () => Promise<void>
}

/** Not a longer name than this: the chosen one may be as long as names may be. */
const nameOf = (id: string): string => `.slipway-${id}.part`

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** For files that are written in a moment. */
export const notRemembered = (files: Files): UnfinishedFiles => ({
  begin: (folder) => Promise.resolve(join(folder, nameOf(randomUUID()))),
  end: (path) => files.remove(path).catch(() => undefined),
})

/**
 * Remembers unfinished files in a folder of the user data: for each a file with the identifier in its name, which has
 * the path of the folder. So a changed one leads to nothing but a file that has Slipway's name.
 */
export function rememberUnfinished(folder: string, files: Files = nodeFiles): RememberedFiles {
  const own = new Set<string>()

  async function remember(id: string, where: string): Promise<void> {
    await files.makeFolder(folder)
    const file = await files.open(join(folder, id), 'new')
    try {
      await file.append(Buffer.from(where))
      await file.sync()
    } finally {
      await file.close()
    }
  }

  async function removeOne(id: string): Promise<void> {
    const where = (await files.read(join(folder, id)))?.toString() ?? ''
    if (isAbsolute(where)) {
      // A disk that isn't attached may be back at a later start.
      if ((await files.size(where)) === null) return
      const path = join(where, nameOf(id))
      const found = await lstat(path).catch(unlessMissing)
      if (found?.isFile()) await files.remove(path)
    }
    await files.remove(join(folder, id))
  }

  return {
    async begin(where) {
      const id = randomUUID()
      own.add(id)
      // A full disk of the user data doesn't keep another one from being written.
      await remember(id, where).catch(() => undefined)
      return join(where, nameOf(id))
    },

    async end(path) {
      const id = basename(path).slice('.slipway-'.length, -'.part'.length)
      try {
        await files.remove(path)
        await files.remove(join(folder, id))
      } catch {
        // A later start tries again.
      }
    },

    async removeLeftOver() {
      const ids = (await files.list(folder)).filter((id) => uuid.test(id) && !own.has(id))
      for (const id of ids) await removeOne(id).catch(() => undefined)
    },
  }
}
