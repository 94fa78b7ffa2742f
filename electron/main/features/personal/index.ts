import { fail, failure, type Failure, failureText, type Outcome, succeed } from '@contract'
import { largestMergedFile, largestPersonalFile, type PersonalFile } from '@contract/ipc/personal-file'
import { raceTimeout, Sequencer, singleFlight } from '../../async'
import { ChangedFileError } from '../../files/append'
import type { EncryptedFile } from '../../files/encrypted-file'
import { errorCode } from '../../files/error-code'
import { hashOfAside } from '../../files/set-aside'
import { noAnswer } from '../../processes/keychain/failures'
import type { FileKeys } from '../../processes/keychain/file-keys'
import { environmentsOf, merged, noContent, readContent, without, withoutTaken } from './content'

export interface PersonalOptions {
  file: EncryptedFile
  keys: Pick<FileKeys, 'keyFor'>
  /** Called when the file was read, except where a call waited for it. */
  changed: () => void
  /** Called with a text for the operator about a file that can't be read; null once it can. */
  notice: (text: string | null) => void
  /** Called with the name of a file that was set aside, after its content was added again. */
  regained: (name: string) => void
  report: (error: unknown) => void
  /** How long a call waits for the keychain, in milliseconds. */
  timeoutMs?: number
}

/** What a change makes of the content, and what it gives to its caller; or why it changes nothing. */
type Changed<Value> = Outcome<{ content: PersonalFile; value: Value }>

/**
 * What the operator keeps for themselves on this machine, in one encrypted file. Nothing is held in memory that isn't
 * on the disk: a change counts once it is written.
 */
export interface Personal {
  /**
   * Reads the file, if there is one, and files that were set aside and are readable again. Call it after the window's
   * first load, and again when the keychain may be open.
   */
  open: () => Promise<void>
  /**
   * The content. Failures: the keychain's; `internal` if the disk or a newer version's file keeps it from being read.
   */
  content: () => Promise<Outcome<PersonalFile>>
  /** Makes one change after the other. Gives its value once the file is on the disk. Failures: also `disk-full`. */
  change: <Value>(make: (content: PersonalFile) => Changed<Value>) => Promise<Outcome<Value>>
  /** The environments that something belongs to; null as long as a file hasn't been read. */
  environments: () => string[] | null
  /** Deletes what belongs to an environment that was removed, if the file has been read. */
  forget: (environmentId: string) => Promise<void>
  /** Resolves once nothing is being written. */
  idle: () => Promise<void>
}

/** The account of the key in the keychain. */
const account = 'personal-key'

export function createPersonal(options: PersonalOptions): Personal {
  const { file, keys, changed, notice, regained, report, timeoutMs = 10_000 } = options
  let read: { key: string; content: PersonalFile } | null = null
  const writes = new Sequencer()

  const openOnce = singleFlight(async (): Promise<Failure | null> => {
    if (read) return null
    try {
      return await openFile()
    } catch (error) {
      report(error)
      const failure = unreadableDisk(error)
      notice(failureText(failure))
      return failure
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
    const key = await keys.keyFor(account, { stored: file.exists(), created: () => (isKeyNew = true) })
    if (!key.ok) return key.failure
    const found = await file.read(key.value)
    const content =
      found.state === 'read' ? readContent(found.text) : found.state === 'none' ? noContent : found.state
    if (content === 'newer') {
      notice(failureText(newerFile))
      return newerFile
    }
    notice(content === 'unreadable' ? setAsideText(await file.setAside(), isKeyNew) : null)
    read = { key: key.value, content: content === 'unreadable' ? noContent : content }
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
      const other = found.state === 'read' ? readContent(found.text) : 'unreadable'
      if (found.state !== 'read' || typeof other === 'string') continue
      const hash = hashOfAside(found.text)
      if (!into.content.takenIn.includes(hash)) {
        const content = merged(into.content, other, hash)
        const text = JSON.stringify(content)
        if (Buffer.byteLength(text) > largestMergedFile) continue
        await file.write(into.key, text)
        const written = await file.read(into.key)
        if (written.state !== 'read' || written.text !== text) throw new ChangedFileError()
        into.content = content
      }
      await file.removeSetAside(name)
      into.content = withoutTaken(into.content, hash)
      regained(name)
    }
  }

  async function opened(): Promise<Outcome<NonNullable<typeof read>>> {
    const found = await raceTimeout(openOnce(), timeoutMs)
    if (read) return succeed(read)
    return fail(found ?? noAnswer(timeoutMs))
  }

  const change: Personal['change'] = async (make) => {
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
      if (bytes > largestPersonalFile && isLonger()) return fail(tooLarge)
      try {
        await file.write(ready.value.key, text)
      } catch (error) {
        report(error)
        return fail(unwritableDisk(error))
      }
      ready.value.content = content
      return succeed(value)
    })
  }

  return {
    async open() {
      if (read || (await hasNothing())) return
      if ((await openOnce()) === null) changed()
    },

    async content() {
      // Without a file there is nothing to ask the keychain for.
      if (!read && (await hasNothing())) return succeed(noContent)
      const ready = await opened()
      return ready.ok ? succeed(ready.value.content) : ready
    },

    change,

    environments: () => (read ? environmentsOf(read.content) : file.exists() ? null : []),

    async forget(environmentId) {
      if (!read) return
      const made = await change((content) =>
        succeed({
          content: environmentsOf(content).includes(environmentId)
            ? without(content, environmentId)
            : content,
          value: null,
        }),
      )
      if (!made.ok) report(new Error(failureText(made.failure)))
    },

    idle: () => writes.idle(),
  }
}

const newerFile = failure(
  'internal',
  'Favourites, labels, notes and views were written by a newer version of Slipway and were left unchanged.',
  { advice: 'Update Slipway to use them.' },
)

/** @param isKeyGone whether the keychain had no key; else the file is damaged, or has another keychain's key */
const setAsideText = (name: string, isKeyGone: boolean): string =>
  (isKeyGone
    ? "Favourites, labels, notes and views couldn't be read: the keychain doesn't have their key any more."
    : "Favourites, labels, notes and views couldn't be read: their file is damaged or was written with another key.") +
  ` Their file was kept as ${name} beside the others, and new ones are saved in a new file. ` +
  (isKeyGone
    ? 'Slipway takes it in again once the keychain has its key.'
    : "If you have an earlier keychain, restore it, and Slipway takes the file in again. If it's damaged, what was in " +
      'it comes back only from a backup: quit Slipway, then put the earlier personal.sealed in its place.')

const tooLarge = failure('invalid-input', 'Favourites, labels, notes and views take up too much space.', {
  advice: 'Shorten or remove some notes, then try again.',
})

const unreadableDisk = (error: unknown): Failure =>
  failure(
    'internal',
    `Favourites, labels, notes and views couldn't be read from disk (${errorCode(error)}).`,
    {
      advice: "The file was left unchanged. Fix the permissions of Slipway's folder, then try again.",
      retryable: true,
    },
  )

const unwritableDisk = (error: unknown): Failure =>
  failure(
    errorCode(error) === 'ENOSPC' ? 'disk-full' : 'internal',
    `The change couldn't be written to disk (${errorCode(error)}) and wasn't saved.`,
    {
      advice: "Free up disk space or fix the permissions of Slipway's folder, then try again.",
      retryable: true,
    },
  )

/** A content with its text. Where it is too large, how Slipway was left gives way to notes. */
function fitting(content: PersonalFile): { content: PersonalFile; text: string } {
  const text = JSON.stringify(content)
  if (Buffer.byteLength(text) <= largestPersonalFile) return { content, text }
  const withoutHistory = { ...content, lastFilters: [], recent: [] }
  return { content: withoutHistory, text: JSON.stringify(withoutHistory) }
}
