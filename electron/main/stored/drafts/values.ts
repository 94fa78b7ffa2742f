import { randomUUID } from 'node:crypto'
import { type DraftContent, idOfMark, secretMark, type SecretsPlace } from '@contract'

/** The value of a secret. Drafts have a mark instead of it. */
export interface SecretValue {
  readonly value: string
  /** The name of the secret when it was entered. */
  readonly name: string
  /** The places it was entered for, and those that the operator has consented to since; empty if that isn't known. */
  readonly places: SecretsPlace[]
  /** The places that the operator declined to send it to. They are asked once. */
  readonly declined: SecretsPlace[]
}

type StoredValue = Pick<SecretValue, 'value' | 'name' | 'places'>

/** The secret values of all drafts. A value is forgotten with the last draft that has its mark. */
export class SecretValues {
  readonly #values = new Map<string, SecretValue & { uses: number }>()

  /**
   * Stores a value that was entered and gives its mark. Every value gets a new mark, even if an equal one is stored, so
   * marks don't tell whether values are equal.
   */
  add(name: string, value: string, place: SecretsPlace | null): string {
    const id = randomUUID()
    this.#values.set(id, { value, name, places: place ? [place] : [], declined: [], uses: 0 })
    return secretMark(id)
  }

  /** The value of a mark; null if it isn't stored, or the text isn't a mark. */
  find(mark: string): SecretValue | null {
    const id = idOfMark(mark)
    return id === null ? null : (this.#values.get(id) ?? null)
  }

  /** All stored values. */
  all(): SecretValue[] {
    return [...this.#values.values()]
  }

  /** Counts the marks of a draft as uses of their values. */
  hold(content: DraftContent): void {
    for (const { value } of content.entered.secrets) {
      const stored = this.#values.get(idOfMark(value) ?? '')
      if (stored) stored.uses += 1
    }
  }

  /** Removes the marks of a draft from the uses, and forgets unused values. */
  release(content: DraftContent): void {
    for (const { value } of content.entered.secrets) {
      const id = idOfMark(value) ?? ''
      const stored = this.#values.get(id)
      if (!stored) continue
      stored.uses -= 1
      if (stored.uses === 0) this.#values.delete(id)
    }
  }

  /** The values of drafts, each once. */
  of(drafts: readonly DraftContent[]): (StoredValue & { id: string })[] {
    const marks = drafts.flatMap(({ entered }) => entered.secrets.map(({ value }) => value))
    return [...new Set(marks)].flatMap((mark) => {
      const [id, stored] = [idOfMark(mark), this.find(mark)]
      return id === null || stored === null ? [] : [{ id, ...stored }]
    })
  }

  /** Adds a value that was stored. Call `forgetUnused` once the marks of drafts are counted. */
  takeIn({ id, value, name, places }: StoredValue & { id: string }): void {
    if (!this.#values.has(id)) this.#values.set(id, { value, name, places, declined: [], uses: 0 })
  }

  /** Forgets the values without marks. */
  forgetUnused(): void {
    for (const [id, { uses }] of this.#values) if (uses === 0) this.#values.delete(id)
  }
}
