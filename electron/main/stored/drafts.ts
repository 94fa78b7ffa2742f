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

    /** Fails with `invalid-input` beyond the contract's limits, and keeps the draft from before. */
    save(environmentId: string, draft: StoredDraft, isCurrent: boolean): Outcome<DraftsPersistence> {
      const refused = collections.save(environmentId, draft, isCurrent, placeOf(environmentId))
      return refused ? fail(refused) : succeed(noteChange())
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

/**
 * The drafts and templates of every environment, in memory, with marks instead of values of secrets (see the contract).
 * Drafts that are saved may have either.
 */
class DraftCollections {
  readonly #environments = new Map<string, DraftCollection>()
  /** The values of secrets, by the identifiers of their marks. One is forgotten with the last draft that has its mark. */
  readonly #values = new Map<string, SecretValue>()

  /** The drafts and templates of an environment, as the page may have them. */
  of(environmentId: string): DraftCollection {
    const known = this.#environments.get(environmentId)
    if (known) return known
    const empty: DraftCollection = { drafts: [], currentId: null, templates: [] }
    this.#environments.set(environmentId, empty)
    return empty
  }

  /**
   * Adds a draft, or replaces the one with its identifier. Its values were entered for `place`; a mark keeps the place
   * of its value. Gives why the draft isn't stored, if it is too large: then the draft from before stays.
   */
  save(environmentId: string, draft: StoredDraft, isCurrent: boolean, place: string | null): Failure | null {
    const refused = this.#excess('drafts', environmentId, draft)
    if (refused) return refused
    const collection = this.of(environmentId)
    const content = this.#marked(draft.content, place)
    collection.drafts = replaced(collection.drafts, { ...draft, content })
    if (isCurrent) collection.currentId = draft.id
    this.#forgetUnused()
    return null
  }

  /** Forgets the values whose marks no draft has. */
  #forgetUnused(): void {
    const drafts = [...this.#environments.values()].flatMap((one) => one.drafts.map(({ content }) => content))
    const marks = new Set(drafts.flatMap(valuesOf))
    for (const id of this.#values.keys()) if (!marks.has(secretMark(id))) this.#values.delete(id)
  }

  /** Content with a mark instead of every value, and without marks of values that aren't stored. */
  #marked(content: DraftContent, place: string | null): DraftContent {
    return withValues(content, (value) => {
      if (value === '') return ''
      if (isSecretMark(value)) return this.find(value) ? value : ''
      // A new mark even for an equal value, so that marks don't tell whether values are equal.
      const id = randomUUID()
      this.#values.set(id, { value, place })
      return secretMark(id)
    })
  }

  /** Why a new or changed draft or template exceeds the limits; null if it doesn't. */
  #excess(
    kind: 'drafts' | 'templates',
    environmentId: string,
    item: StoredDraft | DraftTemplate,
  ): Failure | null {
    const size = this.#sizeOf(item)
    if (size > draftLimits.bytes) return tooMuch(`This ${oneOf[kind]} is too large to save.`, 'Shorten it')
    const own = this.#environments.get(environmentId)?.[kind] ?? []
    const before = own.find(({ id }) => id === item.id)
    if (!before && own.length >= draftLimits[kind]) {
      return tooMuch(`This environment has ${own.length} ${kind} already.`, `Discard some of its ${kind}`)
    }
    const all = [...this.#environments.values()].flatMap(({ drafts, templates }) => [...drafts, ...templates])
    const others = all.reduce((sum, other) => (other === before ? sum : sum + this.#sizeOf(other)), 0)
    return others + size > draftLimits.allBytes
      ? tooMuch('The drafts and templates take up too much space.', 'Discard some of them')
      : null
  }

  /** The size of a draft or template with the values of its marks, in bytes of JSON. */
  #sizeOf(item: StoredDraft | DraftTemplate): number {
    let size = sizes.get(item)
    if (size === undefined) {
      const values = valuesOf(item.content).map((value) => this.find(value)?.value ?? '')
      size = values.reduce((sum, value) => sum + bytesOf(value), bytesOf(item))
      sizes.set(item, size)
    }
    return size
  }

  /** The value of a mark; null if it isn't stored, or the text isn't a mark. */
  find(mark: string): SecretValue | null {
    return this.#values.get(idOfMark(mark) ?? '') ?? null
  }

  remove(environmentId: string, draftId: string): void {
    const collection = this.of(environmentId)
    collection.drafts = collection.drafts.filter(({ id }) => id !== draftId)
    this.#forgetUnused()
    if (collection.currentId === draftId) collection.currentId = collection.drafts.at(-1)?.id ?? null
  }

  /** Adds a template or replaces it, as `save` does; a template never has values of secrets. */
  saveTemplate(environmentId: string, template: DraftTemplate): Failure | null {
    const refused = this.#excess('templates', environmentId, template)
    if (refused) return refused
    const collection = this.of(environmentId)
    const content = withValues(template.content, () => '')
    collection.templates = replaced(collection.templates, { ...template, content })
    return null
  }

  removeTemplate(environmentId: string, templateId: string): void {
    const collection = this.of(environmentId)
    collection.templates = collection.templates.filter(({ id }) => id !== templateId)
  }

  /** Forgets all data of an environment. */
  forget(environmentId: string): void {
    this.#environments.delete(environmentId)
    this.#forgetUnused()
  }

  /** The rows of the table: one for each draft, template and value, and for each environment's last draft. */
  toRows(): Map<string, string> {
    const rows = new Map<string, string>()
    const put = (id: string, row: StoredDraftRow): Map<string, string> => rows.set(id, textOf(row))
    for (const [environmentId, { drafts, templates, currentId }] of this.#environments) {
      for (const draft of drafts)
        put(`draft ${draft.id} ${environmentId}`, { kind: 'draft', environmentId, draft })
      for (const template of templates)
        put(`template ${template.id} ${environmentId}`, { kind: 'template', environmentId, template })
      if (currentId !== null) put(`current ${environmentId}`, { kind: 'current', environmentId, currentId })
      for (const mark of drafts.flatMap(({ content }) => valuesOf(content))) {
        const [id, stored] = [idOfMark(mark), this.find(mark)]
        if (id !== null && stored) put(`value ${id}`, { kind: 'value', id, ...stored })
      }
    }
    return rows
  }

  /**
   * Adds what the table has. What is in memory is newer and wins. Leaves out the environments in `without`.
   */
  takeIn(stored: readonly StateRow[], without: ReadonlySet<string>): void {
    const found = new Map<string, DraftCollection>()
    for (const [, text] of stored) {
      const row = JSON.parse(text) as StoredDraftRow
      if (row.kind === 'value') {
        if (!this.#values.has(row.id)) this.#values.set(row.id, { value: row.value, place: row.place })
        continue
      }
      const one = found.get(row.environmentId) ?? { drafts: [], currentId: null, templates: [] }
      found.set(row.environmentId, one)
      if (row.kind === 'draft') one.drafts.push(row.draft)
      else if (row.kind === 'template') one.templates.push(row.template)
      else one.currentId = row.currentId
    }
    for (const [environmentId, one] of found) {
      if (without.has(environmentId)) continue
      const own = this.of(environmentId)
      own.drafts = [...one.drafts.filter(isNotIn(own.drafts)), ...own.drafts]
      own.templates = [...one.templates.filter(isNotIn(own.templates)), ...own.templates]
      own.currentId ??= one.currentId
    }
    this.#forgetUnused()
  }
}

const oneOf = { drafts: 'draft', templates: 'template' } as const

/** Known sizes: stored items are never changed in place. */
const sizes = new WeakMap<object, number>()

/** The size of an item as JSON in UTF-8. */
const bytesOf = (item: StoredDraft | DraftTemplate | string): number =>
  Buffer.byteLength(JSON.stringify(item))

const tooMuch = (message: string, what: string): Failure =>
  failure('invalid-input', message, {
    advice: `${what}. Until then, the latest changes are kept only until Slipway closes.`,
  })

/** Known texts of rows with a draft or a template, which are never changed in place. */
const texts = new WeakMap<object, string>()

function textOf(row: StoredDraftRow): string {
  const item = row.kind === 'draft' ? row.draft : row.kind === 'template' ? row.template : null
  const text = (item && texts.get(item)) ?? JSON.stringify(row)
  if (item) texts.set(item, text)
  return text
}

const isNotIn =
  (others: readonly { id: string }[]) =>
  ({ id }: { id: string }): boolean =>
    !others.some((other) => other.id === id)

function replaced<Item extends { id: string }>(items: readonly Item[], item: Item): Item[] {
  return isNotIn(items)(item) ? [...items, item] : items.map((other) => (other.id === item.id ? item : other))
}

/** The values of a draft's secrets, or their marks. */
const valuesOf = ({ entered }: DraftContent): string[] => entered.secrets.map(({ value }) => value)

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
