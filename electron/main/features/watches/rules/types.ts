import type { NoticeEntry, Watch } from '@contract/cache'

/** What counts of a deployment. A revision that the service doesn't name is null. */
export interface State {
  status: string
  latest: string | null
  active: string | null
  /** The version, image or ref that it runs, as far as lists have it. */
  runs: string | null
}

/** A deployment as the service or the cache has it. */
export interface Seen extends State {
  id: string
  name: string
  isGone: boolean
}

/** What is known of a deployment that a watch follows. Times are milliseconds since 1970. */
export interface Followed extends State {
  /** The watches of lists that have it. */
  by: string[]
  isGone: boolean
  /** A state that isn't told yet: it may be over with the next answer. */
  pending: { to: State; since: number } | null
  /** Since when it isn't active, as far as Slipway has seen it; null while it is. */
  inactiveSince: number | null
  /** What was told, or needed no telling: a hash for each revision and transition (`toldHash`). */
  told: string[]
}

/** The deployments that an environment's watches follow, by their identifiers. */
export type FollowedMap = ReadonlyMap<string, Followed>

/** What the rules need besides what was seen. */
export interface Round {
  at: number
  /** The watches of the environment, as far as it leads to their service. */
  watches: readonly Watch[]
  /** Whether the operator created a deployment from here just now. */
  isOwn: (id: string) => boolean
}

/** What the rules make of a round: what is known now, and what to tell. */
export interface RoundResult {
  /** The map of before if nothing of it changed. */
  followed: FollowedMap
  entries: NoticeEntry[]
  /** The watches that tell the entries. */
  by: ReadonlySet<string>
}
