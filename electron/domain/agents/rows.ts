import { keysDiffer } from './version'

/** A deployment as the rows of the board need it: its place in a cache, and its version as `versionKey` made it. */
export type Member = readonly [place: number, version: string]

/** The deployments of an agent in one environment, and whether one of them matches the search. */
export interface Entry {
  agent: string
  matches: boolean
  members: readonly Member[]
}

/** The data with which an environment's column is built. */
export interface ColumnOfRows {
  /** Whether the cache is complete, so that a deployment without an entry is missing. */
  isComplete: boolean
  /** The deployments that the operator assigned to an agent by hand, by their place. */
  assigned: ReadonlyMap<number, string>
  /** Those deployments as entries of their agents, in the order of keys. */
  assignedEntries: readonly Entry[]
}

/** An agent's row: which deployments each column has of it, by the column's index. */
export interface AgentRow {
  agent: string
  matches: boolean
  members: ReadonlyMap<number, readonly Member[]>
  /** Whether versions of its deployments differ. */
  versionsDiffer: boolean
  /** Whether an environment that is completely known has no deployment of it. */
  isMissing: boolean
}

export type RowMerger = ReturnType<typeof createRowMerger>

/**
 * Merges entries of several environments, each in the order of keys, into rows in that order. What the operator assigned
 * always takes precedence.
 */
export function createRowMerger(columns: readonly ColumnOfRows[]) {
  const queues = columns.map((column) => ({
    column,
    entries: [] as Entry[],
    at: 0,
    isLast: false,
    assignedAt: 0,
  }))

  const headOf = (queue: (typeof queues)[number]): string | undefined => {
    const inferred = queue.entries[queue.at]?.agent
    const assigned = queue.column.assignedEntries[queue.assignedAt]?.agent
    if (inferred === undefined || assigned === undefined) return inferred ?? assigned
    return assigned < inferred ? assigned : inferred
  }

  const wanted = (): number[] =>
    queues.flatMap(({ entries, at, isLast }, index) => (!isLast && at >= entries.length ? [index] : []))

  function next(): AgentRow | null {
    let agent: string | undefined
    for (const queue of queues) {
      const head = headOf(queue)
      if (head !== undefined && (agent === undefined || head < agent)) agent = head
    }
    if (agent === undefined) return null
    let matches = false
    const members = new Map<number, Member[]>()
    for (const [index, queue] of queues.entries()) {
      const found: Member[] = []
      const inferred = queue.entries[queue.at]
      if (inferred?.agent === agent) {
        queue.at += 1
        const { assigned } = queue.column
        const own =
          assigned.size === 0 ? inferred.members : inferred.members.filter(([place]) => !assigned.has(place))
        found.push(...own)
        matches ||= own.length > 0 && inferred.matches
      }
      const assigned = queue.column.assignedEntries[queue.assignedAt]
      if (assigned?.agent === agent) {
        queue.assignedAt += 1
        found.push(...assigned.members)
        matches ||= assigned.matches
      }
      if (found.length > 0) members.set(index, found)
    }
    return {
      agent,
      matches,
      members,
      versionsDiffer: keysDiffer(members.values()),
      isMissing: columns.some(({ isComplete }, index) => isComplete && !members.has(index)),
    }
  }

  return {
    /** Adds the next entries of a column; `isLast` if there are no more. */
    add(column: number, entries: readonly Entry[], isLast: boolean): void {
      const queue = queues[column]
      if (!queue) return
      queue.entries = [...queue.entries.slice(queue.at), ...entries]
      queue.at = 0
      queue.isLast = isLast
    },
    /** The columns that need more entries before the next row is known. */
    wanted,
    /** The columns that can get more entries. */
    unfinished: (): number[] => queues.flatMap(({ isLast }, index) => (isLast ? [] : [index])),
    /** The last agent that was added for a column; null if there is none. */
    lastKey: (column: number): string | null => queues[column]?.entries.at(-1)?.agent ?? null,
    /** The next complete rows, at most `max`, each once. */
    take(max = Infinity): AgentRow[] {
      const rows: AgentRow[] = []
      while (rows.length < max && wanted().length === 0) {
        const row = next()
        if (row === null) break
        // It may be empty, if all its deployments are assigned to other agents.
        if (row.members.size > 0) rows.push(row)
      }
      return rows
    },
  }
}
