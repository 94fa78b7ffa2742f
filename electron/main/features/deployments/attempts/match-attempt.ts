import { type Deployment, type Fingerprint, type FoundDeployment, type Lookup, maxFound } from '@contract'
import { compare, type Comparison } from './fingerprint'
import { readDate, readTime } from './times'

/** What is known of an attempt, to match its deployment. */
export interface Attempt {
  name: string
  /** When it began, by this machine's clock (ISO 8601). */
  startedAt: string
  /** When it began by the service's clock; null if that wasn't known. */
  startedAtService: string | null
  /** Whether this machine's clock has run steadily since it began. */
  isSteady: boolean
  /** Null for an attempt of a version that stored none. */
  fingerprint: Fingerprint | null
  /** Null for an attempt of a version that didn't store it. */
  serviceIdentity: string | null
}

/** The findings of a lookup: deployments with the attempt's name or a similar one, and how reliable the list is. */
export interface Seen {
  deployments: readonly Deployment[]
  /** Whether the list was read to its end. */
  complete: boolean
  /** How many entries may have the name but couldn't be read. */
  unreadable: number
  clock: Clock
  /** When the list was complete (ISO 8601). */
  at: string
}

/** How the service's clock differs from this machine's, in milliseconds. */
export interface Clock {
  /** The difference to add to a time of this machine. Of the possible values, the smallest. */
  offsetMs: number
  /** How much older than its attempt a deployment may appear and still match. */
  allowanceMs: number
  /** Whether the service's answer had a time. Otherwise either clock may be wrong by any amount. */
  isShown: boolean
}

/**
 * The tolerance in addition to the difference of the clocks. With the service's header Date, it is the difference
 * between the clocks of the service's database and its front end. Without one, it is the usual difference between
 * machines that aren't synchronised.
 */
const allowances = { withDateMs: 30_000, withoutDateMs: 300_000 } as const

/**
 * How far a deployment's time must differ to prove that it doesn't match (ms). The clock of a service's database may be
 * minutes off from the clock of its front end, which writes the header Date. Between the tolerance and this, the
 * operator decides.
 */
export const proofMs = 300_000

/**
 * How far the service's clock may move between an attempt and an answer (ms). An answer has its time up to a minute
 * before it is complete. If the clock has moved further, or another machine answered, the deployment's time may be from
 * another clock.
 */
const agreementMs = 60_000

/** Only this many of the newest attempts at a name are compared by content. Older ones are compared by time alone. */
export const maxCompared = 50

/**
 * A deployment that was created longer than this after an attempt began doesn't match (ms): no request waits so long.
 */
export const latestMs = 600_000

/**
 * Reads the service's clock from an answer. The header Date has whole seconds, rounded down. The service writes it
 * between sending and receiving (both by this machine's clock, in milliseconds).
 */
export function clockOf(date: string | null | undefined, receivedAt: number): Clock {
  const at = readDate(date, receivedAt)
  return at === null
    ? { offsetMs: 0, allowanceMs: allowances.withoutDateMs, isShown: false }
    : { offsetMs: at - receivedAt, allowanceMs: allowances.withDateMs, isShown: true }
}

/**
 * Decides whether a lookup found the deployment of an attempt: .github/decisions/0026-how-a-deployment-is-matched.md.
 * Names must be equal, since `name_contains` finds more. If no name is, a deployment with a similar name is shown, and
 * the verdict stays open. If several deployments match, the request may have been carried out twice, and only the
 * operator can say which one to keep.
 *
 * @param others identifiers of deployments that other attempts created
 * @param rivals unsettled attempts at the same name, newest last: a deployment that matches one of them as well isn't
 * certain to be this one's
 * @param perhapsOthers identifiers of deployments that other attempts created with other headers or by another route,
 * and so perhaps at another service: a deployment with one of them isn't certain to be this one's
 */
export function matchAttempt(
  attempt: Attempt,
  seen: Seen,
  others: ReadonlySet<string>,
  rivals: readonly Attempt[] = [],
  perhapsOthers: ReadonlySet<string> = new Set(),
): Lookup {
  const free = seen.deployments.filter(({ id }) => !others.has(id))
  const named = free.filter(({ name }) => name === attempt.name)
  const judged = named.map((deployment) => judge(attempt, deployment, seen.clock))
  const possible = judged.filter((one) => !isFromAnotherTime(one))
  // A later one says more than an older one: something was created since.
  const later = judged.filter(
    ({ deployment }) => provenTime(attempt, deployment?.createdAt ?? null, seen.clock) === 'later',
  )
  const best = first(judged.filter(fits)) ?? first(possible) ?? first(later) ?? first(judged)
  const doubt = seen.complete ? (seen.unreadable > 0 ? 'unreadable' : null) : 'incomplete'
  const alike = possible.length === 0 && free.find((one) => isOneAlike(attempt, one, seen.clock))
  if (alike) {
    const deployment = { ...shown(alike), name: alike.name }
    return { ...nothing, at: seen.at, verdict: 'cannot-tell', reason: 'alike', deployment }
  }
  // A deployment of another time doesn't show what else the list may have.
  if (possible.length === 0 && doubt !== null) {
    return { ...nothing, at: seen.at, verdict: 'cannot-tell', reason: doubt }
  }
  const fitting = named.filter((_, index) => fits(judged[index]!))
  const fitsRival =
    fitting.some(({ id }) => perhapsOthers.has(id)) ||
    rivals.some((rival, index) =>
      fitting.some((one) => mayBe(rival, one, seen.clock, index >= rivals.length - maxCompared)),
    )
  if (best && (fitting.length > 1 || (fitsRival && best.verdict === 'found'))) {
    const reason = fitsRival ? 'several' : 'repeated'
    return { ...best, ...countedBeside(best, fitting), at: seen.at, verdict: 'cannot-tell', reason }
  }
  return { ...nothing, ...best, at: seen.at }
}

/** How many deployments match, and which others, if several do. */
function countedBeside(
  { deployment: best }: Judgement,
  fitting: readonly Deployment[],
): Pick<Lookup, 'fitting' | 'others'> {
  if (fitting.length < 2) return {}
  const others = fitting.filter(({ id }) => id !== best?.id).slice(0, maxFound - 1)
  return { fitting: fitting.length, others: others.map(shown) }
}

/** Whether a deployment with another name may be the attempt's, because the service changed the name. */
const isOneAlike = (attempt: Attempt, deployment: Deployment, clock: Clock): boolean =>
  deployment.name !== attempt.name && provenTime(attempt, deployment.created_at, clock) !== 'older'

/**
 * What a lookup means that was made with other request headers than the attempt, or by another route. It may have asked
 * another account or service. So what it found may be the attempt's, which only the operator can say. What it didn't
 * find may still exist.
 *
 * @param mayBeShown whether what it found may be the attempt's, and may be shown in the attempt's environment
 */
export function withOtherHeaders(lookup: Lookup, mayBeShown: boolean): Lookup {
  // For an attempt of an earlier version, its own reason says more.
  if (mayBeShown && (lookup.reason === 'no-service' || lookup.reason === 'not-kept')) return lookup
  const deployment = mayBeShown && lookup.verdict !== 'not-found' ? lookup.deployment : null
  return { ...nothing, at: lookup.at, deployment, verdict: 'cannot-tell', reason: 'credentials' }
}

/** Whether a complete list has no deployment of the name. */
export const isAbsent = ({ verdict, deployment }: Lookup): boolean =>
  verdict === 'not-found' && deployment === null

/** Whether the time of a found deployment proves that it doesn't match (`provenTime`). */
export const isFromAnotherTime = ({ verdict, deployment, differences }: Judgement): boolean =>
  deployment !== null && (verdict === 'not-found' || (verdict === 'different' && isByTime(differences)))

/**
 * Whether times can prove anything about an attempt: the service's clock is known, or this machine's clock hasn't been
 * set since.
 */
const isTimed = ({ startedAtService, isSteady }: Attempt): boolean => startedAtService !== null || isSteady

/**
 * Whether a deployment is provably older or later than an attempt; null if neither is proven. Only the service's clock
 * is proof, because this machine's may be wrong.
 */
export function provenTime(
  attempt: Attempt,
  createdAt: string | null,
  clock: Clock,
): 'older' | 'later' | null {
  const time = readTime(createdAt)
  const { at } = beginOf(attempt, clock)
  if (time === null || !isTimed(attempt) || !agrees(attempt, clock)) return null
  const doubtMs = clock.isShown ? proofMs : unseenMs + proofMs
  if (time.latest < at - doubtMs) return 'older'
  return time.earliest > at + latestMs + doubtMs ? 'later' : null
}

/**
 * How far the service's clock at the attempt may differ from that of a machine that sends no Date (ms). A clock that is
 * further off is ignored (`readDate`).
 */
const unseenMs = 24 * 3_600_000

/** More than the largest offset of a time zone from UTC (ms). */
const zonesMs = 14 * 3_600_000

/**
 * Whether a found deployment is older or later than the attempt. If it has what was sent and is only some hours older,
 * the service may write its local time as UTC. Then nothing is proven.
 */
export function timeOfFound(attempt: Attempt, lookup: Lookup, clock: Clock): 'older' | 'later' | null {
  const createdAt = lookup.deployment?.createdAt ?? null
  const time = provenTime(attempt, createdAt, clock)
  if (time !== 'older' || lookup.verdict !== 'different' || !isByTime(lookup.differences)) return time
  return isBeyondZones(attempt, createdAt, clock) ? time : null
}

/** Whether a deployment is older than an attempt by more than a wrong time zone explains. */
function isBeyondZones(attempt: Attempt, createdAt: string | null, clock: Clock): boolean {
  const time = readTime(createdAt)
  return time !== null && time.latest < beginOf(attempt, clock).at - zonesMs - proofMs
}

/** Zones differ from UTC by a multiple of this (ms). */
const zoneStepMs = 900_000

/**
 * Whether a time may be that of an attempt in a zone that the service wrongly writes as UTC: it is off by what zones
 * are off, to the minute.
 */
function isOffByZone(attempt: Attempt, createdAt: string | null, clock: Clock): boolean {
  const time = readTime(createdAt)
  if (time === null) return false
  const { at } = beginOf(attempt, clock)
  const earliest = Math.ceil((time.earliest - at - agreementMs) / zoneStepMs) * zoneStepMs
  return earliest <= time.latest - at + agreementMs && Math.abs(earliest) <= zonesMs
}

/**
 * Whether the time of a deployment that was answered as the new one shows that it is another. Where the service says
 * that it has just created it (201), a later time only shows that a clock or a zone is wrong, and so does one that is
 * off by a zone.
 */
function isOfAnotherTime(attempt: Attempt, createdAt: string | null, clock: Clock, status: number): boolean {
  const time = provenTime(attempt, createdAt, clock)
  if (status !== 201) return time !== null
  return time === 'older' && !isOffByZone(attempt, createdAt, clock)
}

/**
 * Whether the deployment in the answer to a creation is another one: it has other values than were sent, or more than
 * was sent in members that no service fills in, or it is from another time. Missing members prove nothing.
 *
 * @param status the answer's
 */
export function isAnother(
  attempt: Attempt & { fingerprint: Fingerprint },
  deployment: Deployment,
  clock: Clock,
  status: number,
): boolean {
  if (isOfAnotherTime(attempt, deployment.created_at, clock, status)) return true
  const { contradictions, extras } = compare(attempt.fingerprint, deployment)
  return extras.length > 0 || contradictions.some((member) => !isResource(member))
}

/** Services round numbers of the resource spec and rewrite its quantities. That proves nothing. */
const isResource = (member: string): boolean => member.startsWith('source_config.resource_spec.')

/** What services change in a request: resources, and added secrets. */
const isServiceChange = (member: string): boolean => isResource(member) || member === 'secrets'

type Judgement = Omit<Lookup, 'at'>

const nothing: Judgement = { verdict: 'not-found', deployment: null, differences: [], reason: null }

const order: readonly Lookup['verdict'][] = ['found', 'cannot-tell', 'different', 'not-found']

/** Of several deployments with a name, the one with the strongest verdict. */
const first = (judged: readonly Judgement[]): Judgement | undefined =>
  order.flatMap((verdict) => judged.filter((one) => one.verdict === verdict)).at(0)

function judge(attempt: Attempt, deployment: Deployment, clock: Clock): Judgement {
  const about = { ...nothing, deployment: shown(deployment) }
  const compared = attempt.fingerprint && compare(attempt.fingerprint, deployment)
  const differing = compared?.differences ?? []
  const time = provenTime(attempt, deployment.created_at, clock)
  if (time !== null) {
    // If only the time differs, it may still be the attempt's: a clock was set, or the service's time zone is wrong.
    const isPossible =
      compared !== null &&
      (differing.length === 0 ||
        (compared.contradictions.every(isServiceChange) &&
          (time === 'later' || !isBeyondZones(attempt, deployment.created_at, clock))))
    return isPossible ? { ...about, verdict: 'different', differences: ['created_at', ...differing] } : about
  }
  if (differing.length > 0) return { ...about, verdict: 'different', differences: differing }
  const other = doubtOf(attempt, compared)
  const isFitting = other === null || withWhatWasSent.includes(other)
  const doubt = isFitting && !isInTime(attempt, deployment.created_at, clock) ? 'no-time' : other
  const differences = doubt === 'more' ? (compared?.extras ?? []) : []
  return doubt
    ? { ...about, verdict: 'cannot-tell', reason: doubt, differences }
    : { ...about, verdict: 'found' }
}

const shown = ({ id, created_at, status }: Deployment): FoundDeployment => ({
  id,
  createdAt: created_at,
  status,
})

/**
 * Whether a deployment has what was sent, and nothing else that an operator has set, and its time doesn't contradict.
 */
const fits = ({ verdict, reason }: Judgement): boolean =>
  verdict === 'found' || (verdict === 'cannot-tell' && reason !== null && withWhatWasSent.includes(reason))

/** Doubts that don't concern the deployment itself. */
const withWhatWasSent: readonly NonNullable<Lookup['reason']>[] = [
  'secrets',
  'variables',
  'thin',
  'clock',
  'no-time',
]

/** When an attempt began by the service's clock (ms since 1970), and with which tolerance. */
function beginOf(
  { startedAt, startedAtService }: Attempt,
  { offsetMs, allowanceMs }: Clock,
): { at: number; allowanceMs: number } {
  return startedAtService === null
    ? { at: Date.parse(startedAt) + offsetMs, allowanceMs }
    : { at: Date.parse(startedAtService), allowanceMs: allowances.withDateMs }
}

/** Whether the service's clock is known, and still shows the time that it should by what it showed at the attempt. */
function agrees({ startedAt, startedAtService }: Attempt, { offsetMs, isShown }: Clock): boolean {
  if (startedAtService === null) return isShown
  if (!isShown) return true
  return Math.abs(Date.parse(startedAtService) - Date.parse(startedAt) - offsetMs) <= agreementMs
}

/** Whether a deployment was created at an attempt's time, as far as that is known. */
function isInTime(attempt: Attempt, createdAt: string | null, clock: Clock): boolean {
  const time = readTime(createdAt)
  const { at, allowanceMs } = beginOf(attempt, clock)
  if (time === null || !isTimed(attempt)) return time !== null
  return time.earliest >= at - allowanceMs && time.latest <= at + latestMs + allowanceMs
}

/**
 * Whether a deployment may be a rival's. This includes deployments that took longer than any request should, and those
 * with missing members.
 */
function mayBe(rival: Attempt, deployment: Deployment, clock: Clock, isCompared: boolean): boolean {
  if (provenTime(rival, deployment.created_at, clock) === 'older') return false
  const { fingerprint } = rival
  return !isCompared || fingerprint === null || compare(fingerprint, deployment).contradictions.length === 0
}

/** Whether the time alone tells a deployment from an attempt. */
const isByTime = (differences: readonly string[]): boolean => differences[0] === 'created_at'

/** Why a deployment that matches may still be another user's. */
function doubtOf(attempt: Attempt, compared: Comparison | null): Lookup['reason'] {
  if (compared === null || Object.keys(attempt.fingerprint?.members ?? {}).length === 0) return 'not-kept'
  if (attempt.serviceIdentity === null) return 'no-service'
  if (compared.extras.length > 0) return 'more'
  if (compared.hasSecrets) return 'secrets'
  if (compared.hasVariables) return 'variables'
  if (compared.isThin) return 'thin'
  return isTimed(attempt) ? null : 'clock'
}
