import { appendFileSync, closeSync, fstatSync, mkdirSync, readSync, renameSync, statSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { openRegular, openRegularNow, readRegular, readRegularNow, unlessMissing } from './regular-file'

export { UnusableFileError } from './regular-file'

/** Only the owner reads and writes what Slipway keeps on disk. */
export const ownerOnly = { file: 0o600, folder: 0o700 } as const

/** A file that is open to be written at its end. Every call rejects as the file system does. */
export interface OpenFile {
  size: () => Promise<number>
  read: (position: number, length: number) => Promise<Uint8Array>
  append: (bytes: Uint8Array) => Promise<void>
  truncate: (length: number) => Promise<void>
  /** What was written lasts through a power cut once this resolves. */
  sync: () => Promise<void>
  close: () => Promise<void>
}

/**
 * What Slipway's own files ask of the file system. Everything that keeps something which was promised goes through it,
 * so that the tests can let every one of these calls fail. Every call fails as the file system does; reading and opening
 * fail with an UnusableFileError where something else than a file of Slipway's stands in its place.
 */
export interface Files {
  /** The whole content; null where there is no such file. */
  read: (path: string) => Promise<Buffer | null>
  /** In bytes; null where there is no such file. */
  size: (path: string) => Promise<number | null>
  /** The names of what is in a folder; none where there is no such folder. */
  list: (folder: string) => Promise<string[]>
  /** Opens a file, made where it is missing, with what it has (`append`) or empty (`new`). */
  open: (path: string, how: 'append' | 'new') => Promise<OpenFile>
  rename: (from: string, to: string) => Promise<void>
  /** Removes a file, where it is there. */
  remove: (path: string) => Promise<void>
  makeFolder: (path: string) => Promise<void>
  /** Makes new and renamed files last through a power cut. */
  syncFolder: (path: string) => Promise<void>
  /** The same at once, for the start and the end of the process. */
  now: {
    read: (path: string) => Buffer | null
    write: (path: string, content: string) => void
    /** Appends whole lines; they begin one of their own also after a line that was torn off. */
    appendLines: (path: string, text: string) => void
    size: (path: string) => number | null
    rename: (from: string, to: string) => void
    makeFolder: (path: string) => void
  }
}

/** The file system. */
export const nodeFiles: Files = {
  read: (path) => readRegular(path),
  size: (path) => stat(path).then(({ size }) => size, unlessMissing),
  list: async (folder) => (await readdir(folder).catch(unlessMissing)) ?? [],

  async open(path, how) {
    const file = await openRegular(path, how, ownerOnly.file)
    return {
      size: async () => (await file.stat()).size,
      async read(position, length) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
        return buffer.subarray(0, bytesRead)
      },
      append: (bytes) => file.appendFile(bytes),
      truncate: (length) => file.truncate(length),
      sync: () => file.sync(),
      close: () => file.close(),
    }
  },

  rename,
  remove: (path) => rm(path, { force: true }),
  makeFolder: async (path) => void (await mkdir(path, { recursive: true, mode: ownerOnly.folder })),

  async syncFolder(path) {
    // Windows has no such call for a folder.
    if (process.platform === 'win32') return
    const folder = await open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  },

  now: {
    read: (path) => readRegularNow(path),
    write(path, content) {
      const file = openRegularNow(path, 'write', ownerOnly.file)
      try {
        appendFileSync(file, content)
      } finally {
        closeSync(file)
      }
    },
    appendLines(path, text) {
      const file = openRegularNow(path, 'append', ownerOnly.file)
      try {
        const { size } = fstatSync(file)
        const last = Buffer.alloc(1)
        if (size > 0) readSync(file, last, 0, 1, size - 1)
        appendFileSync(file, size === 0 || last[0] === newline ? text : `\n${text}`)
      } finally {
        closeSync(file)
      }
    },
    size(path) {
      try {
        return statSync(path).size
      } catch (error) {
        return unlessMissing(error)
      }
    },
    rename: renameSync,
    makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: ownerOnly.folder }),
  },
}

const newline = 0x0a
