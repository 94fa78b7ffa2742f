import { randomUUID } from 'node:crypto'
import { type DraftContent, type DraftsFile, keptIdOf, keptValue, type SecretsPlace } from '@contract'

/** The value of a secret, for which a mark stands in drafts. */
export interface KeptSecret {
  readonly value: string
  /** The name that it was entered with. */
  readonly name: string
  /** What it was entered for, and what the user has agreed to since; empty where that is not known. */
  readonly places: SecretsPlace[]
  /** Where the user does not want it to be sent: they are asked once. */
  readonly declined: SecretsPlace[]
}

/** The values of the secrets of all drafts. A value is forgotten with the last draft that has its mark. */
export class KeptValues {
  readonly #values = new Map<string, KeptSecret & { uses: number }>()

  /**
   * Keeps a value that was entered; gives its mark. Every value gets a new one, also where an equal one is kept: nobody
   * learns from marks whether values are equal.
   */
  add(name: string, value: string, place: SecretsPlace | null): string {
    const id = randomUUID()
    this.#values.set(id, { value, name, places: place ? [place] : [], declined: [], uses: 0 })
    return keptValue(id)
  }

  /** What a mark stands for; null where it is not kept, or the text is no mark. */
  find(mark: string): KeptSecret | null {
    const id = keptIdOf(mark)
    return id === null ? null : (this.#values.get(id) ?? null)
  }

  /** Every value that is kept. */
  all(): KeptSecret[] {
    return [...this.#values.values()]
  }

  /** Notes that a draft has these marks. */
  hold(content: DraftContent): void {
    for (const { value } of content.entered.secrets) {
      const kept = this.#values.get(keptIdOf(value) ?? '')
      if (kept) kept.uses += 1
    }
  }

  /** Notes that a draft no longer has these marks. */
  release(content: DraftContent): void {
    for (const { value } of content.entered.secrets) {
      const id = keptIdOf(value) ?? ''
      const kept = this.#values.get(id)
      if (!kept) continue
      kept.uses -= 1
      if (kept.uses === 0) this.#values.delete(id)
    }
  }

  /** What the file has of the values of its drafts; each place once, since certificates and scripts are large. */
  toFile(drafts: readonly DraftContent[]): Pick<DraftsFile, 'values' | 'places'> {
    const marks = drafts.flatMap(({ entered }) => entered.secrets.map(({ value }) => value))
    const used = new Set(marks.flatMap((mark) => keptIdOf(mark) ?? []))
    const places: SecretsPlace[] = []
    const byObject = new Map<SecretsPlace, number>()
    const byText = new Map<string, number>()
    const indexOf = (place: SecretsPlace): number => {
      const known = byObject.get(place)
      if (known !== undefined) return known
      const text = JSON.stringify(place)
      const index = byText.get(text) ?? places.push(place) - 1
      byObject.set(place, index)
      byText.set(text, index)
      return index
    }
    const values = [...this.#values]
      .filter(([id]) => used.has(id))
      .map(([id, { value, name, places: own }]) => [id, { value, name, places: own.map(indexOf) }] as const)
    return { values: Object.fromEntries(values), places }
  }

  /** Takes in the values that a file has; call `forgetUnused` once drafts hold theirs. */
  takeIn({ values, places }: Pick<DraftsFile, 'values' | 'places'>): void {
    for (const [id, { value, name, places: own }] of Object.entries(values)) {
      if (this.#values.has(id)) continue
      const known = own.flatMap((index) => places[index] ?? [])
      this.#values.set(id, { value, name, places: known, declined: [], uses: 0 })
    }
  }

  /** Forgets the values that no draft has. */
  forgetUnused(): void {
    for (const [id, { uses }] of this.#values) if (uses === 0) this.#values.delete(id)
  }
}
