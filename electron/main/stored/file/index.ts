import { fail, failure, type Failure, failureText, type Outcome, succeed } from '@contract'
import { raceTimeout, Sequencer, singleFlight } from '../../async'
import { ChangedFileError } from '../../files/append'
import type { EncryptedFile } from '../../files/encrypted-file'
import { errorCode } from '../../files/error-code'
import { hashOfAside } from '../../files/set-aside'
import { noAnswer } from '../../processes/keychain/failures'
import type { FileKeys } from '../../processes/keychain/file-keys'

export interface StoredFileOptions {
  file: EncryptedFile
  keys: Pick<FileKeys, 'keyFor'>
  /** Called with a text for the operator about a file that can't be read; null once it can. */
  notice: (text: string | null) => void
  /** Called with the name of a file that was set aside, after its content was added again. */
  regained: (name: string) => void
  report: (error: unknown) => void
  /** How long a call waits for the keychain, in milliseconds. */
  timeoutMs?: number
}

/** A content remembers by their hashes which files are in it that were set aside, until they are removed. */
interface Mergeable {
  takenIn: string[]
}

/** What such a file has. */
export interface StoredFormat<Content extends Mergeable> {
  /** What is in it, in the plural, as its failures begin. */
  subject: string
  /** The file's name. */
  name: string
  /** The account of the key in the keychain. */
  account: string
  /** The content without a file. */
  none: Content
  /** Reads the text of a file; `newer` if a later version wrote it. */
  read: (text: string) => Content | 'newer' | 'unreadable'
  /** Two contents as one; what is in the first counts where both have it. */
  merged: (first: Content, second: Content) => Content
  /** The largest texts that are written, in bytes: by a change that makes it longer, and by taking a file in. */
  largest: { change: number; merge: number }
  /** What makes a content smaller that is too large, first what is missed least. */
  smaller: readonly ((content: Content) => Content)[]
  /** What the operator does about one that is too large all the same. */
  tooLargeAdvice: string
}

/** What a change makes of the content, and what it gives to its caller; or why it changes nothing. */
type Changed<Content, Value> = Outcome<{ content: Content; value: Value }>

/**
 * An encrypted file with a content of its own. Nothing is held here that isn't on the disk: a change counts once it is
 * written. Without a key nothing is written, and without a file the keychain isn't asked.
 */
export interface StoredFile<Content> {
  /**
   * Reads the file, if there is one, and files that were set aside and are readable again. Gives whether something was
   * read now. Call it after the window's first load, and again when the keychain may be open.
   */
  open: () => Promise<boolean>
  /**
   * The content. Failures: the keychain's; `internal` if the disk or a newer version's file keeps it from being read.
   */
  content: () => Promise<Outcome<Content>>
  /** Makes one change after the other. Gives its value once the file is on the disk. Failures: also `disk-full`. */
  change: <Value>(make: (content: Content) => Changed<Content, Value>) => Promise<Outcome<Value>>
  /** The content if the file was read; `none` if there is certainly none; null as long as a file hasn't been read. */
  known: () => Content | null
  /** Resolves once nothing is being written. */
  idle: () => Promise<void>
}

export function openStoredFile<Content extends Mergeable>(
  format: StoredFormat<Content>,
  { file, keys, notice, regained, report, timeoutMs = 10_000 }: StoredFileOptions,
): StoredFile<Content> {
  const failures = failuresOf(format)
  let read: { key: string; content: Content } | null = null
  const writes = new Sequencer()

  const openOnce = singleFlight(async (): Promise<Failure | null> => {
    if (read) return null
    try {
      return await openFile()
    } catch (error) {
      report(error)
      const failed = failures.unreadableDisk(error)
      notice(failureText(failed))
      return failed
    }
  })

  /** Whether there is certainly no file. */
  const hasNothing = async (): Promise<boolean> =>
    !file.exists() &&
    (await file.listSetAside().then(
      (names) => names.length === 0,
      () => false,
    ))

  async function openFile(): Promise<Failure | null> {
    let isKeyNew = false
    const key = await keys.keyFor(format.account, {
      stored: file.exists(),
      created: () => (isKeyNew = true),
    })
    if (!key.ok) return key.failure
    const found = await file.read(key.value)
    const content =
      found.state === 'read' ? format.read(found.text) : found.state === 'none' ? format.none : found.state
    if (content === 'newer') {
      notice(failureText(failures.newer))
      return failures.newer
    }
    notice(content === 'unreadable' ? setAsideText(format, await file.setAside(), isKeyNew) : null)
    read = { key: key.value, content: content === 'unreadable' ? format.none : content }
    const into = read
    // No change comes between, which would be lost.
    await writes.queue(() => takeInSetAside(into)).catch(report)
    return null
  }

  /**
   * Adds files that were set aside while their key was lost; removes each once its content is on the disk. One that
   * couldn't be removed isn't added again with the next start: its content may have been changed or deleted since.
   */
  async function takeInSetAside(into: NonNullable<typeof read>): Promise<void> {
    for (const name of await file.listSetAside()) {
      const found = await file.readSetAside(name, into.key)
      const other = found.state === 'read' ? format.read(found.text) : 'unreadable'
      if (found.state !== 'read' || typeof other === 'string') continue
      const hash = hashOfAside(found.text)
      if (!into.content.takenIn.includes(hash)) {
        const takenIn = [...new Set([...into.content.takenIn, ...other.takenIn, hash])]
        const content = { ...format.merged(into.content, other), takenIn }
        const text = JSON.stringify(content)
        if (Buffer.byteLength(text) > format.largest.merge) continue
        await file.write(into.key, text)
        const written = await file.read(into.key)
        if (written.state !== 'read' || written.text !== text) throw new ChangedFileError()
        into.content = content
      }
      await file.removeSetAside(name)
      into.content = { ...into.content, takenIn: into.content.takenIn.filter((one) => one !== hash) }
      regained(name)
    }
  }

  async function opened(): Promise<Outcome<NonNullable<typeof read>>> {
    const found = await raceTimeout(openOnce(), timeoutMs)
    if (read) return succeed(read)
    return fail(found ?? noAnswer(timeoutMs))
  }

  /** A content with its text, made smaller if it has to be. */
  function fitting(content: Content): { content: Content; text: string } {
    const whole = { content, text: JSON.stringify(content) }
    return format.smaller.reduce((fitted, makeSmaller) => {
      if (Buffer.byteLength(fitted.text) <= format.largest.change) return fitted
      const smaller = makeSmaller(fitted.content)
      return { content: smaller, text: JSON.stringify(smaller) }
    }, whole)
  }

  return {
    async open() {
      if (read || (await hasNothing())) return false
      return (await openOnce()) === null
    },

    async content() {
      if (!read && (await hasNothing())) return succeed(format.none)
      const ready = await opened()
      return ready.ok ? succeed(ready.value.content) : ready
    },

    async change(make) {
      const ready = await opened()
      if (!ready.ok) return ready
      return await writes.queue(async () => {
        const made = make(ready.value.content)
        if (!made.ok) return made
        const { value } = made.value
        if (made.value.content === ready.value.content) return succeed(value)
        const { content, text } = fitting(made.value.content)
        const bytes = Buffer.byteLength(text)
        const isLonger = (): boolean => bytes > Buffer.byteLength(JSON.stringify(ready.value.content))
        if (bytes > format.largest.change && isLonger()) return fail(failures.tooLarge)
        try {
          await file.write(ready.value.key, text)
        } catch (error) {
          report(error)
          return fail(failures.unwritableDisk(error))
        }
        ready.value.content = content
        return succeed(value)
      })
    },

    known: () => read?.content ?? (file.exists() ? null : format.none),
    idle: () => writes.idle(),
  }
}

type Described = Pick<StoredFormat<never>, 'subject' | 'name' | 'tooLargeAdvice'>

const failuresOf = ({ subject, tooLargeAdvice }: Described) => ({
  newer: failure(
    'internal',
    `${subject} were written by a newer version of Slipway and were left unchanged.`,
    {
      advice: 'Update Slipway to use them.',
    },
  ),
  tooLarge: failure('invalid-input', `${subject} take up too much space.`, { advice: tooLargeAdvice }),
  unreadableDisk: (error: unknown): Failure =>
    failure('internal', `${subject} couldn't be read from disk (${errorCode(error)}).`, {
      advice:
        "The file was left unchanged. Check the disk and the permissions of Slipway's folder, then try again.",
      retryable: true,
    }),
  unwritableDisk: (error: unknown): Failure =>
    failure(
      errorCode(error) === 'ENOSPC' ? 'disk-full' : 'internal',
      `${subject} couldn't be written to disk (${errorCode(error)}): the latest change wasn't saved.`,
      {
        advice: "Free up disk space or fix the permissions of Slipway's folder, then try again.",
        retryable: true,
      },
    ),
})

/** @param isKeyGone whether the keychain had no key; else the file is damaged, or has another keychain's key */
const setAsideText = ({ subject, name }: Described, aside: string, isKeyGone: boolean): string =>
  (isKeyGone
    ? `${subject} couldn't be read: the keychain doesn't have their key any more.`
    : `${subject} couldn't be read: their file is damaged or was written with another key.`) +
  ` Their file was kept as ${aside} beside the others, and new ones are saved in a new file. ` +
  (isKeyGone
    ? 'Slipway takes it in again once the keychain has its key.'
    : "If you have an earlier keychain, restore it, and Slipway takes the file in again. If it's damaged, what was in " +
      `it comes back only from a backup: quit Slipway, then put the earlier ${name} in its place.`)
