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

/**
 * How long a change must last before it is reported, in milliseconds, so that a flapping status isn't. A new revision,
 * and one that becomes active, are reported at once: each happens only once.
 */
export const pendingMs = 60_000

/** How many deployments are remembered that no watch follows any more. */
const maxLeft = 1_000

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

const isSame = (one: State, other: State): boolean =>
  one.status === other.status && isSameRevision(one, other) && one.runs === other.runs

const isSameRevision = (one: State, other: State): boolean =>
  one.latest === other.latest && one.active === other.active

/**
 * Takes the service's answers about deployments that were requested by their identifiers. Deployments without an answer
 * don't change, because an answer may be short. So such answers never show that a deployment is new or gone.
 */
export function takeAnswers(before: FollowedMap, seen: Iterable<Seen>, round: Round): RoundResult {
  const making = new Making(before, round)
  for (const one of seen) {
    if (making.knows(one.id)) making.look(one)
    else if (making.isWatched(one.id)) making.begin(one, [])
  }
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
  for (const { seen, by } of listed.values()) making.takeListed(seen, by, first)
  for (const seen of others) if (!listed.has(seen.id)) making.takeOther(seen)
  making.leaveOut(listed)
  return making.done()
}

/** One round. Copies the state only once something changes, because most rounds change nothing. */
class Making {
  #changed: Map<string, Followed> | null = null
  readonly #entries: NoticeEntry[] = []
  readonly #by = new Set<string>()
  readonly #ofDeployment = new Map<string, Watch[]>()
  readonly #ofList = new Map<string, Watch>()

  constructor(
    private readonly before: FollowedMap,
    private readonly round: Round,
  ) {
    for (const watch of round.watches) {
      if (watch.on.kind === 'list') this.#ofList.set(watch.id, watch)
      else {
        const { deploymentId } = watch.on
        this.#ofDeployment.set(deploymentId, [...(this.#ofDeployment.get(deploymentId) ?? []), watch])
      }
    }
  }

  get #followed(): FollowedMap {
    return this.#changed ?? this.before
  }

  knows(id: string): boolean {
    return this.#followed.has(id)
  }

  /** Whether there is a watch on the deployment itself. */
  isWatched(id: string): boolean {
    return this.#ofDeployment.has(id)
  }

  /** Starts to follow a deployment. Its present state isn't reported. */
  begin(seen: Seen, by: string[], reported: string[] = []): void {
    const { at } = this.round
    this.#keep(seen.id, {
      ...stateOf(seen),
      by,
      isGone: seen.isGone,
      pending: null,
      inactiveSince: isOnItsWay(seen) ? at : null,
      reported: remember(reported, revisionKey(seen)),
    })
  }

  /** Compares a followed deployment with its state before. */
  look(seen: Seen): void {
    const before = this.#followed.get(seen.id)!
    if (seen.isGone) return this.#lookAtGone(seen, before)
    if (before.isGone) return this.#comeBack(seen, before)
    const { at } = this.round
    const since = before.pending && isSame(before.pending.to, seen) ? before.pending.since : at
    const isSettled = isSame(before, seen)
    // Most deployments haven't changed.
    if (isSettled && before.pending === null && before.inactiveSince === null) return
    const counts = !isSettled && (isForward(before, seen) || at - since >= pendingMs)
    const after: Followed = counts
      ? { ...before, ...stateOf(seen), pending: null, inactiveSince: inactiveSince(before, seen, at) }
      : {
          ...before,
          pending: isSettled ? null : { to: stateOf(seen), since },
        }
    this.#keep(seen.id, after)
    if (counts) this.#tellChange(seen, before)
    if (seen.failure === undefined) this.#tellStuck(seen)
    else
      this.#tell(seen, `${seen.latest} failed`, ['changed', 'stuck'], { what: 'failed', after: seen.failure })
  }

  /** Takes a deployment that is on lists. */
  takeListed(seen: Seen, by: string[], first: ReadonlySet<string>): void {
    const before = this.#followed.get(seen.id)
    const entriesBefore = this.#entries.length
    if (before?.isGone && by.some((id) => !first.has(id))) this.#comeBack(seen, { ...before, by })
    else if (before && (before.by.length > 0 || this.isWatched(seen.id))) this.look(seen)
    else this.begin(seen, [], before?.reported)
    const now = this.#followed.get(seen.id)!
    if (isDeepStrictEqual(now.by, by)) return
    const added = by.filter((id) => !now.by.includes(id) && !first.has(id))
    this.#keep(seen.id, { ...now, by })
    for (const id of added) {
      const { on } = this.#ofList.get(id)!
      const isSilent = this.#entries.length > entriesBefore
      const name = on.kind === 'list' ? on.name : null
      this.#tell(seen, `${seen.latest} appeared ${id}`, ['appeared'], { after: name }, { only: id, isSilent })
    }
  }

  /** Takes a followed deployment that isn't on any list now: it changed, or the service no longer has it. */
  takeOther(seen: Seen): void {
    if (this.knows(seen.id)) this.look(seen)
    else if (this.isWatched(seen.id)) this.begin(seen, [])
  }

  /**
   * Removes the lists from deployments that are no longer on any. Their reported transitions are remembered for a
   * while.
   */
  leaveOut(listed: ReadonlyMap<string, unknown>): void {
    for (const [id, one] of this.#followed) {
      if (!listed.has(id) && one.by.length > 0) this.#keep(id, { ...one, by: [] })
    }
    const left = [...this.#followed.keys()].filter(
      (id) => this.#followed.get(id)!.by.length === 0 && !this.isWatched(id),
    )
    for (const id of left.slice(0, Math.max(0, left.length - maxLeft))) this.#leave(id)
  }

  done(): RoundResult {
    return { followed: this.#followed, entries: this.#entries, by: this.#by }
  }

  #keep(id: string, one: Followed): void {
    const known = this.#followed.get(id)
    if (known && isDeepStrictEqual(known, one)) return
    this.#changed ??= new Map(this.before)
    this.#changed.set(id, one)
  }

  #leave(id: string): void {
    this.#changed ??= new Map(this.before)
    this.#changed.delete(id)
  }

  #lookAtGone(seen: Seen, before: Followed): void {
    if (before.isGone) return
    this.#keep(seen.id, { ...before, isGone: true, pending: null, inactiveSince: null })
    this.#tell(seen, `${before.latest} gone`, ['gone'], {})
  }

  #comeBack(seen: Seen, before: Followed): void {
    this.begin(seen, before.by, before.reported)
    this.#tell(seen, `${seen.latest} back`, ['appeared'], { what: 'back' })
  }

  #tellChange(seen: Seen, before: State): void {
    const becomesActive = isActive(seen) && !isActive(before)
    const isOnlyUnsaid =
      seen.latest === null && seen.status === before.status && seen.active === before.active
    if (becomesActive && isOnlyUnsaid) {
      // The service no longer says which revision is the latest: that tells nothing.
      if (seen.runs !== before.runs) this.#tellRuns(seen, before)
    } else if (becomesActive) {
      const from = isSameRevision(before, seen) ? before.status : 'rollout'
      const named = seen.latest ?? (seen.status === before.status ? seen.active : null)
      const after = isSameRevision(before, seen) || named === null ? null : shortRevision(named)
      this.#tell(seen, activeKey(seen, from), ['active', 'changed'], {
        what: after === null ? 'status' : 'active-revision',
        before: after === null ? before.status : null,
        after: after ?? seen.status,
      })
    } else if (seen.latest !== before.latest) {
      const what = isOnItsWay(seen) ? 'revision' : 'active-revision'
      const [from, to] = shortRevisions(before.latest, seen.latest)
      this.#tell(seen, revisionKey(seen), ['changed'], { what, before: from, after: to })
    } else if (seen.active !== before.active) {
      const [, after] = shortRevisions(before.active, seen.active)
      this.#tell(seen, `${seen.latest} runs revision ${seen.active}`, ['changed'], {
        what: 'active-revision',
        after,
      })
    } else if (seen.status !== before.status) {
      const [from, to] = [before.status, seen.status]
      this.#tell(seen, `${seen.latest} status ${from} ${to}`, ['changed'], {
        what: 'status',
        before: from,
        after: to,
      })
    } else this.#tellRuns(seen, before)
  }

  #tellRuns(seen: Seen, before: State): void {
    const { runs } = seen
    this.#tell(seen, `${seen.latest} runs ${runs}`, ['changed'], {
      what: 'runs',
      before: before.runs,
      after: runs,
    })
  }

  #tellStuck(seen: Seen): void {
    const { inactiveSince } = this.#followed.get(seen.id)!
    if (inactiveSince === null || !isOnItsWay(seen)) return
    const minutes = (this.round.at - inactiveSince) / 60_000
    const due = this.#watchesOf(seen.id).filter(
      (watch) => watch.tells.includes('stuck') && minutes >= watch.stuckMinutes,
    )
    const [soonest] = due.sort((one, other) => one.stuckMinutes - other.stuckMinutes)
    if (soonest)
      this.#tell(seen, `${seen.latest} stuck`, ['stuck'], { minutes: soonest.stuckMinutes }, { among: due })
  }

  /**
   * Reports a transition that hasn't been reported for this revision, as the first of these kinds that a watch reports.
   */
  #tell(
    { id, name }: Seen,
    key: string,
    kinds: readonly WatchKind[],
    about: Partial<NoticeEntry>,
    { only, among, isSilent = false }: { only?: string; among?: readonly Watch[]; isSilent?: boolean } = {},
  ): void {
    const one = this.#followed.get(id)!
    if (hasReported(one, key)) return
    this.#keep(id, { ...one, reported: remember(one.reported, key) })
    const watches = (among ?? this.#watchesOf(id)).filter((watch) => only === undefined || watch.id === only)
    const kind = kinds.find((each) => watches.some(({ tells }) => tells.includes(each)))
    if (kind === undefined || isSilent) return
    // The operator has just created it, and the form follows it.
    if (this.round.own.has(id) && kind !== 'stuck' && kind !== 'gone') return
    for (const watch of watches) {
      if (kinds.some((each) => watch.tells.includes(each))) this.#by.add(watch.id)
    }
    const entry = { what: null, before: null, after: null, minutes: null, ...about }
    const [before, after] = [cut(entry.before), cut(entry.after)]
    // "Active again" says enough without the status.
    const isAgain = kind === 'active' && entry.what === 'status'
    this.#entries.push({
      deploymentId: id,
      name: cut(name),
      kind,
      what: isAgain ? null : entry.what,
      before: isAgain ? null : before,
      after: isAgain ? null : after,
      minutes: entry.minutes,
    })
  }

  #watchesOf(id: string): Watch[] {
    const lists = (this.#followed.get(id)?.by ?? []).flatMap((watchId) => this.#ofList.get(watchId) ?? [])
    return [...(this.#ofDeployment.get(id) ?? []), ...lists]
  }
}

/**
 * Whether a revision is new, or becomes active for the first time. A return to an older one has to last before it is
 * reported: it may be an old answer.
 */
function isForward(before: Followed, seen: State): boolean {
  if (seen.latest !== before.latest) return !hasReported(before, revisionKey(seen))
  return (
    seen.latest !== null &&
    seen.active === seen.latest &&
    before.active !== before.latest &&
    !hasReported(before, activeKey(seen, 'rollout'))
  )
}

const stateOf = ({ status, latest, active, runs }: State): State => ({ status, latest, active, runs })

/** Stands for the revision itself: a return to it later isn't a new revision. */
const revisionKey = ({ latest }: State): string => `${latest} revision`

const activeKey = ({ latest }: State, from: string): string => `${latest} active from ${from}`

const hasReported = ({ reported }: Pick<Followed, 'reported'>, key: string): boolean =>
  reported.includes(transitionHash(key))

const remember = (reported: readonly string[], key: string): string[] =>
  [...reported, transitionHash(key)].slice(-maxReported)

/** A new revision starts the time again. A change of status alone doesn't. */
function inactiveSince(before: Followed, seen: State, at: number): number | null {
  if (!isOnItsWay(seen)) return null
  const goesOn = before.inactiveSince !== null && before.latest === seen.latest
  return goesOn ? before.inactiveSince : at
}

const cut = <Text extends string | null>(text: Text): Text | string =>
  text === null ? text : cutText(text, watchLimits.textLength)

/** How many transitions of one deployment are remembered. */
const maxReported = 30

/**
 * The hash of a reported transition. Only equality counts, and the text itself may have up to 2,000 characters of a
 * service.
 */
const transitionHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 12)

/**
 * The deployments to request in the next round: always those with a watch of their own, those that are rolling out and
 * those with a pending change, then some of the others in turn. Deleted ones are left out.
 *
 * @param next where to continue with the others: the result of the round before
 */
export function toAsk(
  followed: FollowedMap,
  watches: readonly Watch[],
  next: number,
  max: number = watchLimits.asked,
): { ids: string[]; next: number } {
  const own = watches.flatMap(({ on }) => (on.kind === 'deployment' ? on.deploymentId : []))
  const first = new Set(own.filter((id) => !followed.get(id)?.isGone))
  const others: string[] = []
  for (const [id, { by, isGone, pending, inactiveSince }] of followed) {
    if (isGone || by.length === 0 || first.has(id)) continue
    if (pending !== null || inactiveSince !== null) first.add(id)
    else others.push(id)
  }
  if (first.size >= max) return roundRobin([...first], next, max)
  const rest = roundRobin(others, next, max - first.size)
  return { ids: [...first, ...rest.ids], next: rest.next }
}

function roundRobin(all: readonly string[], next: number, max: number): { ids: string[]; next: number } {
  const from = all.length > 0 ? next % all.length : 0
  const ids = [...all.slice(from), ...all.slice(0, from)].slice(0, max)
  return { ids, next: from + ids.length }
}

/** An outage of a service. Times are milliseconds since 1970. */
export interface Outage {
  since: number
  isTold: boolean
  /** Since when the service answers again; null while it doesn't answer. */
  answersSince: number | null
}

/** How long a service must be out of reach, or answer again, before that is reported, in milliseconds. */
const outagePendingMs = 60_000

/**
 * Notes whether a service answers now. Gives the outage, and what to report: the start and the end of each outage,
 * once. Anything shorter than the pending period doesn't count as an outage.
 */
export function takeReachability(
  before: Outage | null,
  isReachable: boolean,
  at: number,
): { outage: Outage | null; report: 'unreachable' | 'reachable' | null } {
  if (before === null) {
    const outage = isReachable ? null : { since: at, isTold: false, answersSince: null }
    return { outage, report: null }
  }
  if (!isReachable) {
    const isDue = !before.isTold && at - before.since >= outagePendingMs
    const outage = { ...before, isTold: before.isTold || isDue, answersSince: null }
    return { outage, report: isDue ? 'unreachable' : null }
  }
  if (!before.isTold) return { outage: null, report: null }
  const answersSince = before.answersSince ?? at
  if (at - answersSince >= outagePendingMs) return { outage: null, report: 'reachable' }
  return { outage: { ...before, answersSince }, report: null }
}
