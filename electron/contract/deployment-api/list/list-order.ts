/** What is needed of a deployment to tell where it stands in a list. */
interface ListedItem {
  id: string
  name: string
  created_at: string | null
  updated_at: string | null
}

type Key = (item: ListedItem) => string | number | null

const time = (text: string | null): number | null => {
  const parsed = text === null ? Number.NaN : Date.parse(text)
  return Number.isNaN(parsed) ? null : parsed
}

/** What a list may be sorted by. `mutable` members change, and an item then moves. */
const keys: { name: string; key: Key; mutable: boolean }[] = [
  { name: 'created_at', key: (item) => time(item.created_at), mutable: false },
  { name: 'name', key: (item) => item.name.toLowerCase(), mutable: false },
  { name: 'id', key: (item) => item.id, mutable: false },
  { name: 'updated_at', key: (item) => time(item.updated_at), mutable: true },
]

/**
 * Finds out by what a service sorts its list, from its answers: every order that no answer contradicts remains
 * possible. The interface promises none, so this is all there is to know.
 */
export class OrderEvidence {
  private readonly possible: Set<string>

  /** `possible` continues the evidence of an earlier start. */
  constructor(possible?: string[]) {
    this.possible = new Set(possible ?? keys.flatMap(({ name }) => [`${name} up`, `${name} down`]))
  }

  /** Takes the items of one answer into account, in the order in which they came. */
  note(items: ListedItem[]): void {
    for (const { name, key } of keys) {
      if (!this.possible.has(`${name} up`) && !this.possible.has(`${name} down`)) continue
      for (let index = 1; index < items.length; index += 1) {
        const before = key(items[index - 1] as ListedItem)
        const after = key(items[index] as ListedItem)
        if (before === null || after === null) {
          this.possible.delete(`${name} up`)
          this.possible.delete(`${name} down`)
        } else if (before > after) this.possible.delete(`${name} up`)
        else if (before < after) this.possible.delete(`${name} down`)
      }
    }
  }

  /** The orders that are possible still. */
  remaining(): string[] {
    return [...this.possible]
  }

  /**
   * Compares two items by the first order that is possible still, the newest first if nothing says otherwise; null if
   * none is.
   */
  comparison(): ((one: ListedItem, other: ListedItem) => number) | null {
    for (const { name, key } of keys) {
      const sign = this.possible.has(`${name} down`) ? -1 : this.possible.has(`${name} up`) ? 1 : 0
      if (sign !== 0) return (one, other) => sign * compare(key(one), key(other))
    }
    return null
  }

  /**
   * `fixed`: sorted by something that never changes, so that no two deployments ever change places. `moving`: by the
   * time of change. `unknown`: by neither.
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
