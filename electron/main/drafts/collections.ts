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
  isKeptValue,
  type KeptDraft,
  newerDraftsFileSchema,
  type SecretsPlace,
} from '@contract'
import { type KeptSecret, KeptValues } from './values'

/**
 * The drafts and templates of every environment in memory. They have marks in the place of secret values (see the
 * contract); what comes in may have either.
 */
export class DraftCollections {
  readonly #environments = new Map<string, DraftCollection>()
  readonly #values = new KeptValues()
  /** The secrets of drafts that are not kept as they are, with marks; what was told last is last. */
  readonly #secretsAlone = new Map<string, SecretsAlone>()

  /** The collection of an environment, as it may leave the main process. */
  of(environmentId: string): DraftCollection {
    const known = this.#environments.get(environmentId)
    if (known) return known
    const empty: DraftCollection = { drafts: [], currentId: null, templates: [] }
    this.#environments.set(environmentId, empty)
    return empty
  }

  /**
   * Adds a draft or puts it in the place of the one with its identifier. Values in it were entered for `place`; a mark
   * stands for its value wherever it is, and changes nothing of what that was entered for. Gives the marks that stand for
   * the values now (see `SavedDraft`), and why the draft is not kept, where it is too much: then what was kept of it before
   * stays, and the new values are kept alone, for as long as Slipway runs.
   */
  save(
    environmentId: string,
    draft: KeptDraft,
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
    // A mark that stands for nothing stays what the page sends: its value is asked for again, and never sent as it is.
    const marks = draft.content.entered.secrets.map(({ value }, index) =>
      isKeptValue(value) ? value : content.entered.secrets[index]!.value,
    )
    return { marks, refused }
  }

  #put(environmentId: string, draft: KeptDraft): void {
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

  /** Content with a mark in the place of every value, and without marks of values that are not kept. */
  #marked(content: DraftContent, place: SecretsPlace | null): DraftContent {
    return withValues(content, (value, name) => {
      if (value === '') return ''
      if (isKeptValue(value)) return this.#values.find(value) ? value : ''
      return this.#values.add(name, value, place)
    })
  }

  /** Why one more draft or template, or another content of it, would be too much; null where it is not. */
  #excess(
    kind: 'drafts' | 'templates',
    environmentId: string,
    item: KeptDraft | DraftTemplate,
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

  /** The size of a draft or template with the values that its marks stand for, in bytes of JSON. */
  #sizeOf(item: KeptDraft | DraftTemplate): number {
    let size = sizes.get(item)
    if (size === undefined) {
      size = this.#bytesWithValues(item.content, item)
      sizes.set(item, size)
    }
    return size
  }

  #bytesWithValues(content: DraftContent, all: KeptDraft | DraftTemplate | DraftContent = content): number {
    const values = content.entered.secrets.map(({ value }) => this.#values.find(value)?.value ?? '')
    return values.reduce((sum, value) => sum + bytesOf(value), bytesOf(all))
  }

  /** What a mark stands for; null where that is no longer kept. */
  find(mark: string): KeptSecret | null {
    return this.#values.find(mark)
  }

  /** Everything that marks stand for. */
  secrets(): KeptSecret[] {
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

  /** Forgets everything of an environment. */
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
    }
    return JSON.stringify(file)
  }

  /** The environments that have drafts or templates. */
  environments(): string[] {
    return [...this.#environments].flatMap(([id, collection]) => (isEmpty(collection) ? [] : [id]))
  }

  /**
   * Takes in what a file holds; what is in memory already is newer and wins. Environments in `without` are left out.
   * Nothing is taken in of a file of a later version, or of one that holds something else.
   */
  takeIn(text: string, without: ReadonlySet<string>): 'taken' | 'newer' | 'unreadable' {
    const read = readFile(text)
    if (typeof read === 'string') return read
    this.#takeIn(read, without)
    return 'taken'
  }

  /**
   * Takes in what a file holds that was set aside, as `takeIn` does; nothing of it where that would be more than may be
   * kept.
   */
  takeInSetAside(text: string, without: ReadonlySet<string>): 'taken' | 'newer' | 'unreadable' | 'too-much' {
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
    return 'taken'
  }

  #takeIn(read: ReadDrafts, without: ReadonlySet<string>): void {
    this.#values.takeIn(read)
    for (const [environmentId, stored] of Object.entries(read.environments)) {
      if (without.has(environmentId)) continue
      const own = this.of(environmentId)
      // What a file of the first version has of values was entered for what is not known.
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

/** The secrets of a draft that is not kept as it is. */
interface SecretsAlone {
  environmentId: string
  content: DraftContent
  /** With the values that the marks stand for. */
  bytes: number
}

/** An identifier of a draft has no space in it. */
const aloneKey = (environmentId: string, draftId: string): string => `${draftId} ${environmentId}`

const isEmpty = ({ drafts, templates }: DraftCollection): boolean =>
  drafts.length === 0 && templates.length === 0

const oneOf = { drafts: 'draft', templates: 'template' } as const

/** Sizes that are known: what is kept is never changed in place. */
const sizes = new WeakMap<object, number>()

/** The bytes of something as JSON in UTF-8; infinitely many where it cannot be written as such. */
function bytesOf(item: KeptDraft | DraftTemplate | DraftContent | string): number {
  try {
    return Buffer.byteLength(JSON.stringify(item))
  } catch {
    // A page can send what has a circle in it, or too many levels for the stack: it would keep the file from being
    // written ever again.
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
    return first.success ? { ...first.data, values: {}, places: [] } : draftsFileSchema.parse(value)
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

/** Nothing of a draft but its secrets. */
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
