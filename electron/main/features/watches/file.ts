import { failure, type Failure } from '@contract'
import { watchLimits } from '@contract/cache/watch-limits'
import { newerWatchesFileSchema, type WatchesFile, watchesFileSchema } from '@contract/ipc/watches-file'
import { raceTimeout, Sequencer, singleFlight } from '../../async'
import type { EncryptedFile } from '../../files/encrypted-file'
import { errorCode } from '../../files/error-code'
import { noAnswer } from '../../processes/keychain/failures'
import type { FileKeys } from '../../processes/keychain/file-keys'

export interface WatchesFileOptions {
  file: EncryptedFile
  keys: Pick<FileKeys, 'keyFor'>
  /** Called with a text for the operator about a file that was set aside; null once it was read. */
  notice: (text: string | null) => void
  /** Called with the name of a file that was set aside, after its content was added again. */
  regained: (name: string) => void
  report: (error: unknown) => void
  /** How long opening waits for the keychain, in milliseconds. */
  timeoutMs?: number
}

/** The encrypted file of watches and their notices. */
export interface StoredWatches {
  /** The content, if it was read. Reads it otherwise; without a file, nothing is asked of the keychain. */
  read: () => Promise<{ content: WatchesFile } | { failure: Failure }>
  /** Writes the content as a whole. Gives null, or why it couldn't. The latest counts. */
  write: (content: WatchesFile) => Promise<Failure | null>
  /** Whether there may be a file that wasn't read. */
  isUnread: () => boolean
  idle: () => Promise<void>
}

const noWatches: WatchesFile = { version: 1, watches: [], notices: [], quiet: null, services: [] }

/** The account of the key in the keychain. */
const account = 'watches-key'

/** The largest text that is written, in bytes: identifiers may be long. */
const largestFile = 8_000_000

export function openWatchesFile({
  file,
  keys,
  notice,
  regained,
  report,
  timeoutMs = 10_000,
}: WatchesFileOptions): StoredWatches {
  let key: string | null = null
  let first: WatchesFile | null = null
  const writes = new Sequencer()

  const openOnce = singleFlight(async (): Promise<Failure | null> => {
    const found = await keys.keyFor(account, { stored: file.exists() })
    if (!found.ok) return found.failure
    try {
      first ??= await readWith(found.value)
    } catch (error) {
      if (error instanceof NewerFile) return newerFile
      report(error)
      return unusableDisk('read', error)
    }
    key = found.value
    return null
  })

  async function readWith(withKey: string): Promise<WatchesFile> {
    const read = await file.read(withKey)
    const content = read.state === 'read' ? parse(read.text) : read.state === 'none' ? noWatches : read.state
    if (content === 'newer') throw new NewerFile()
    notice(content === 'unreadable' ? setAsideText(await file.setAside()) : null)
    return await withSetAside(content === 'unreadable' ? noWatches : content, withKey)
  }

  /** Adds files that were set aside while their key was lost; removes each once its content is on the disk. */
  async function withSetAside(content: WatchesFile, withKey: string): Promise<WatchesFile> {
    let all = content
    for (const name of await file.listSetAside()) {
      const found = await file.readSetAside(name, withKey)
      const other = found.state === 'read' ? parse(found.text) : 'unreadable'
      if (typeof other === 'string') continue
      all = merged(all, other)
      await file.write(withKey, JSON.stringify(all))
      await file.removeSetAside(name)
      regained(name)
    }
    return all
  }

  /** Gives why the file can't be used; null once it was read. */
  async function open(): Promise<Failure | null> {
    if (key !== null) return null
    const opened = await raceTimeout(openOnce(), timeoutMs)
    return opened === undefined ? noAnswer(timeoutMs) : opened
  }

  return {
    async read() {
      if (first === null && !file.exists()) first = noWatches
      if (first !== null) return { content: first }
      const failed = await open()
      return first === null ? { failure: failed ?? noAnswer(timeoutMs) } : { content: first }
    },

    write: (content) =>
      writes.queue(async () => {
        const failed = await open()
        if (key === null) return failed ?? noAnswer(timeoutMs)
        const text = JSON.stringify(content)
        if (Buffer.byteLength(text) > largestFile) return tooLarge
        try {
          await file.write(key, text)
          return null
        } catch (error) {
          report(error)
          return unusableDisk('written to', error)
        }
      }),

    isUnread: () => first === null && file.exists(),
    idle: () => writes.idle(),
  }
}

class NewerFile extends Error {}

function parse(text: string): WatchesFile | 'newer' | 'unreadable' {
  try {
    const value: unknown = JSON.parse(text)
    return newerWatchesFileSchema.safeParse(value).success ? 'newer' : watchesFileSchema.parse(value)
  } catch {
    return 'unreadable'
  }
}

/** Two contents as one; what is in the first counts where both have it. What was told of the second isn't taken over. */
function merged(first: WatchesFile, second: WatchesFile): WatchesFile {
  const isNew = ({ id }: { id: string }, among: readonly { id: string }[]): boolean =>
    !among.some((one) => one.id === id)
  const added = second.watches.filter((one) => isNew(one, first.watches))
  const notices = second.notices.filter((one) => isNew(one, first.notices))
  return {
    ...first,
    watches: [...first.watches, ...added.map((one) => ({ ...one, baseline: null }))].slice(
      0,
      watchLimits.count,
    ),
    notices: [...first.notices, ...notices].slice(0, watchLimits.notices),
    quiet: first.quiet ?? second.quiet,
  }
}

const newerFile = failure(
  'internal',
  'Watches and their notices were written by a newer version of Slipway and were left unchanged.',
  { advice: 'Update Slipway to use them.' },
)

const tooLarge = failure('internal', 'Watches and their notices take up too much space.', {
  advice: 'Remove watches of long lists, or dismiss notices.',
})

const unusableDisk = (done: 'read' | 'written to', error: unknown): Failure =>
  failure(
    errorCode(error) === 'ENOSPC' ? 'disk-full' : 'internal',
    `Watches and their notices couldn't be ${done === 'read' ? 'read from' : 'written to'} disk (${errorCode(error)}).`,
    {
      advice: "Free up disk space or fix the permissions of Slipway's folder, then try again.",
      retryable: true,
    },
  )

const setAsideText = (name: string): string =>
  `Watches and their notices couldn't be read: their file is damaged, or the keychain doesn't have its key any more. It was kept as ${name} beside the others. Watch again what you want to be told about.`
