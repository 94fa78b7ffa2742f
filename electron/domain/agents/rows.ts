import { keysDiffer } from './version'

/** A deployment as the rows of the board need it: its place in a cache, and its version as `versionKey` made it. */
export type Member = readonly [place: number, version: string]

/** The deployments of an agent in one environment, and whether one of them matches the search. */
export interface Entry {
  matches: boolean
  members: readonly Member[]
}

/** What an environment has, by agent. */
export interface ColumnOfRows {
  /** Whether the cache is complete, so that a deployment without an entry is missing. */
  isComplete: boolean
  /** The deployments as their agents are inferred. */
  inferred: ReadonlyMap<string, Entry>
  /** The deployments that the operator assigned to an agent by hand. */
  byHand: ReadonlyMap<string, Entry>
  /** Those deployments by their place. */
  assigned: ReadonlyMap<number, unknown>
}

/** An agent's row: which deployments each environment has of it. */
export interface AgentRow {
  agent: string
  matches: boolean
  members: ReadonlyMap<string, readonly Member[]>
  /** Whether versions of its deployments differ. */
  versionsDiffer: boolean
  /** Whether an environment that is completely known has no deployment of it. */
  isMissing: boolean
}

/** The agents of all environments, in the order of their keys. */
export const agentsIn = (columns: Iterable<ColumnOfRows>): string[] =>
  [...new Set([...columns].flatMap(({ inferred, byHand }) => [...inferred.keys(), ...byHand.keys()]))].sort()

/**
 * The row of an agent; null if no environment has a deployment of it. What the operator assigned always takes
 * precedence.
 */
export function rowOf(agent: string, columns: ReadonlyMap<string, ColumnOfRows>): AgentRow | null {
  const members = new Map<string, Member[]>()
  let matches = false
  for (const [environmentId, { inferred, byHand, assigned }] of columns) {
    const [own, given] = [inferred.get(agent), byHand.get(agent)]
    const left = own?.members.filter(([place]) => !assigned.has(place)) ?? []
    const found = [...left, ...(given?.members ?? [])]
    matches ||= (left.length > 0 && own?.matches) || given?.matches || false
    if (found.length > 0) members.set(environmentId, found)
  }
  if (members.size === 0) return null
  const isMissing = [...columns].some(([id, { isComplete }]) => isComplete && !members.has(id))
  return { agent, matches, members, versionsDiffer: keysDiffer(members.values()), isMissing }
}
