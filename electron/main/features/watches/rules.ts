import type { NoticeEntry, Watch } from '@contract/cache'
import { cutText } from '@contract'
import { isRollingOut } from '@contract/deployment-api/statuses'
import { shortRevision, shortRevisions } from '@domain/labels/revisions'
import { type WatchKind, watchLimits } from '@contract/cache/choices'
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'

/** The part of a deployment that watches compare. A revision that the service doesn't name is null. */
interface State {
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
  /** Why its latest revision failed; left out if it isn't known to have. */
  failure?: string
}

/** The state of a deployment that a watch follows. Times are milliseconds since 1970. */
interface Followed extends State {
  /** The watches of lists that it is on. */
  by: readonly string[]
  isGone: boolean
  /** Since when it hasn't been active, as far as Slipway has seen; null while it is. */
  inactiveSince: number | null
  /**
   * The hashes of its revisions and of the transitions that were reported, or didn't have to be. Each is reported once,
   * so that a flapping status isn't.
   */
  reported: readonly string[]
}

/** The deployments that an environment's watches follow, by their identifiers. */
export type FollowedMap = ReadonlyMap<string, Followed>

/** The input of the rules, besides the deployments. */
export interface Round {
  at: number
  /** The environment's watches of the service that it leads to now. */
  watches: readonly Watch[]
  /** The deployments that the operator has just created on this machine. */
  own: ReadonlySet<string>
}

/** The result of a round: the new state, and what to report. */
export interface RoundResult {
  /** The same map as before if nothing changed. */
  followed: FollowedMap
  entries: NoticeEntry[]
  /** The watches that report the entries. */
  by: ReadonlySet<string>
}

/** How many deployments are remembered that no watch follows any more. */
const maxLeft = 1_000

/** How many transitions of one deployment are remembered. */
const maxReported = 30

/** The deployments on a list, according to the cache after a complete synchronisation. */
export interface WatchedList {
  watchId: string
  members: readonly Seen[]
  /** Whether this is the first synchronisation for the watch, or for the cache. Then nothing is reported. */
  isFirst: boolean
}

/** Whether a deployment is rolling out, and is to be active then. */
export const isOnItsWay = ({ status, latest, active }: State): boolean =>
  status !== 'UNUSED' && isRollingOut({ status, latest_revision_id: latest, active_revision_id: active })

const isActive = (state: State): boolean => state.status === 'READY' && !isOnItsWay(state)

/**
 * Takes the service's answers about deployments that were requested by their identifiers. Deployments without an answer
 * don't change, because an answer may be short. So such answers never show that a deployment is new or gone.
 */
export function takeAnswers(before: FollowedMap, seen: Iterable<Seen>, round: Round): RoundResult {
  const making = new Making(before, round)
  for (const one of seen) making.look(one)
  return making.done()
}

/**
 * Takes the cache after a complete synchronisation.
 *
 * @param lists the list of each watch that has one
 * @param others the followed deployments that aren't on any list
 */
export function takeSynchronisation(
  before: FollowedMap,
  lists: readonly WatchedList[],
  others: readonly Seen[],
  round: Round,
): RoundResult {
  const making = new Making(before, round)
  const listed = new Map<string, { seen: Seen; by: string[] }>()
  for (const { watchId, members } of lists) {
    for (const seen of members) {
      const known = listed.get(seen.id)
      if (known) known.by.push(watchId)
      else listed.set(seen.id, { seen, by: [watchId] })
    }
  }
  const first = new Set(lists.filter(({ isFirst }) => isFirst).map(({ watchId }) => watchId))
  for (const { seen, by } of listed.values()) making.lookListed(seen, by, first)
  for (const seen of others) making.look(seen)
  making.leaveOut(listed)
  return making.done()
}

/** One round. */
class Making {
  readonly #followed: Map<string, Followed>
  readonly #entries: NoticeEntry[] = []
  readonly #by = new Set<string>()
  #isChanged = false

  constructor(
    private readonly before: FollowedMap,
    private readonly round: Round,
  ) {
    this.#followed = new Map(before)
  }

  /** Compares a followed deployment with its state before: it changed, or the service no longer has it. */
  look(seen: Seen): void {
    const { id, isGone } = seen
    const before = this.#followed.get(id)
    if (!before) {
      if (this.#watchesOf(id).length > 0) this.#begin(seen, [])
    } else if (before.isGone) {
      if (!isGone) this.#comeBack(seen, before.by)
    } else if (isGone) {
      this.#keep(id, { ...before, isGone, inactiveSince: null })
      this.#tell(seen, 'gone', ['gone'], {})
    } else {
      // A new revision starts the time again. A change of status alone doesn't.
      const since = before.latest === seen.latest ? before.inactiveSince : null
      this.#keep(id, { ...before, ...stateOf(seen), inactiveSince: this.#inactiveSince(seen, since) })
      const change = changeOf(before, seen)
      if (change) this.#tell(seen, ...change)
      if (seen.failure === undefined) this.#tellStuck(seen)
      else this.#tell(seen, 'failed', ['changed', 'stuck'], { what: 'failed', after: seen.failure })
    }
  }

  /** Takes a deployment that is on the lists of these watches. Lists that begin report nothing. */
  lookListed(seen: Seen, by: readonly string[], first: ReadonlySet<string>): void {
    const { id } = seen
    const before = this.#followed.get(id)
    const added = by.filter((watchId) => !before?.by.includes(watchId) && !first.has(watchId))
    if (before?.isGone && added.length > 0) return this.#comeBack(seen, by)
    const told = this.#entries.length
    if (before && this.#watchesOf(id).length > 0) this.look(seen)
    else this.#begin(seen, by)
    this.#keep(id, { ...this.#followed.get(id)!, by })
    for (const watch of this.round.watches.filter((one) => added.includes(one.id))) {
      // One entry about a deployment says enough.
      const watches = this.#entries.length > told ? [] : [watch]
      this.#tell(seen, `appeared ${watch.id}`, ['appeared'], { after: watch.on.name }, watches)
    }
  }

  /**
   * Removes the lists from deployments that are no longer on any. Their reported transitions are remembered for a
   * while.
   */
  leaveOut(listed: ReadonlyMap<string, unknown>): void {
    for (const [id, one] of this.#followed) if (!listed.has(id)) this.#keep(id, { ...one, by: [] })
    const left = [...this.#followed.keys()].filter((id) => this.#watchesOf(id).length === 0)
    for (const id of left.slice(0, -maxLeft)) {
      this.#followed.delete(id)
      this.#isChanged = true
    }
  }

  done(): RoundResult {
    return {
      followed: this.#isChanged ? this.#followed : this.before,
      entries: this.#entries,
      by: this.#by,
    }
  }

  #keep(id: string, one: Followed): void {
    if (isDeepStrictEqual(this.#followed.get(id), one)) return
    this.#followed.set(id, one)
    this.#isChanged = true
  }

  /** Starts to follow a deployment. Its present state isn't reported. */
  #begin(seen: Seen, by: readonly string[]): void {
    const { id, isGone } = seen
    const reported = this.#followed.get(id)?.reported ?? []
    this.#keep(id, { ...stateOf(seen), by, isGone, inactiveSince: this.#inactiveSince(seen, null), reported })
    // A return to this revision later isn't a new revision.
    this.#isNew(seen, 'revision')
  }

  #comeBack(seen: Seen, by: readonly string[]): void {
    this.#begin(seen, by)
    this.#tell(seen, 'back', ['appeared'], { what: 'back' })
  }

  #inactiveSince(seen: Seen, since: number | null): number | null {
    return isOnItsWay(seen) ? (since ?? this.round.at) : null
  }

  #tellStuck(seen: Seen): void {
    const { inactiveSince } = this.#followed.get(seen.id)!
    if (inactiveSince === null) return
    const minutes = (this.round.at - inactiveSince) / 60_000
    const due = this.#watchesOf(seen.id).filter(
      ({ tells, stuckMinutes }) => tells.includes('stuck') && minutes >= stuckMinutes,
    )
    const soonest = Math.min(...due.map(({ stuckMinutes }) => stuckMinutes))
    if (due.length > 0) this.#tell(seen, 'stuck', ['stuck'], { minutes: soonest }, due)
  }

  /**
   * Reports a transition that hasn't been reported for this revision, as the first of these kinds that a watch reports.
   */
  #tell(
    seen: Seen,
    key: string,
    kinds: readonly WatchKind[],
    { what = null, before = null, after = null, minutes = null }: Partial<NoticeEntry>,
    watches: readonly Watch[] = this.#watchesOf(seen.id),
  ): void {
    const { id, name } = seen
    if (!this.#isNew(seen, key)) return
    const kind = kinds.find((each) => watches.some(({ tells }) => tells.includes(each)))
    if (kind === undefined) return
    // The operator has just created it, and the form follows it.
    if (this.round.own.has(id) && kind !== 'stuck' && kind !== 'gone') return
    for (const watch of watches) {
      if (kinds.some((each) => watch.tells.includes(each))) this.#by.add(watch.id)
    }
    const texts = { name: cut(name), before: cut(before), after: cut(after) }
    this.#entries.push({ deploymentId: id, kind, what, minutes, ...texts })
  }

  /** Remembers a transition of the latest revision. Gives whether it wasn't remembered before. */
  #isNew({ id, latest }: Seen, key: string): boolean {
    const one = this.#followed.get(id)!
    // Only equality counts, and the text itself may have up to 2,000 characters of a service.
    const hash = createHash('sha256').update(`${latest} ${key}`).digest('base64url').slice(0, 12)
    if (one.reported.includes(hash)) return false
    this.#keep(id, { ...one, reported: [...one.reported, hash].slice(-maxReported) })
    return true
  }

  /** The watches of a deployment itself, and of the lists that it is on. */
  #watchesOf(id: string): Watch[] {
    const by = this.#followed.get(id)?.by ?? []
    return this.round.watches.filter((watch) =>
      watch.on.kind === 'list' ? by.includes(watch.id) : watch.on.deploymentId === id,
    )
  }
}

const stateOf = ({ status, latest, active, runs }: State): State => ({ status, latest, active, runs })

const cut = <Text extends string | null>(text: Text): Text | string =>
  text === null ? text : cutText(text, watchLimits.textLength)

/** What changed between two states: its key among transitions, the kinds it is reported as, and how it is shown. */
function changeOf(
  before: State,
  seen: State,
): [key: string, kinds: WatchKind[], about: Partial<NoticeEntry>] | null {
  const { status, latest, active, runs } = seen
  const isSameRevision = latest === before.latest && active === before.active
  const becomesActive = isActive(seen) && !isActive(before)
  // The service no longer says which revision is the latest: that tells nothing.
  const isOnlyUnsaid = latest === null && status === before.status && active === before.active
  if (becomesActive && !isOnlyUnsaid) {
    const revision = isSameRevision ? null : (latest ?? (status === before.status ? active : null))
    return [
      `active from ${isSameRevision ? before.status : 'rollout'}`,
      ['active', 'changed'],
      revision === null
        ? { what: 'status', before: before.status, after: status }
        : { what: 'active-revision', after: shortRevision(revision) },
    ]
  }
  if (latest !== before.latest && !becomesActive) {
    const what = isOnItsWay(seen) ? 'revision' : 'active-revision'
    return ['revision', ['changed'], { what, after: shortRevisions(before.latest, latest)[1] }]
  }
  if (active !== before.active) {
    const [, after] = shortRevisions(before.active, active)
    return [`runs revision ${active}`, ['changed'], { what: 'active-revision', after }]
  }
  if (status !== before.status) {
    const about = { what: 'status', before: before.status, after: status } as const
    return [`status ${before.status} ${status}`, ['changed'], about]
  }
  return runs === before.runs ? null : [`runs ${runs}`, ['changed'], { what: 'runs', after: runs }]
}

/**
 * The deployments to request in the next round: always those with a watch of their own and those that are rolling out,
 * then some of the others in turn. Deleted ones are left out.
 *
 * @param next where to continue with the others: the result of the round before
 */
export function toAsk(
  followed: FollowedMap,
  watches: readonly Watch[],
  next: number,
): { ids: string[]; next: number } {
  const max = watchLimits.asked
  const own = watches.flatMap(({ on }) => (on.kind === 'deployment' ? on.deploymentId : []))
  const first = new Set(own.filter((id) => !followed.get(id)?.isGone))
  const others: string[] = []
  const watchIds = new Set(watches.map(({ id }) => id))
  for (const [id, { by, isGone, inactiveSince }] of followed) {
    if (isGone || first.has(id) || !by.some((watchId) => watchIds.has(watchId))) continue
    if (inactiveSince !== null) first.add(id)
    else others.push(id)
  }
  const [always, inTurn] = first.size < max ? [[...first], others] : [[], [...first]]
  const from = next % Math.max(inTurn.length, 1)
  const ids = [...always, ...inTurn.slice(from), ...inTurn.slice(0, from)].slice(0, max)
  return { ids, next: from + ids.length - always.length }
}

/** How a service's reachability was reported last. */
export interface Outage {
  isTold: boolean
  /** Since when it has been otherwise, in milliseconds since 1970; null while it is as reported. */
  since: number | null
}

/** How long a service must be out of reach, or answer again, before that is reported, in milliseconds. */
const outagePendingMs = 60_000

/** Notes whether a service answers now. The start and the end of an outage count once they last. */
export function takeReachability({ isTold, since }: Outage, isReachable: boolean, at: number): Outage {
  if (isReachable !== isTold) return { isTold, since: null }
  const begun = since ?? at
  return at - begun >= outagePendingMs ? { isTold: !isTold, since: null } : { isTold, since: begun }
}
