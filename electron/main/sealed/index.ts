import { existsSync } from 'node:fs'
import { readFile, rename } from 'node:fs/promises'
import { basename } from 'node:path'
import { writeWhole } from '../whole-file'
import { seal, unseal } from './seal'

/** What was found in a sealed file; `newer` is one that a later Slipway has written. */
export type SealedContent =
  { state: 'none' } | { state: 'newer' } | { state: 'unreadable' } | { state: 'read'; text: string }

/** A small encrypted file. Reading and writing reject as the file system does. */
export interface SealedFile {
  exists: () => boolean
  read: (key: string) => Promise<SealedContent>
  /** Writes the file whole or not at all; it lasts through a power cut once this resolves. */
  write: (key: string, text: string) => Promise<void>
  /** Keeps a file that cannot be read under another name; gives that name. */
  setAside: () => Promise<string>
}

/** A sealed file at `path`, for keys of 64 hexadecimal digits. Its name is bound to what is in it. */
export function sealedFile(path: string): SealedFile {
  const purpose = basename(path)
  let last: Promise<unknown> = Promise.resolve()

  /** One after the other: a slow write never ends up over a later one. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }

  return {
    exists: () => existsSync(path),

    read: (key) =>
      inTurn(async () => {
        const sealed = await readFile(path).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return null
          throw error
        })
        return sealed === null ? { state: 'none' } : unseal(sealed, key, purpose)
      }),

    write: (key, text) => inTurn(() => writeWhole(path, seal(text, key, purpose))),

    setAside: () =>
      inTurn(async () => {
        const aside = `${path}.unreadable-${new Date().toISOString().replaceAll(':', '-')}`
        await rename(path, aside)
        return basename(aside)
      }),
  }
}
