import type { WrittenItem } from '@contract/cache'

type Key = (item: WrittenItem) => string | number | null

const time = (text: string | null): number | null => {
  const parsed = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(parsed) ? null : parsed
}

/** What a list may be sorted by. Values of `mutable` members change, and then an item moves. */
const keys: { name: string; key: Key; mutable: boolean }[] = [
  { name: 'created_at', key: (item) => time(item.created_at), mutable: false },
  { name: 'name', key: (item) => item.name.toLowerCase(), mutable: false },
  { name: 'id', key: (item) => item.id, mutable: false },
  { name: 'updated_at', key: (item) => time(item.updated_at), mutable: true },
]

/**
 * Finds out how a service sorts its list. Every order that no answer contradicts remains possible. The interface
 * promises none, so there is no other evidence.
 */
export class OrderEvidence {
  private readonly possible: Set<string>

  /** `possible` continues the evidence of an earlier start. */
  constructor(possible?: string[]) {
    this.possible = new Set(possible ?? keys.flatMap(({ name }) => [`${name} up`, `${name} down`]))
  }

  /** Evaluates the items of one answer, in their order. */
  note(items: WrittenItem[]): void {
    for (const { name, key } of keys) {
      if (!this.possible.has(`${name} up`) && !this.possible.has(`${name} down`)) continue
      for (let index = 1; index < items.length; index += 1) {
        const before = key(items[index - 1] as WrittenItem)
        const after = key(items[index] as WrittenItem)
        if (before === null || after === null) {
          this.possible.delete(`${name} up`)
          this.possible.delete(`${name} down`)
        } else if (before > after) this.possible.delete(`${name} up`)
        else if (before < after) this.possible.delete(`${name} down`)
      }
    }
  }

  /** The orders that are still possible. */
  remaining(): string[] {
    return [...this.possible]
  }

  /**
   * `fixed`: sorted by something that never changes, so two deployments never change places. `moving`: by the time of
   * change. `unknown`: by neither.
   */
  kind(): 'fixed' | 'moving' | 'unknown' {
    const left = keys.filter(
      ({ name }) => this.possible.has(`${name} up`) || this.possible.has(`${name} down`),
    )
    if (left.some(({ mutable }) => !mutable)) return 'fixed'
    return left.length > 0 ? 'moving' : 'unknown'
  }
}

/** Whether the items that two passes have in common came in the same order in both. */
export function agree(one: Iterable<string>, other: Iterable<string>): boolean {
  const places = new Map<string, number>()
  let place = 0
  for (const id of one) places.set(id, place++)
  let last = -1
  for (const id of other) {
    const at = places.get(id)
    if (at === undefined) continue
    if (at < last) return false
    last = at
  }
  return true
}
