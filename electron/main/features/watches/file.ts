import { type Failure, succeed } from '@contract'
import { watchLimits } from '@contract/cache/watches/watch-limits'
import { newerWatchesFileSchema, type WatchesFile, watchesFileSchema } from '@contract/ipc/watches-file'
import { type StoredFileOptions, type StoredFormat, openStoredFile } from '../../stored-file'

/** What watches are and know; the file itself remembers what was taken into it. */
export type WatchesContent = Omit<WatchesFile, 'takenIn'>

/** The encrypted file of watches and their notices. */
export interface StoredWatches {
  /** The content, if it was read. Reads it otherwise; without a file, nothing is asked of the keychain. */
  read: () => Promise<{ content: WatchesContent } | { failure: Failure }>
  /** Writes the content as a whole. Gives null, or why it couldn't. The latest counts. */
  write: (content: WatchesContent) => Promise<Failure | null>
  /** Whether there may be a file that wasn't read. */
  isUnread: () => boolean
}

const format: StoredFormat<WatchesFile> = {
  subject: 'Watches and their notices',
  name: 'watches.sealed',
  account: 'watches-key',
  none: { version: 1, watches: [], notices: [], quiet: null, services: [], takenIn: [] },
  read: parse,
  merged,
  // What is followed and 40 notices with the largest texts fit in, so that what the operator does isn't refused.
  largest: { change: 28_000_000, merge: 40_000_000 },
  smaller: [
    ...[12, 4, 1].map((max) => (content: WatchesFile) => withTold(content, max)),
    ...[100, 40].map((max) => (content: WatchesFile) => ({
      ...content,
      notices: content.notices.slice(0, max),
    })),
  ],
  tooLargeAdvice: 'Remove watches of long lists, or dismiss notices.',
}

export function openWatchesFile(options: StoredFileOptions): StoredWatches {
  const file = openStoredFile(format, options)
  return {
    async read() {
      const read = await file.content()
      return read.ok ? { content: read.value } : { failure: read.failure }
    },

    async write(content) {
      const written = await file.change(({ takenIn }) =>
        succeed({ content: { ...content, takenIn }, value: null }),
      )
      return written.ok ? null : written.failure
    },

    isUnread: () => file.known() === null,
  }
}

function parse(text: string): WatchesFile | 'newer' | 'unreadable' {
  try {
    const value: unknown = JSON.parse(text)
    return newerWatchesFileSchema.safeParse(value).success ? 'newer' : watchesFileSchema.parse(value)
  } catch {
    return 'unreadable'
  }
}

/**
 * Two contents as one; what is in the first counts where both have it. What was told of the second isn't taken over.
 */
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

/** A content that remembers only the latest of what was told of each deployment. */
const withTold = (content: WatchesFile, max: number): WatchesFile => ({
  ...content,
  services: content.services.map((service) => ({
    ...service,
    followed: service.followed.map((one) => ({ ...one, told: one.told.slice(-max) })),
  })),
})
