import type { NoticeEntry, Watch } from '@contract/cache'

/** The part of a deployment that watches compare. A revision that the service doesn't name is null. */
export interface State {
  status: string
  latest: string | null
  active: string | null
  /** The version, image or ref that it runs, as far as lists show it. */
  runs: string | null
}

/** A deployment according to the service or the cache. */
export interface Seen extends State {
  id: string
  name: string
  isGone: boolean
}

/** The state of a deployment that a watch follows. Times are milliseconds since 1970. */
export interface Followed extends State {
  /** The watches of lists that it is on. */
  by: string[]
  isGone: boolean
  /** A state that isn't reported yet: the next answer may show another one. */
  pending: { to: State; since: number } | null
  /** Since when it hasn't been active, as far as Slipway has seen; null while it is. */
  inactiveSince: number | null
  /** The hashes of its revisions and of the transitions that were reported, or didn't have to be (`transitionHash`). */
  reported: string[]
}

/** The deployments that an environment's watches follow, by their identifiers. */
export type FollowedMap = ReadonlyMap<string, Followed>

/** The input of the rules, besides the deployments. */
export interface Round {
  at: number
  /** The environment's watches of the service that it leads to now. */
  watches: readonly Watch[]
  /** Whether the operator has just created a deployment on this machine. */
  isOwn: (id: string) => boolean
}

/** The result of a round: the new state, and what to report. */
export interface RoundResult {
  /** The same map as before if nothing changed. */
  followed: FollowedMap
  entries: NoticeEntry[]
  /** Whether a deployment is followed from now on, or anew. */
  hasBegun: boolean
  /** The watches that report the entries. */
  by: ReadonlySet<string>
}
