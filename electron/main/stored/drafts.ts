import { randomUUID } from 'node:crypto'
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
  succeed,
  type DraftCollection,
  type DraftContent,
  draftLimits,
  isSecretMark,
  secretMark,
  type StoredDraftRow,
} from '@contract'
import type { StateRow } from '../../cache/protocol'
import { raceTimeout, Sequencer, singleFlight, throttle } from '../async'
import { secretsPlaceOf, whyNotSent, type ReadyEnvironment } from '../environments/known'
import { noAnswer } from '../processes/keychain'
import { createTable, type State } from './state'

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
  const rows = new DraftRows()
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
    rows.takeIn(found.value.rows, forgotten)
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
    const written = await table.write(rows.toRows()).finally(() => clearTimeout(silence))
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
      return { environmentId, ...rows.of(environmentId), persistence }
    },

    /** Fails with `invalid-input` beyond the contract's limits, and keeps the draft from before. */
    save(environmentId: string, draft: StoredDraft, isCurrent: boolean): Outcome<DraftsPersistence> {
      const refused = rows.save(environmentId, draft, isCurrent, placeOf(environmentId))
      return refused ? fail(refused) : succeed(noteChange())
    },

    remove(environmentId: string, draftId: string) {
      rows.remove(environmentId, draftId)
      return noteChange()
    },

    /** Fails with `invalid-input` beyond the contract's limits, and changes nothing. */
    saveTemplate(environmentId: string, template: DraftTemplate): Outcome<DraftsPersistence> {
      const refused = rows.saveTemplate(environmentId, template)
      return refused ? fail(refused) : succeed(noteChange())
    },

    removeTemplate(environmentId: string, templateId: string) {
      rows.removeTemplate(environmentId, templateId)
      return noteChange()
    },

    /** Forgets the drafts and templates of an environment that was removed. */
    forget(environmentId: string): void {
      rows.forget(environmentId)
      if (!isRead) forgotten.add(environmentId)
      noteChange()
    },

    fillIn: (request: CreateRequest, environment: ReadyEnvironment) =>
      fillIn(request, environment, (mark) => rows.find(mark)),

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

/**
 * The drafts and templates of every environment, in memory as in the table, with marks instead of values of secrets (see
 * the contract). Drafts that are saved may have either. A row is never changed in place.
 */
class DraftRows {
  readonly #rows = new Map<string, StoredDraftRow>()

  /** The drafts and templates of an environment, as the page may have them. */
  of(environmentId: string): DraftCollection {
    const collection: DraftCollection = { drafts: [], currentId: null, templates: [] }
    for (const row of this.#rows.values()) {
      if (row.kind === 'value' || row.environmentId !== environmentId) continue
      if (row.kind === 'draft') collection.drafts.push(row.draft)
      else if (row.kind === 'template') collection.templates.push(row.template)
      else collection.currentId = row.currentId
    }
    return collection
  }

  /**
   * Adds a draft, or replaces the one with its identifier. Its values were entered for `place`; a mark keeps the place
   * of its value. Gives why the draft isn't stored, if it is too large: then the draft from before stays.
   */
  save(environmentId: string, draft: StoredDraft, isCurrent: boolean, place: string | null): Failure | null {
    const content = this.#marked(draft.content, place)
    const refused = this.#add({ kind: 'draft', environmentId, draft: { ...draft, content } })
    if (isCurrent && !refused) this.#put({ kind: 'current', environmentId, currentId: draft.id })
    this.#forgetUnused()
    return refused
  }

  /** Adds a template or replaces it, as `save` does; a template never has values of secrets. */
  saveTemplate(environmentId: string, template: DraftTemplate): Failure | null {
    const content = withValues(template.content, () => '')
    return this.#add({ kind: 'template', environmentId, template: { ...template, content } })
  }

  remove(environmentId: string, draftId: string): void {
    const { currentId } = this.of(environmentId)
    this.#rows.delete(`draft ${draftId} ${environmentId}`)
    this.#forgetUnused()
    if (currentId !== draftId) return
    const last = this.of(environmentId).drafts.at(-1)
    if (last) this.#put({ kind: 'current', environmentId, currentId: last.id })
    else this.#rows.delete(`current ${environmentId}`)
  }

  removeTemplate(environmentId: string, templateId: string): void {
    this.#rows.delete(`template ${templateId} ${environmentId}`)
  }

  /** Forgets all data of an environment. */
  forget(environmentId: string): void {
    for (const [id, row] of this.#rows) {
      if (row.kind !== 'value' && row.environmentId === environmentId) this.#rows.delete(id)
    }
    this.#forgetUnused()
  }

  /** The value of a mark; null if it isn't stored, or the text isn't a mark. */
  find(mark: string): SecretValue | null {
    const row = this.#rows.get(`value ${idOfMark(mark)}`)
    return row?.kind === 'value' ? row : null
  }

  /** The rows of the table. */
  toRows(): Map<string, string> {
    return new Map([...this.#rows].map(([id, row]) => [id, textOf(row)]))
  }

  /** Adds what the table has. What is in memory is newer and wins. Leaves out the environments in `without`. */
  takeIn(stored: readonly StateRow[], without: ReadonlySet<string>): void {
    const own = [...this.#rows]
    this.#rows.clear()
    for (const [, text] of stored) {
      const row = JSON.parse(text) as StoredDraftRow
      if (row.kind === 'value' || !without.has(row.environmentId)) this.#put(row)
    }
    for (const [, row] of own) this.#put(row)
    this.#forgetUnused()
  }

  #put(row: StoredDraftRow): void {
    this.#rows.set(idOf(row), row)
  }

  /** Forgets the values whose marks no draft has. */
  #forgetUnused(): void {
    const marks = new Set([...this.#rows.values()].flatMap(marksOf))
    for (const [id, row] of this.#rows) {
      if (row.kind === 'value' && !marks.has(secretMark(row.id))) this.#rows.delete(id)
    }
  }

  /** Content with a mark instead of every value, and without marks of values that aren't stored. */
  #marked(content: DraftContent, place: string | null): DraftContent {
    return withValues(content, (value) => {
      if (value === '') return ''
      if (isSecretMark(value)) return this.find(value) ? value : ''
      // A new mark even for an equal value, so that marks don't tell whether values are equal.
      const id = randomUUID()
      this.#put({ kind: 'value', id, value, place })
      return secretMark(id)
    })
  }

  /** Adds or replaces a draft or template. Gives why not, if that would exceed the limits; then nothing changes. */
  #add(row: Extract<StoredDraftRow, { kind: 'draft' | 'template' }>): Failure | null {
    const { kind, environmentId } = row
    const values = marksOf(row).flatMap((mark) => this.#rows.get(`value ${idOfMark(mark)}`) ?? [])
    if (bytesOf([row, ...values]) > draftLimits.bytes)
      return tooMuch(`This ${kind} is too large to save.`, 'Shorten it')
    const kinds = `${kind}s` as const
    const before = this.#rows.get(idOf(row))
    const count = this.of(environmentId)[kinds].length
    if (!before && count >= draftLimits[kinds])
      return tooMuch(`This environment has ${count} ${kinds} already.`, `Discard some of its ${kinds}`)
    const others = [...this.#rows.values()].filter((one) => one !== before)
    if (bytesOf([row, ...others]) > draftLimits.allBytes)
      return tooMuch('The drafts and templates take up too much space.', 'Discard some of them')
    this.#put(row)
    return null
  }
}

/** The identifier of a row in the table. */
function idOf(row: StoredDraftRow): string {
  switch (row.kind) {
    case 'draft':
      return `draft ${row.draft.id} ${row.environmentId}`
    case 'template':
      return `template ${row.template.id} ${row.environmentId}`
    case 'current':
      return `current ${row.environmentId}`
    case 'value':
      return `value ${row.id}`
  }
}

const tooMuch = (message: string, what: string): Failure =>
  failure('invalid-input', message, {
    advice: `${what}. Until then, the latest changes are kept only until Slipway closes.`,
  })

/** The known texts of rows. */
const texts = new WeakMap<StoredDraftRow, string>()

function textOf(row: StoredDraftRow): string {
  const text = texts.get(row) ?? JSON.stringify(row)
  texts.set(row, text)
  return text
}

/** The size of rows as JSON in UTF-8. */
const bytesOf = (rows: readonly StoredDraftRow[]): number =>
  rows.reduce((sum, row) => sum + Buffer.byteLength(textOf(row)), 0)

/** The marks in a draft. */
const marksOf = (row: StoredDraftRow): string[] =>
  row.kind === 'draft' ? row.draft.content.entered.secrets.map(({ value }) => value) : []

function withValues(content: DraftContent, change: (value: string) => string): DraftContent {
  const secrets = content.entered.secrets.map((secret) => ({ ...secret, value: change(secret.value) }))
  return { ...content, entered: { ...content.entered, secrets } }
}

/** The value of a secret. Drafts have a mark instead of it. */
interface SecretValue {
  readonly value: string
  /** What it was entered for (`secretsPlaceOf`); null if that isn't known. */
  readonly place: string | null
}
