import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Names of `state.db` and of the list of environments, set aside as unreadable. */
const unread = /^(?:state\.db|environments\.json)\.(?:unreadable|damaged)-/

/** The same, and files that were in the way of one of them, the data of a sandbox, and caches with their history. */
const setAside =
  /^(?:state\.db\.damaged|(?:environments|window|choices|updates)\.[a-z.]+\.(?:unreadable|damaged|in-the-way)|built-in-service\/[a-z-]+\.damaged|cache\/[\w-]+\.db\.damaged)-/

/** What SQLite and Slipway keep beside a database. */
const besideDatabase = /(?:-wal|-shm|\.header)$/

/**
 * The unreadable files that were set aside and are still in a folder, the latest last. Any of them may name
 * environments. Rejects as the file system does.
 */
export async function filesSetAside(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => unread.test(name) && !besideDatabase.test(name)).sort()
}

/** Everything that was set aside and is still in a folder. Rejects as the file system does. */
async function allSetAside(folder: string): Promise<string[]> {
  const names = await readdir(folder)
  for (const inside of ['built-in-service', 'cache'].filter((name) => names.includes(name))) {
    const found = await readdir(join(folder, inside)).catch(() => [])
    names.push(...found.map((name) => `${inside}/${name}`))
  }
  return names.filter((name) => setAside.test(name) && !besideDatabase.test(name))
}

/** Tells the operator about files that were set aside. */
export interface SetAsideNotice {
  /**
   * Shows a notice about the files in the folder. Call it before any file is read: code that sets a file aside at this
   * start reports it itself. Rejects if the file system does.
   */
  open: () => Promise<void>
  /** Adds a file that was set aside where nothing else says so. Rejects if the file system does. */
  add: (name: string) => Promise<void>
}

/** @param notice is called with the text for the operator; null if there is no such file */
export function createSetAsideNotice(folder: string, notice: (text: string | null) => void): SetAsideNotice {
  let named: Promise<string[]> | null = null
  const update = async (): Promise<void> => notice(textOf((await named) ?? []))
  return {
    open() {
      named = allSetAside(folder)
      return update()
    },
    async add(name) {
      const before = (await named) ?? []
      named = Promise.resolve([...before, name])
      await update()
    },
  }
}

function textOf(names: readonly string[]): string | null {
  if (names.length === 0) return null
  const [latest] = [...names].sort((one, other) => (timeOf(one) < timeOf(other) ? 1 : -1))
  return (
    (names.length === 1
      ? `Slipway couldn't use a file or folder and kept it in its folder: ${latest}. `
      : `Slipway couldn't use ${names.length} files or folders and kept them in its folder, the latest as ${latest}. `) +
    (names.some((name) => name.startsWith('cache/'))
      ? 'A cache has the history of its environment, which is no longer shown. The next sync fills a new one. '
      : '') +
    (names.some((name) => name.startsWith('choices.'))
      ? 'The board, the Overview, columns and shortcuts were reset to their defaults. '
      : '') +
    (names.some((name) => name.startsWith('updates.')) ? 'The notice of updates is on again. ' : '') +
    `Delete ${names.length === 1 ? "it once you don't need it" : "them once you don't need them"}.`
  )
}

/** When a file was set aside, according to its name, as digits: some names have marks between them. */
const timeOf = (name: string): string => name.replace(setAside, '').replace(/\D/g, '').slice(0, 14)
