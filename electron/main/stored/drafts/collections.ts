import {
  type DraftCollection,
  type DraftContent,
  draftLimits,
  type DraftsFile,
  draftsFileSchema,
  type DraftTemplate,
  failure,
  type Failure,
  firstDraftsFileSchema,
  isSecretMark,
  type StoredDraft,
  newerDraftsFileSchema,
  type SecretsPlace,
} from '@contract'
import { hashOfAside } from '../../files/set-aside'
import { type SecretValue, SecretValues } from './values'

/**
 * The drafts and templates of every environment, in memory, with marks instead of values of secrets (see the contract).
 * Drafts that are saved may have either.
 */
export class DraftCollections {
  readonly #environments = new Map<string, DraftCollection>()
  readonly #values = new SecretValues()
  /** The secrets, as marks, of drafts that are too large to be stored; the newest is last. */
  readonly #secretsAlone = new Map<string, SecretsAlone>()
  /** Hashes of texts that were set aside and taken in, until their files are removed. */
  readonly #takenIn = new Set<string>()

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
   * of its value. Gives the marks of the values (see `SavedDraft`). Also gives why the draft isn't stored, if it is too
   * large: then the draft from before stays, and the new values are stored alone while Slipway runs.
   */
  save(
    environmentId: string,
    draft: StoredDraft,
    isCurrent: boolean,
    place: SecretsPlace | null,
  ): { marks: string[]; refused: Failure | null } {
    const refused = this.#excess('drafts', environmentId, draft)
    const content = this.#marked(refused ? secretsOf(draft.content) : draft.content, place)
    if (refused) this.#putAlone(environmentId, draft.id, content)
    else {
      this.#put(environmentId, { ...draft, content })
      this.#dropAlone(aloneKey(environmentId, draft.id))
      if (isCurrent) this.of(environmentId).currentId = draft.id
    }
    // A mark without a stored value stays as the page sent it: the operator must enter the value again.
    const marks = draft.content.entered.secrets.map(({ value }, index) =>
      isSecretMark(value) ? value : content.entered.secrets[index]!.value,
    )
    return { marks, refused }
  }

  #put(environmentId: string, draft: StoredDraft): void {
    const collection = this.of(environmentId)
    const before = collection.drafts.find(({ id }) => id === draft.id)
    this.#values.hold(draft.content)
    if (before) this.#values.release(before.content)
    collection.drafts = replaced(collection.drafts, draft)
  }

  #putAlone(environmentId: string, draftId: string, content: DraftContent): void {
    const key = aloneKey(environmentId, draftId)
    this.#values.hold(content)
    this.#dropAlone(key)
    this.#secretsAlone.set(key, { environmentId, content, bytes: this.#bytesWithValues(content) })
    let total = [...this.#secretsAlone.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    for (const [oldest, { bytes }] of this.#secretsAlone) {
      if (total <= draftLimits.secretsAloneBytes) break
      this.#dropAlone(oldest)
      total -= bytes
    }
  }

  #dropAlone(key: string): void {
    const alone = this.#secretsAlone.get(key)
    this.#secretsAlone.delete(key)
    if (alone) this.#values.release(alone.content)
  }

  /** Content with a mark instead of every value, and without marks of values that aren't stored. */
  #marked(content: DraftContent, place: SecretsPlace | null): DraftContent {
    return withValues(content, (value, name) => {
      if (value === '') return ''
      if (isSecretMark(value)) return this.#values.find(value) ? value : ''
      return this.#values.add(name, value, place)
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
      size = this.#bytesWithValues(item.content, item)
      sizes.set(item, size)
    }
    return size
  }

  #bytesWithValues(content: DraftContent, all: StoredDraft | DraftTemplate | DraftContent = content): number {
    const values = content.entered.secrets.map(({ value }) => this.#values.find(value)?.value ?? '')
    return values.reduce((sum, value) => sum + bytesOf(value), bytesOf(all))
  }

  /** The value of a mark; null if it is no longer stored. */
  find(mark: string): SecretValue | null {
    return this.#values.find(mark)
  }

  /** All stored values. */
  secrets(): SecretValue[] {
    return this.#values.all()
  }

  remove(environmentId: string, draftId: string): void {
    const collection = this.of(environmentId)
    for (const { id, content } of collection.drafts) if (id === draftId) this.#values.release(content)
    collection.drafts = collection.drafts.filter(({ id }) => id !== draftId)
    this.#dropAlone(aloneKey(environmentId, draftId))
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
    for (const { content } of this.#environments.get(environmentId)?.drafts ?? [])
      this.#values.release(content)
    this.#environments.delete(environmentId)
    for (const [key, alone] of this.#secretsAlone) {
      if (alone.environmentId === environmentId) this.#dropAlone(key)
    }
  }

  /** The content of the file. */
  toText(): string {
    const environments = [...this.#environments].filter(([, collection]) => !isEmpty(collection))
    const drafts = environments.flatMap(([, collection]) => collection.drafts.map(({ content }) => content))
    const file: DraftsFile = {
      version: 2,
      environments: Object.fromEntries(environments),
      ...this.#values.toFile(drafts),
      takenIn: [...this.#takenIn],
    }
    return JSON.stringify(file)
  }

  /** The environments that have drafts or templates. */
  environments(): string[] {
    return [...this.#environments].flatMap(([id, collection]) => (isEmpty(collection) ? [] : [id]))
  }

  /**
   * Adds the content of a file. What is in memory is newer and wins. Leaves out the environments in `without`. Adds
   * nothing from a file of a later version, or from one that isn't Slipway's.
   */
  takeIn(text: string, without: ReadonlySet<string>): 'taken' | 'newer' | 'unreadable' {
    const read = readFile(text)
    if (typeof read === 'string') return read
    this.#takeIn(read, without)
    return 'taken'
  }

  /**
   * Adds a file that was set aside, like `takeIn`; nothing of it if that would exceed the limits. One that was added
   * before isn't again.
   */
  takeInSetAside(
    text: string,
    without: ReadonlySet<string>,
  ): 'taken' | 'taken-before' | 'newer' | 'unreadable' | 'too-much' {
    const hash = hashOfAside(text)
    if (this.#takenIn.has(hash)) return 'taken-before'
    const read = readFile(text)
    if (typeof read === 'string') return read
    if (Buffer.byteLength(this.toText()) + Buffer.byteLength(text) > draftLimits.allBytes) return 'too-much'
    for (const [environmentId, stored] of Object.entries(read.environments)) {
      const own = this.of(environmentId)
      for (const kind of ['drafts', 'templates'] as const) {
        const added = stored[kind].filter(isNotIn(own[kind])).length
        if (own[kind].length + added > draftLimits[kind]) return 'too-much'
      }
    }
    this.#takeIn(read, without)
    this.#takenIn.add(hash)
    return 'taken'
  }

  /** Forgets that a text that was set aside was added, once its file is removed. */
  noteRemoved(text: string): void {
    this.#takenIn.delete(hashOfAside(text))
  }

  #takeIn(read: ReadDrafts, without: ReadonlySet<string>): void {
    for (const hash of read.takenIn) this.#takenIn.add(hash)
    this.#values.takeIn(read)
    for (const [environmentId, stored] of Object.entries(read.environments)) {
      if (without.has(environmentId)) continue
      const own = this.of(environmentId)
      // A file of the first version doesn't say what values were entered for.
      const drafts = stored.drafts
        .filter(isNotIn(own.drafts))
        .map((draft) => ({ ...draft, content: this.#marked(draft.content, null) }))
      for (const { content } of drafts) this.#values.hold(content)
      own.drafts = [...drafts, ...own.drafts]
      own.templates = [...stored.templates.filter(isNotIn(own.templates)), ...own.templates]
      own.currentId ??= stored.currentId
    }
    this.#values.forgetUnused()
  }
}

/** The secrets of a draft that is too large to be stored. */
interface SecretsAlone {
  environmentId: string
  content: DraftContent
  /** With the values instead of marks. */
  bytes: number
}

/** The identifier of a draft contains no space. */
const aloneKey = (environmentId: string, draftId: string): string => `${draftId} ${environmentId}`

const isEmpty = ({ drafts, templates }: DraftCollection): boolean =>
  drafts.length === 0 && templates.length === 0

const oneOf = { drafts: 'draft', templates: 'template' } as const

/** Known sizes: stored items are never changed in place. */
const sizes = new WeakMap<object, number>()

/** The size of an item as JSON in UTF-8; infinite if it can't be written as JSON. */
function bytesOf(item: StoredDraft | DraftTemplate | DraftContent | string): number {
  try {
    return Buffer.byteLength(JSON.stringify(item))
  } catch {
    // A page can send circular data, or too many levels for the stack. Then the file could never be written again.
    return Infinity
  }
}

const tooMuch = (message: string, what: string): Failure =>
  failure('invalid-input', message, {
    advice: `${what}. Until then, the latest changes are kept only until Slipway closes.`,
  })

type ReadDrafts = Omit<DraftsFile, 'version'>

function readFile(text: string): ReadDrafts | 'newer' | 'unreadable' {
  try {
    const value: unknown = JSON.parse(text)
    if (newerDraftsFileSchema.safeParse(value).success) return 'newer'
    const first = firstDraftsFileSchema.safeParse(value)
    return first.success
      ? { ...first.data, values: {}, places: [], takenIn: [] }
      : draftsFileSchema.parse(value)
  } catch {
    return 'unreadable'
  }
}

const isNotIn =
  (others: readonly { id: string }[]) =>
  ({ id }: { id: string }): boolean =>
    !others.some((other) => other.id === id)

function replaced<Item extends { id: string }>(items: readonly Item[], item: Item): Item[] {
  return isNotIn(items)(item) ? [...items, item] : items.map((other) => (other.id === item.id ? item : other))
}

/** Only the secrets of a draft. */
function secretsOf({ entered }: DraftContent): DraftContent {
  return { entered: { name: '', secrets: entered.secrets.map(({ name, value }) => ({ name, value })) } }
}

function withValues(content: DraftContent, change: (value: string, name: string) => string): DraftContent {
  const secrets = content.entered.secrets.map((secret) => ({
    ...secret,
    value: change(secret.value, secret.name),
  }))
  return { ...content, entered: { ...content.entered, secrets } }
}
