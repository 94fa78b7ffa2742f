import {
  type CreateRequest,
  type DraftsPersistence,
  type DraftTemplate,
  type EnvironmentDrafts,
  fail,
  type Failure,
  failureText,
  type StoredDraft,
  type Outcome,
  type SavedDraft,
  type SecretsPlace,
  succeed,
} from '@contract'
import { raceTimeout, Sequencer, throttle } from '../../async'
import type { ReadyEnvironment } from '../../environments/model/types'
import { UnusableFileError } from '../../files'
import { ChangedFileError } from '../../files/append'
import { noAnswer } from '../../processes/keychain/failures'
import type { FileKeys, KeyRequest } from '../../processes/keychain/file-keys'
import type { EncryptedFile } from '../../files/encrypted-file'
import { errorCode } from '../../files/error-code'
import { DraftCollections } from './collections'
import type { ConfirmSecrets } from './confirm-secrets'
import { createFillIn } from './fill-in'

export interface DraftsOptions {
  file: EncryptedFile
  keys: Pick<FileKeys, 'keyFor'>
  /** The place that secrets are entered for in an environment now; null if that isn't known. */
  placeOf: (environmentId: string) => SecretsPlace | null
  /**
   * Asks for the operator's consent, outside the page, before a stored secret is sent to a place it wasn't entered for.
   */
  confirm: ConfirmSecrets
  /** Called when the place where drafts are stored changes, or when earlier drafts have been read. */
  changed: (persistence: DraftsPersistence) => void
  report: (error: unknown) => void
  /** Called with the name of a file that was set aside, after its content was added again. */
  regained?: (name: string) => void
  /**
   * How long `list` and `settle` wait for the file, in milliseconds. After that, the notice says that drafts wait for
   * the keychain: it may be asking for a password.
   */
  timeoutMs?: number
  /** How long after a change the file is written, in milliseconds. Further changes are written with it. */
  pauseMs?: number
}

/** The drafts and templates of the creation form, stored in one encrypted file. */
export interface Drafts {
  /**
   * Reads the file, if there is one, and files that were set aside and are readable again. Call it after the window's
   * first load.
   */
  open: () => Promise<void>
  /**
   * The drafts of an environment. If reading the file takes long, they come without its content, and `changed` reports
   * it later.
   */
  list: (environmentId: string) => Promise<EnvironmentDrafts>
  /** Saves a draft. Beyond the contract's limits, stores only the values of its secrets, in memory, and says so. */
  save: (environmentId: string, draft: StoredDraft, isCurrent: boolean) => SavedDraft
  remove: (environmentId: string, draftId: string) => DraftsPersistence
  /** Fails with `invalid-input` beyond the contract's limits, and changes nothing. */
  saveTemplate: (environmentId: string, template: DraftTemplate) => Outcome<DraftsPersistence>
  removeTemplate: (environmentId: string, templateId: string) => DraftsPersistence
  /** The environments that have drafts or templates; null as long as a file hasn't been read. */
  environments: () => string[] | null
  /** Forgets the drafts and templates of an environment that was removed. */
  forget: (environmentId: string) => void
  /**
   * Replaces the marks in a request by their values, to send them to the given environment. If a value wasn't entered
   * for it, asks the operator. After they decline, the same value and place aren't asked about again, and nothing is
   * for a while. Fails with `invalid-input` if they decline, a value is no longer stored, or the values exceed the
   * interface's limits.
   */
  fillIn: (request: CreateRequest, environment: ReadyEnvironment) => Promise<Outcome<CreateRequest>>
  /** Tries again to store drafts on the disk. If `byOperator`, the keychain may ask for a password. */
  retry: (byOperator: boolean) => Promise<DraftsPersistence>
  /** Writes unsaved drafts. Resolves when everything is on the disk, or can't be. */
  flush: () => Promise<void>
  /** Flushes before something is sent: never fails, and doesn't take long. */
  settle: () => Promise<void>
}

/** The account of the key in the keychain. */
const account = 'drafts-key'

/**
 * Stores the drafts. What the form saves is in memory at once and on the disk soon after, encrypted with a key from the
 * keychain. Without a key, nothing is written. A file is overwritten only after it was read: while the keychain is
 * locked, drafts stay in memory, and are merged with those of the file once it can be read.
 */
export function createDrafts({
  file,
  keys,
  placeOf,
  confirm,
  changed,
  report,
  regained = () => undefined,
  timeoutMs = 2_000,
  pauseMs = 200,
}: DraftsOptions): Drafts {
  const collections = new DraftCollections()
  /** Environments that were removed before the file was read. */
  const forgotten = new Set<string>()
  let persistence: DraftsPersistence = { storage: 'disk', message: null, setAside: null }
  let key: string | null = null
  /** Whether the keychain takes longer than the time limit. */
  let silent = false
  let unsaved = false
  let opening: Promise<void> | null = null
  const writes = new Sequencer()
  const flushSoon = throttle(() => void flush().catch(report), pauseMs)

  function setPersistence(
    storage: DraftsPersistence['storage'],
    message: string | null,
    setAside = persistence.setAside,
  ): void {
    persistence = { storage, message, setAside }
    changed(persistence)
  }

  /**
   * Gets the key and reads the file with it, once.
   *
   * @param needed whether there are drafts to read or write; if not, a key is only used if one already exists
   */
  function open(byOperator: boolean, needed = true): Promise<void> {
    opening ??= openFile(byOperator, needed)
      .catch((error: unknown) => {
        report(error)
        setPersistence('session', unreadableDisk(error))
      })
      .finally(() => (opening = null))
    return opening
  }

  async function openFile(byOperator: boolean, needed: boolean): Promise<void> {
    if (key !== null) return
    const found = await askForKey({ stored: !needed || file.exists(), byOperator })
    if (!found.ok) {
      // There may be something to write by now.
      if (needed || unsaved)
        setPersistence(
          found.failure.code === 'keychain-missing' ? 'session' : 'waiting',
          wordsOf(found.failure),
        )
      return
    }
    const content = await file.read(found.value)
    const state = content.state === 'read' ? collections.takeIn(content.text, forgotten) : content.state
    if (state === 'newer') {
      setPersistence('session', newerFile)
      return
    }
    const setAside = state === 'unreadable' ? await file.setAside() : persistence.setAside
    await takeInSetAside(found.value).catch(report)
    key = found.value
    setPersistence('disk', null, setAside)
    // A flush may have given up without the key.
    if (unsaved || forgotten.size > 0) noteChange()
  }

  async function askForKey(wish: KeyRequest): Promise<Outcome<string>> {
    const timeout = setTimeout(() => {
      silent = true
      reportSilence()
    }, timeoutMs)
    try {
      return await keys.keyFor(account, wish)
    } finally {
      clearTimeout(timeout)
      silent = false
    }
  }

  /** Reports that drafts wait for a keychain that doesn't answer, if there are any to read or write. */
  function reportSilence(): void {
    if (silent && persistence.storage === 'disk' && (unsaved || file.exists()))
      setPersistence('waiting', wordsOf(noAnswer(null)))
  }

  /**
   * Adds files that were set aside while their key was lost. They are removed once the file was written with all their
   * content and read back. One that couldn't be removed isn't added again with the next start.
   */
  async function takeInSetAside(found: string): Promise<void> {
    const taken: { name: string; content: string }[] = []
    let isChanged = false
    for (const name of await file.listSetAside()) {
      const aside = await file.readSetAside(name, found)
      if (aside.state !== 'read') continue
      const state = collections.takeInSetAside(aside.text, forgotten)
      if (state !== 'taken' && state !== 'taken-before') continue
      taken.push({ name, content: aside.text })
      isChanged ||= state === 'taken'
    }
    if (isChanged) {
      const text = collections.toText()
      await file.write(found, text)
      const written = await file.read(found)
      if (written.state !== 'read' || written.text !== text) throw new ChangedFileError()
    }
    for (const { name, content } of taken) {
      await file.removeSetAside(name)
      collections.noteRemoved(content)
      regained(name)
    }
  }

  function noteChange(): DraftsPersistence {
    unsaved = true
    reportSilence()
    flushSoon()
    return persistence
  }

  async function flush(): Promise<void> {
    flushSoon.cancel()
    // Quitting waits for a running write too.
    if (!unsaved) return await writes.idle()
    // It may be reading only files that were set aside.
    await opening
    // Another request for the key may make the system ask for a password. Only the operator triggers that.
    if (key === null && persistence.storage === 'disk') await open(false)
    await writes.queue(write)
  }

  async function write(): Promise<void> {
    if (key === null || !unsaved) return
    unsaved = false
    try {
      await file.write(key, collections.toText())
      if (persistence.storage !== 'disk') setPersistence('disk', null)
    } catch (error) {
      unsaved = true
      report(error)
      setPersistence('session', unwritableDisk(error))
    }
  }

  return {
    open: async () => {
      if (file.exists()) await open(false)
      else if ((await file.listSetAside()).length > 0) await open(false, false)
    },

    async list(environmentId) {
      if (file.exists() && persistence.storage === 'disk') {
        await raceTimeout(open(false), timeoutMs)
      }
      return { environmentId, ...collections.of(environmentId), persistence }
    },

    save(environmentId, draft, isCurrent) {
      const { marks, refused } = collections.save(environmentId, draft, isCurrent, placeOf(environmentId))
      if (!refused) return { persistence: noteChange(), marks }
      return { persistence: { ...persistence, storage: 'session', message: failureText(refused) }, marks }
    },

    remove(environmentId, draftId) {
      collections.remove(environmentId, draftId)
      return noteChange()
    },

    saveTemplate(environmentId, template) {
      const refused = collections.saveTemplate(environmentId, template)
      return refused ? fail(refused) : succeed(noteChange())
    },

    removeTemplate(environmentId, templateId) {
      collections.removeTemplate(environmentId, templateId)
      return noteChange()
    },

    environments: () => (key === null && file.exists() ? null : collections.environments()),

    forget(environmentId) {
      collections.forget(environmentId)
      if (key === null) forgotten.add(environmentId)
      noteChange()
    },

    fillIn: createFillIn({
      find: (mark) => collections.find(mark),
      all: () => collections.secrets(),
      confirm,
      agreed: noteChange,
    }),

    async retry(byOperator) {
      if (persistence.storage === 'disk') return persistence
      // A running attempt may not make the system ask for a password.
      await opening
      if (key === null) await open(byOperator)
      await flush()
      return persistence
    },

    flush,

    async settle() {
      await raceTimeout(flush().catch(report), timeoutMs)
    },
  }
}

const meanwhile = {
  session: "Until then, drafts are kept only until Slipway closes and aren't written to disk.",
  waiting: 'Until then, what you enter is kept in memory only. Earlier drafts appear when it answers.',
}

const wordsOf = (reason: Failure): string =>
  `${failureText(reason)} ${reason.code === 'keychain-missing' ? meanwhile.session : meanwhile.waiting}`

const newerFile =
  'The drafts were written by a newer version of Slipway and were left unchanged. Update Slipway to use them. Until then, ' +
  'drafts are kept only until it closes.'

const unreadableDisk = (error: unknown): string =>
  `The drafts file couldn't be opened (${errorCode(error)}) and was left unchanged. Fix its permissions, then ` +
  'press Retry. Until then, drafts are kept only until Slipway closes.'

const unwritableDisk = (error: unknown): string =>
  error instanceof UnusableFileError && error.reason === 'is too large'
    ? 'The drafts are too large to write to disk. Discard some of them. Until then, the latest changes are ' +
      'kept only until Slipway closes.'
    : `The drafts couldn't be written to disk (${errorCode(error)}). Free up disk space or fix the permissions of its folder, then ` +
      'press Retry. Until then, the latest changes are kept only until Slipway closes.'
