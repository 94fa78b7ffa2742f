import { type Failure, succeed } from '@contract'
import { watchLimits } from '@contract/cache/watches/watch-limits'
import { newerWatchesFileSchema, type WatchesFile, watchesFileSchema } from '@contract/ipc/watches-file'
import { type StoredFileOptions, type StoredFormat, openStoredFile } from '../../stored/file'

/** Watches and their state. `takenIn` belongs to the file itself. */
export type WatchesContent = Omit<WatchesFile, 'takenIn'>

/** The encrypted file of watches and their notices. */
export interface StoredWatches {
  /** Gives the content, and reads it if that hasn't been done. Without a file, the keychain isn't asked. */
  read: () => Promise<{ content: WatchesContent } | { failure: Failure }>
  /** Replaces the content. Gives why that failed, or null. The latest call takes precedence. */
  write: (content: WatchesContent) => Promise<Failure | null>
  /** Whether there may be a file that hasn't been read. */
  isUnread: () => boolean
}

const format: StoredFormat<WatchesFile> = {
  subject: 'Watches and their notices',
  name: 'watches.sealed',
  account: 'watches-key',
  none: { version: 1, watches: [], notices: [], quiet: null, services: [], takenIn: [] },
  read: parse,
  merged,
  // Large enough for everything that is followed and 40 notices with the largest texts, so that no change is
  // refused.
  largest: { change: 28_000_000, merge: 40_000_000 },
  smaller: [
    ...[12, 4, 1].map((max) => (content: WatchesFile) => withLatestReported(content, max)),
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

/** Merges two contents. The first one takes precedence, and only its reported transitions remain. */
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

/** A content with at most `max` reported transitions for each deployment, the latest ones. */
const withLatestReported = (content: WatchesFile, max: number): WatchesFile => ({
  ...content,
  services: content.services.map((service) => ({
    ...service,
    followed: service.followed.map((one) => ({ ...one, told: one.told.slice(-max) })),
  })),
})
