import { appendFileSync, closeSync, fstatSync, mkdirSync, readSync, renameSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import {
  openRegular,
  openRegularNow,
  readRegular,
  readRegularNow,
  statusOf,
  statusOfNow,
  unlessMissing,
} from './regular-file'

export { UnusableFileError } from './regular-file'

/** Only their owner may read and write Slipway's files. */
export const ownerOnly = { file: 0o600, folder: 0o700 } as const

/** A file that is open for appending. Every call rejects if the file system does. */
export interface OpenFile {
  size: () => Promise<number>
  read: (position: number, length: number) => Promise<Uint8Array>
  append: (bytes: Uint8Array) => Promise<void>
  truncate: (length: number) => Promise<void>
  /** Once this resolves, what was written survives a power cut. */
  sync: () => Promise<void>
  close: () => Promise<void>
}

/**
 * The file system as Slipway's own files use it. All persistent data passes through it, so that tests can let every
 * call fail. Every call fails if the file system does. Reading and opening fail with an UnusableFileError if the path
 * has something other than an ordinary file.
 */
export interface Files {
  /** The whole content; null if the file doesn't exist. */
  read: (path: string) => Promise<Buffer | null>
  /** In bytes; null if the file doesn't exist. */
  size: (path: string) => Promise<number | null>
  /** The names of a folder's entries; none if the folder doesn't exist. */
  list: (folder: string) => Promise<string[]>
  /** Opens a file, created if it doesn't exist, with its content (`append`) or empty (`new`). */
  open: (path: string, how: 'append' | 'new') => Promise<OpenFile>
  rename: (from: string, to: string) => Promise<void>
  /** Removes a file if it exists. */
  remove: (path: string) => Promise<void>
  makeFolder: (path: string) => Promise<void>
  /** Once this resolves, new and renamed files of the folder survive a power cut. */
  syncFolder: (path: string) => Promise<void>
  /** The same calls, synchronous: for the start and the end of the process. */
  now: {
    read: (path: string) => Buffer | null
    write: (path: string, content: string) => void
    /** Appends whole lines, on a line of their own even after one that was truncated. */
    appendLines: (path: string, text: string) => void
    size: (path: string) => number | null
    rename: (from: string, to: string) => void
    makeFolder: (path: string) => void
  }
}

/** The file system. */
export const nodeFiles: Files = {
  read: (path) => readRegular(path),
  size: (path) => statusOf(path).then(({ size }) => size, unlessMissing),
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
        return statusOfNow(path).size
      } catch (error) {
        return unlessMissing(error)
      }
    },
    rename: renameSync,
    makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: ownerOnly.folder }),
  },
}

const newline = 0x0a
