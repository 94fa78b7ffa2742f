import { randomUUID } from 'node:crypto'
import {
  type DraftCollection,
  type DraftContent,
  draftLimits,
  draftsFileSchema,
  type DraftTemplate,
  failure,
  type Failure,
  keptIdOf,
  keptValue,
  type KeptDraft,
  newerDraftsFileSchema,
} from '@contract'

/** A secret value that stays in the main process, and which drafts stand for it. */
type Values = Map<string, string>

/**
 * The drafts and templates of every environment in memory, with the values of their secrets. What goes out has marks in
 * the place of values, what comes in may have them (see the contract).
 */
export class DraftCollections {
  readonly #environments = new Map<string, DraftCollection>()
  readonly #values: Values = new Map()

  of(environmentId: string): DraftCollection {
    const known = this.#environments.get(environmentId)
    if (known) return known
    const empty: DraftCollection = { drafts: [], currentId: null, templates: [] }
    this.#environments.set(environmentId, empty)
    return empty
  }

  /** The collection of an environment as it may leave the main process. */
  shown(environmentId: string): DraftCollection {
    const { drafts, currentId, templates } = this.of(environmentId)
    const marks = new Map([...this.#values].map(([id, value]) => [value, keptValue(id)]))
    return {
      drafts: drafts.map((draft) => ({
        ...draft,
        content: withValues(draft.content, (value) => (value === '' ? '' : this.#markOf(value, marks))),
      })),
      currentId,
      templates,
    }
  }

  #markOf(value: string, marks: Map<string, string>): string {
    const known = marks.get(value)
    if (known !== undefined) return known
    const id = randomUUID()
    this.#values.set(id, value)
    marks.set(value, keptValue(id))
    return keptValue(id)
  }

  /**
   * Adds a draft or puts it in the place of the one with its identifier. Gives why it cannot be kept: then all is as it
   * was before.
   */
  save(environmentId: string, draft: KeptDraft, isCurrent: boolean): Failure | null {
    const refused = this.#excess('drafts', environmentId, draft)
    if (refused) return refused
    const collection = this.of(environmentId)
    const content = withValues(draft.content, (value) => this.valueOf(value) ?? '')
    collection.drafts = replaced(collection.drafts, { ...draft, content })
    if (isCurrent) collection.currentId = draft.id
    return null
  }

  /** Why one more draft or template, or another content of it, would be too much; null where it is not. */
  #excess(
    kind: 'drafts' | 'templates',
    environmentId: string,
    item: KeptDraft | DraftTemplate,
  ): Failure | null {
    const size = sizeOf(item)
    if (size > draftLimits.characters)
      return tooMuch(`This ${oneOf[kind]} is too large to be kept.`, 'Shorten it')
    const own = this.#environments.get(environmentId)?.[kind] ?? []
    const before = own.find(({ id }) => id === item.id)
    if (!before && own.length >= draftLimits[kind]) {
      return tooMuch(`This environment has ${own.length} ${kind} already.`, `Discard some of its ${kind}`)
    }
    const all = [...this.#environments.values()].flatMap(({ drafts, templates }) => [...drafts, ...templates])
    const others = all.reduce((sum, other) => (other === before ? sum : sum + sizeOf(other)), 0)
    return others + size > draftLimits.allCharacters
      ? tooMuch('The drafts and templates take too much room.', 'Discard some of them')
      : null
  }

  /** The value that a mark stands for, or the value itself; null for a mark whose value is not kept any more. */
  valueOf(value: string): string | null {
    const id = keptIdOf(value)
    return id === null ? value : (this.#values.get(id) ?? null)
  }

  remove(environmentId: string, draftId: string): void {
    const collection = this.of(environmentId)
    collection.drafts = collection.drafts.filter(({ id }) => id !== draftId)
    if (collection.currentId === draftId) collection.currentId = collection.drafts.at(-1)?.id ?? null
    this.#forgetValues()
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
    this.#environments.delete(environmentId)
    this.#forgetValues()
  }

  /** Values that no draft has any more are forgotten. */
  #forgetValues(): void {
    const used = new Set(
      [...this.#environments.values()].flatMap(({ drafts }) =>
        drafts.flatMap(({ content }) => content.entered.secrets.map(({ value }) => value)),
      ),
    )
    for (const [id, value] of this.#values) if (!used.has(value)) this.#values.delete(id)
  }

  /** The content of the file. */
  toText(): string {
    const environments = [...this.#environments].filter(
      ([, { drafts, templates }]) => drafts.length > 0 || templates.length > 0,
    )
    return JSON.stringify({ version: 1, environments: Object.fromEntries(environments) })
  }

  /**
   * Takes in what a file holds; what is in memory already is newer and wins. Environments in `without` are left out.
   * Nothing is taken in of a file of a later version, or of one that holds something else.
   */
  takeIn(text: string, without: ReadonlySet<string>): 'taken' | 'newer' | 'unreadable' {
    const read = readFile(text)
    if (typeof read === 'string') return read
    for (const [environmentId, stored] of Object.entries(read)) {
      if (without.has(environmentId)) continue
      const own = this.of(environmentId)
      own.drafts = [...stored.drafts.filter(isNotIn(own.drafts)), ...own.drafts]
      own.templates = [...stored.templates.filter(isNotIn(own.templates)), ...own.templates]
      own.currentId ??= stored.currentId
    }
    return 'taken'
  }
}

const oneOf = { drafts: 'draft', templates: 'template' } as const

/** Sizes that are known: what is kept is never changed in place. */
const sizes = new WeakMap<object, number>()

/** The characters of a draft or template as JSON; infinitely many where it cannot be written as such. */
function sizeOf(item: KeptDraft | DraftTemplate): number {
  let size = sizes.get(item)
  if (size === undefined) {
    try {
      size = JSON.stringify(item).length
    } catch {
      // A page can send what has a circle in it, or too many levels for the stack: it would keep the file from being
      // written ever again.
      size = Infinity
    }
    sizes.set(item, size)
  }
  return size
}

const tooMuch = (message: string, what: string): Failure =>
  failure('invalid-input', message, {
    advice: `${what}; until then, the latest changes are kept only until Slipway is closed.`,
  })

function readFile(text: string): Record<string, DraftCollection> | 'newer' | 'unreadable' {
  try {
    const value: unknown = JSON.parse(text)
    if (newerDraftsFileSchema.safeParse(value).success) return 'newer'
    return draftsFileSchema.parse(value).environments
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

function withValues(content: DraftContent, change: (value: string) => string): DraftContent {
  const secrets = content.entered.secrets.map((secret) => ({ ...secret, value: change(secret.value) }))
  return { ...content, entered: { ...content.entered, secrets } }
}
