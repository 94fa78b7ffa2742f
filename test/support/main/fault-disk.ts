import { basename, dirname } from 'node:path'
import fc from 'fast-check'
import { type Files, type OpenFile, UnusableFileError } from '../../../electron/main/files'
import { largestFile } from '../../../electron/main/files/regular-file'

/** A fault of one call: it fails after a part of its write, or the process ends there. */
export interface Fault {
  code: 'ENOSPC' | 'EIO' | 'kill'
  /** How much is done before, from 0 to 1. */
  done: number
}

/** How much of the unsynced data a power cut leaves, from 0 to 1. */
export type PowerCut = number | null

function usable(content: Buffer | null): Buffer | null {
  if (content && content.length > largestFile) throw new UnusableFileError('is too large')
  return content
}

/** The process has ended: none of its further calls does anything. */
class KilledError extends Error {
  readonly code = 'KILLED'
}

/**
 * A disk in memory that can fail at every call. A killed process leaves what it wrote. A power cut leaves what was
 * synced and, of each unsynced file, any beginning of what was written since.
 */
export class FaultDisk {
  /** The content that a name leads to: synced with the folder, and now. */
  #names = { synced: new Map<string, number>(), now: new Map<string, number>() }
  #inodes = new Map<number, { synced: Buffer; now: Buffer }>()
  #nextInode = 1
  #faults: (Fault | null)[] = []
  #generation = 0
  /** How many calls were made. */
  calls = 0

  /** Sets the faults of the next calls, one each. Later calls work. */
  plan(faults: readonly (Fault | null)[]): void {
    this.#faults = [...faults]
  }

  get killed(): boolean {
    return this.#killed
  }
  #killed = false

  /** Restarts the process, and the machine too if `powerCut` isn't null. */
  restart(powerCut: PowerCut): void {
    this.#generation += 1
    this.#killed = false
    this.#faults = []
    if (powerCut === null) return
    this.#names.now = new Map(this.#names.synced)
    for (const inode of this.#inodes.values()) {
      const { synced, now } = inode
      // Only appended data can be there in part. A truncated file is either as it was synced or as it is now.
      if (now.length >= synced.length && now.subarray(0, synced.length).equals(synced)) {
        inode.now = now.subarray(0, synced.length + Math.floor((now.length - synced.length) * powerCut))
      } else if (powerCut < 0.5) inode.now = synced
      inode.synced = inode.now
    }
  }

  /** Changes the disk's content, as another program would. */
  put(path: string, content: Buffer | string | null): void {
    if (content === null) {
      this.#names.now.delete(path)
      this.#names.synced.delete(path)
      return
    }
    const bytes = Buffer.from(content)
    const inode = this.#nextInode++
    this.#inodes.set(inode, { synced: bytes, now: bytes })
    this.#names.now.set(path, inode)
    this.#names.synced.set(path, inode)
  }

  get(path: string): Buffer | null {
    const inode = this.#names.now.get(path)
    return inode === undefined ? null : this.#inodes.get(inode)!.now
  }

  names(): string[] {
    return [...this.#names.now.keys()].sort()
  }

  /** The files of one process. After a restart, those of the process before do nothing. */
  files(): Files {
    const generation = this.#generation
    const dead = (): boolean => generation !== this.#generation || this.#killed

    /** One call: succeeds or fails on the way. */
    const step = (act: (share: number) => void): void => {
      if (dead()) throw new KilledError('The process has ended.')
      this.calls += 1
      const fault = this.#faults.shift() ?? null
      if (fault === null) return act(1)
      act(fault.done)
      if (fault.code === 'kill') {
        this.#killed = true
        throw new KilledError('The process has ended.')
      }
      throw Object.assign(new Error(`${fault.code}: not done`), { code: fault.code })
    }
    const whole =
      (act: () => void) =>
      (share: number): void => {
        // What can't be done in part is done or not.
        if (share === 1 || share > 0.5) act()
      }

    const inodeOf = (path: string): number => {
      const known = this.#names.now.get(path)
      if (known !== undefined) return known
      const inode = this.#nextInode++
      this.#inodes.set(inode, { synced: Buffer.alloc(0), now: Buffer.alloc(0) })
      this.#names.now.set(path, inode)
      return inode
    }

    const rename = (from: string, to: string): void => {
      const inode = this.#names.now.get(from)
      if (inode === undefined) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
      step(
        whole(() => {
          this.#names.now.delete(from)
          this.#names.now.set(to, inode)
        }),
      )
    }

    const openFile = (path: string, how: 'append' | 'new'): OpenFile => {
      let opened = 0
      step(
        whole(() => {
          opened = inodeOf(path)
          if (how === 'new') this.#inodes.get(opened)!.now = Buffer.alloc(0)
        }),
      )
      const inode = this.#inodes.get(opened)!
      const later = async <T>(act: () => T): Promise<T> => {
        await Promise.resolve()
        return act()
      }
      return {
        size: () => later(() => inode.now.length),
        read: (position, length) => later(() => inode.now.subarray(position, position + length)),
        append: (bytes) =>
          later(() =>
            step((share) => {
              inode.now = Buffer.concat([inode.now, bytes.subarray(0, Math.floor(bytes.length * share))])
            }),
          ),
        truncate: (length) => later(() => step(whole(() => (inode.now = inode.now.subarray(0, length))))),
        sync: () => later(() => step(whole(() => (inode.synced = inode.now)))),
        close: () => later(() => undefined),
      }
    }

    const appendNow = (path: string, bytes: Buffer): void => {
      const inode = this.#inodes.get(inodeOf(path))!
      step((share) => {
        inode.now = Buffer.concat([inode.now, bytes.subarray(0, Math.floor(bytes.length * share))])
      })
    }

    return {
      read: async (path) => {
        await Promise.resolve()
        if (dead()) throw new KilledError('The process has ended.')
        return usable(this.get(path))
      },
      size: async (path) => {
        await Promise.resolve()
        return this.get(path)?.length ?? null
      },
      list: async (folder) => {
        await Promise.resolve()
        if (dead()) throw new KilledError('The process has ended.')
        return this.names().flatMap((name) => (dirname(name) === folder ? [basename(name)] : []))
      },
      open: async (path, how) => {
        await Promise.resolve()
        return openFile(path, how)
      },
      rename: async (from, to) => {
        await Promise.resolve()
        rename(from, to)
      },
      remove: async (path) => {
        await Promise.resolve()
        step(whole(() => this.#names.now.delete(path)))
      },
      makeFolder: async () => {
        await Promise.resolve()
        step(() => undefined)
      },
      syncFolder: async (path) => {
        await Promise.resolve()
        step(
          whole(() => {
            for (const [name, inode] of this.#names.now) {
              if (dirname(name) === path) this.#names.synced.set(name, inode)
            }
            for (const name of this.#names.synced.keys()) {
              if (dirname(name) === path && !this.#names.now.has(name)) this.#names.synced.delete(name)
            }
          }),
        )
      },
      now: {
        read: (path) => usable(this.get(path)),
        write: (path, content) => {
          this.#inodes.get(inodeOf(path))!.now = Buffer.alloc(0)
          appendNow(path, Buffer.from(content))
        },
        appendLines: (path, text) => {
          const before = this.get(path)
          const begun = before !== null && before.length > 0 && before.at(-1) !== 0x0a
          appendNow(path, Buffer.from(begun ? `\n${text}` : text))
        },
        size: (path) => this.get(path)?.length ?? null,
        rename,
        makeFolder: () => step(() => undefined),
      },
    }
  }
}

/** A share, evenly distributed: most of fast-check's own fractions are close to zero. */
const someShare = fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100)

/** Faults for a number of calls. Most calls work. */
export const someFaults = (max: number): fc.Arbitrary<(Fault | null)[]> =>
  fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.record({
          code: fc.constantFrom('ENOSPC' as const, 'EIO' as const, 'kill' as const),
          done: someShare,
        }),
      },
    ),
    { maxLength: max },
  )

/** How a run ends: with the process, or with a power cut that leaves this much of the unsynced data. */
export const somePowerCut: fc.Arbitrary<PowerCut> = fc.option(someShare, { nil: null })
