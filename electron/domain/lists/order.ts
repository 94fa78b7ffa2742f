import { readTime } from '@contract/core/time'

/** The members of a deployment that decide its place in a list. */
interface ListedItem {
  id: string
  name: string
  created_at: string | null
  updated_at: string | null
}

type Key = (item: ListedItem) => string | number | null

/** What a list may be sorted by. An item moves when a `mutable` member changes. */
const keys: { name: string; key: Key; mutable: boolean }[] = [
  { name: 'created_at', key: (item) => readTime(item.created_at), mutable: false },
  { name: 'name', key: (item) => item.name.toLowerCase(), mutable: false },
  { name: 'id', key: (item) => item.id, mutable: false },
  { name: 'updated_at', key: (item) => readTime(item.updated_at), mutable: true },
]

/**
 * Infers from a service's answers how it sorts its list: every order that no answer contradicts remains possible. The
 * interface promises no order, so nothing else is known.
 */
export class OrderEvidence {
  private readonly possible: Set<string>

  /** Continues the evidence of earlier answers, if there is any. */
  constructor(before?: OrderEvidence | null) {
    this.possible = new Set(before?.possible ?? keys.flatMap(({ name }) => [`${name} up`, `${name} down`]))
  }

  /** Takes the items of one answer into account, in their order. */
  note(items: ListedItem[]): void {
    for (const { name, key } of keys) {
      if (!this.possible.has(`${name} up`) && !this.possible.has(`${name} down`)) continue
      const values = items.map(key)
      for (let index = 1; index < values.length; index += 1) {
        const [before, after] = [values[index - 1] ?? null, values[index] ?? null]
        const isUnknown = before === null || after === null
        if (isUnknown || before > after) this.possible.delete(`${name} up`)
        if (isUnknown || before < after) this.possible.delete(`${name} down`)
      }
    }
  }

  /**
   * Compares two items by the first order that is still possible (newest first if nothing contradicts it); null if none
   * is.
   */
  comparison(): ((one: ListedItem, other: ListedItem) => number) | null {
    for (const { name, key } of keys) {
      const sign = this.possible.has(`${name} down`) ? -1 : this.possible.has(`${name} up`) ? 1 : 0
      if (sign !== 0) return (one, other) => sign * compare(key(one), key(other))
    }
    return null
  }

  /**
   * `fixed`: it may be sorted by something that never changes, so that no two deployments ever swap places. `moving`:
   * only orders by something that changes are possible. `unknown`: none is.
   */
  kind(): 'fixed' | 'moving' | 'unknown' {
    const left = keys.filter(
      ({ name }) => this.possible.has(`${name} up`) || this.possible.has(`${name} down`),
    )
    if (left.some(({ mutable }) => !mutable)) return 'fixed'
    return left.length > 0 ? 'moving' : 'unknown'
  }
}

/** Null comes before everything else. */
function compare(one: string | number | null, other: string | number | null): number {
  if (one === other) return 0
  if (one === null || other === null) return one === null ? -1 : 1
  return one < other ? -1 : 1
}
