import {
  type CreateRequest,
  createRequestSchema,
  type DraftsPersistence,
  type DraftTemplate,
  type EnvironmentDrafts,
  fail,
  type Failure,
  failure,
  failureText,
  type FieldIssue,
  fieldIssues,
  idOfMark,
  type StoredDraft,
  type Outcome,
  type SavedDraft,
  succeed,
} from '@contract'
import { raceTimeout, Sequencer, singleFlight, throttle } from '../../async'
import { secretsPlaceOf, whyNotSent } from '../../environments/identity'
import type { ReadyEnvironment } from '../../environments/types'
import { noAnswer } from '../../processes/keychain/types'
import { createTable, type State } from '../state'
import { DraftCollections, type SecretValue } from './collections'

export interface DraftsOptions {
  state: Pick<State, 'read' | 'write' | 'unlock' | 'isUnlocked' | 'exists'>
  /** What secrets are entered for in an environment now (`secretsPlaceOf`); null if that isn't known. */
  placeOf: (environmentId: string) => string | null
  /** Called when the place where drafts are stored changes, or when earlier drafts have been read. */
  changed: (persistence: DraftsPersistence) => void
  report: (error: unknown) => void
  /**
   * How long `list` and `settle` wait for the disk, in milliseconds. After that, the notice says that drafts wait for
   * the keychain: it may be asking for a password.
   */
  timeoutMs?: number
  /** How long after a change it is written, in milliseconds. Further changes are written with it. */
  pauseMs?: number
}

/**
 * The drafts and templates of the creation form. What the form saves is in memory at once and on the disk soon after. Without a key from the keychain, nothing is
 * written: drafts stay in memory, and are merged with the stored ones once those can be read.
 */
export function createDrafts({
  state,
  placeOf,
  changed,
  report,
  timeoutMs = 2_000,
  pauseMs = 200,
}: DraftsOptions) {
  const collections = new DraftCollections()
  const table = createTable(state, 'drafts')
  /** Environments that were removed before the drafts were read. */
  const forgotten = new Set<string>()
  let persistence: DraftsPersistence = { storage: 'disk', message: null }
  let isRead = false
  let unsaved = false
  /** Whether the keychain has refused the key. Another request may make the system ask for a password. */
  let isLockedOut = false
  const writes = new Sequencer()
  const flushSoon = throttle(() => void flush().catch(report), pauseMs)

  function setPersistence(next: DraftsPersistence): void {
    persistence = next
    changed(persistence)
  }

  /** Says where drafts are now that they can't be on the disk. */
  function sayWhy(reason: Failure): void {
    isLockedOut = reason.code.startsWith('keychain-')
    const isWaiting = isLockedOut && reason.code !== 'keychain-missing'
    const words = isWaiting ? meanwhile.waiting : meanwhile.session
    setPersistence({
      storage: isWaiting ? 'waiting' : 'session',
      message: `${failureText(reason)} ${words}`,
    })
  }

  /** Says that drafts wait for a keychain that doesn't answer, if there are any to read or write. */
  function saySilent(): void {
    if (persistence.storage === 'disk' && (unsaved || state.exists())) sayWhy(noAnswer(null))
  }

  const read = singleFlight(async (): Promise<void> => {
    if (isRead) return
    const silence = setTimeout(saySilent, timeoutMs)
    const found = await state.read('drafts').finally(() => clearTimeout(silence))
    if (!found.ok) return sayWhy(found.failure)
    table.know(found.value.rows)
    collections.takeIn(found.value.rows, forgotten)
    isRead = true
    setPersistence({ storage: 'disk', message: null })
    // What was entered meanwhile.
    if (unsaved || forgotten.size > 0) noteChange()
  })

  function noteChange(): DraftsPersistence {
    unsaved = true
    flushSoon()
    return persistence
  }

  async function flush(): Promise<void> {
    flushSoon.cancel()
    // Quitting waits for a running write too.
    if (!unsaved) return await writes.idle()
    // Only the operator, or an answer of the keychain to another part, tries again.
    if (isLockedOut && !state.isUnlocked()) return
    await read()
    await writes.queue(write)
  }

  async function write(): Promise<void> {
    if (!isRead || !unsaved) return
    unsaved = false
    const silence = setTimeout(saySilent, timeoutMs)
    const written = await table.write(collections.toRows()).finally(() => clearTimeout(silence))
    if (written.ok) {
      if (persistence.storage !== 'disk') setPersistence({ storage: 'disk', message: null })
      return
    }
    unsaved = true
    sayWhy(written.failure)
  }

  return {
    /** Reads what is stored. Call it after the window's first load. */
    open: read,

    /**
     * The drafts of an environment. If reading them takes long, they come without what is stored, and `changed` reports
     * it later.
     */
    async list(environmentId: string): Promise<EnvironmentDrafts> {
      if (persistence.storage === 'disk') await raceTimeout(read(), timeoutMs)
      return { environmentId, ...collections.of(environmentId), persistence }
    },

    /** Saves a draft. Beyond the contract's limits, stores only the values of its secrets, in memory, and says so. */
    save(environmentId: string, draft: StoredDraft, isCurrent: boolean): SavedDraft {
      const { marks, refused } = collections.save(environmentId, draft, isCurrent, placeOf(environmentId))
      if (!refused) return { persistence: noteChange(), marks }
      return { persistence: { storage: 'session', message: failureText(refused) }, marks }
    },

    remove(environmentId: string, draftId: string) {
      collections.remove(environmentId, draftId)
      return noteChange()
    },

    /** Fails with `invalid-input` beyond the contract's limits, and changes nothing. */
    saveTemplate(environmentId: string, template: DraftTemplate): Outcome<DraftsPersistence> {
      const refused = collections.saveTemplate(environmentId, template)
      return refused ? fail(refused) : succeed(noteChange())
    },

    removeTemplate(environmentId: string, templateId: string) {
      collections.removeTemplate(environmentId, templateId)
      return noteChange()
    },

    /** Forgets the drafts and templates of an environment that was removed. */
    forget(environmentId: string): void {
      collections.forget(environmentId)
      if (!isRead) forgotten.add(environmentId)
      noteChange()
    },

    fillIn: (request: CreateRequest, environment: ReadyEnvironment) =>
      fillIn(request, environment, (mark) => collections.find(mark)),

    /** Tries again to store drafts on the disk. If `byOperator`, the keychain may ask for a password. */
    async retry(byOperator: boolean): Promise<DraftsPersistence> {
      if (persistence.storage === 'disk') return persistence
      const unlocked = await state.unlock(byOperator)
      if (unlocked.ok) {
        await read()
        await flush()
      } else if (byOperator) sayWhy(unlocked.failure)
      return persistence
    },

    /** Writes unsaved drafts. Resolves when everything is on the disk, or can't be. */
    flush,

    /** Flushes before something is sent: never fails, and doesn't take long. */
    async settle() {
      await raceTimeout(flush().catch(report), timeoutMs)
    },
  }
}

export type Drafts = ReturnType<typeof createDrafts>

const meanwhile = {
  session: "Until then, drafts are kept only until Slipway closes and aren't written to disk.",
  waiting: 'Until then, what you enter is kept in memory only. Earlier drafts appear when it answers.',
}

/**
 * Replaces the marks in a request by their values, to send them to an environment. Fails with `invalid-input` if a value
 * wasn't entered for it as it is now, or is no longer stored, or if the values exceed the interface's limits.
 *
 * @param find gives the value of a mark; null if it is no longer stored
 */
function fillIn(
  request: CreateRequest,
  environment: ReadyEnvironment,
  find: (mark: string) => SecretValue | null,
): Outcome<CreateRequest> {
  const to = secretsPlaceOf(environment)
  const issues: FieldIssue[] = []
  const secrets = request.secrets.map((secret, index) => {
    if (idOfMark(secret.value) === null) return secret
    const stored = find(secret.value)
    const why = stored ? whyNotSent(stored.place, to) : 'its value is no longer stored'
    if (why !== null) {
      issues.push({ path: ['secrets', index, 'value'], message: `Enter this value again: ${why}.` })
    }
    return { ...secret, value: stored?.value ?? '' }
  })
  if (issues.length > 0) return refused('The stored values of some secrets may not be sent here', issues)
  // A short mark may stand for a long value, and occur many times.
  const parsed = createRequestSchema.shape.secrets.safeParse(secrets)
  if (parsed.success) return succeed({ ...request, secrets })
  const tooLarge = fieldIssues(parsed.error)
  return refused(
    'The stored values of the secrets are too large',
    tooLarge.map(({ path, message }) => ({ path: ['secrets', ...path], message })),
  )
}

const refused = (message: string, issues: FieldIssue[]): Outcome<never> =>
  fail(failure('invalid-input', `${message}, so nothing was sent.`, { advice: 'Enter them again.', issues }))
