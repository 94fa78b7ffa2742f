import { type Deployment, type Fingerprint, type FoundDeployment, type Lookup, mostFound } from '@contract'
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

/** What a lookup found: deployments with the attempt's name or one alike, and how sure that is. */
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
  /** To add to a time of this machine; the smallest that fits. */
  offsetMs: number
  /** How much older than its attempt a deployment may seem and still be its own. */
  allowanceMs: number
  /** Whether the service has said what its clock shows; otherwise nobody knows how wrong either clock is. */
  isShown: boolean
}

/**
 * What is allowed for besides the difference of the clocks: with the service's header Date, what its database's clock
 * may differ from that of its front; without one, as much as unsynchronised machines usually differ.
 */
export const allowances = { withDateMs: 30_000, withoutDateMs: 300_000 } as const

/**
 * By how much a deployment's time must differ to prove that it is another's (ms). The clock of a service's database may be
 * wrong by minutes where nobody keeps it in step with that of its front, which writes the header Date. What lies between
 * this and the allowance is left to the user.
 */
export const proofMs = 300_000

/**
 * By how much the service's clock may have moved between an attempt and an answer, as their times show it (ms). An answer
 * says its time up to a minute before it is whole. Where it has moved further, or different machines answered, neither is
 * known to be the clock that the deployment's time is of.
 */
const agreementMs = 60_000

/** With the newest so many attempts at a name, what is there is compared; of others, only the time is. */
export const mostCompared = 50

/** A deployment that was created longer after an attempt began than this is another's (ms): no request waits so long. */
export const latestMs = 600_000

/**
 * Reads the service's clock off an answer. Its header Date has whole seconds, cut off, and was written between sending
 * and receiving (both by this machine's clock, in milliseconds).
 */
export function clockOf(date: string | null | undefined, receivedAt: number): Clock {
  const at = readDate(date, receivedAt)
  return at === null
    ? { offsetMs: 0, allowanceMs: allowances.withoutDateMs, isShown: false }
    : { offsetMs: at - receivedAt, allowanceMs: allowances.withDateMs, isShown: true }
}

/**
 * Says whether a lookup found the deployment of an attempt. Names are compared exactly: `name_contains` finds more.
 * Where none has the name, one that the service may have made of it is shown, and leaves it open. Where several fit, so
 * that the request may have been carried out more than once, only the user can say which one is meant.
 *
 * @param others identifiers of deployments that other attempts are known to have created
 * @param rivals other attempts at the name of which it is not known for good what became, the newest last: what fits one
 *   of them as well is not known to be this one's
 * @param perhapsOthers identifiers of what other attempts have created that were sent in another way, and so perhaps to
 *   another service: what has one of them here is not known to be this one's
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
  // One from later says more than an older one: something was created since.
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
  // One from another time says nothing of what else may be there.
  if (possible.length === 0 && doubt !== null) {
    return { ...nothing, at: seen.at, verdict: 'cannot-tell', reason: doubt }
  }
  const fitting = named.filter((_, index) => fits(judged[index]!))
  const fitsRival =
    fitting.some(({ id }) => perhapsOthers.has(id)) ||
    rivals.some((rival, index) =>
      fitting.some((one) => mayBe(rival, one, seen.clock, index >= rivals.length - mostCompared)),
    )
  if (best && (fitting.length > 1 || (fitsRival && best.verdict === 'found'))) {
    const reason = fitsRival ? 'several' : 'repeated'
    return { ...best, ...countedBeside(best, fitting), at: seen.at, verdict: 'cannot-tell', reason }
  }
  return { ...nothing, ...best, at: seen.at }
}

/** How many deployments fit and which others, if several do. */
function countedBeside(
  { deployment: best }: Judgement,
  fitting: readonly Deployment[],
): Pick<Lookup, 'fitting' | 'others'> {
  if (fitting.length < 2) return {}
  const others = fitting.filter(({ id }) => id !== best?.id).slice(0, mostFound - 1)
  return { fitting: fitting.length, others: others.map(shown) }
}

/** Whether one of another name may be the attempt's under a form of its name that the service prefers. */
const isOneAlike = (attempt: Attempt, deployment: Deployment, clock: Clock): boolean =>
  deployment.name !== attempt.name && provenTime(attempt, deployment.created_at, clock) !== 'older'

/**
 * What a look says that was made with other request headers than the attempt was sent with, or in another way, and so
 * perhaps in another account or at another service: what it found may be the attempt's, which only the user can say, and
 * what it lacks may be there all the same.
 *
 * @param mayBeShown whether what it found may be the attempt's, and be seen where the attempt is
 */
export function withOtherHeaders(lookup: Lookup, mayBeShown: boolean): Lookup {
  // Of an attempt of an earlier version this says more.
  if (mayBeShown && (lookup.reason === 'no-service' || lookup.reason === 'not-kept')) return lookup
  const deployment = mayBeShown && lookup.verdict !== 'not-found' ? lookup.deployment : null
  return { ...nothing, at: lookup.at, deployment, verdict: 'cannot-tell', reason: 'credentials' }
}

/** Whether a lookup found nothing of the name, in a list that was read to its end. */
export const isAbsent = ({ verdict, deployment }: Lookup): boolean =>
  verdict === 'not-found' && deployment === null

/** Whether what a look found is from another time than the attempt, as `provenTime` knows. */
export const isFromAnotherTime = ({ verdict, deployment, differences }: Judgement): boolean =>
  deployment !== null && (verdict === 'not-found' || (verdict === 'different' && isByTime(differences)))

/**
 * Whether times prove anything about an attempt: it was noted what the service's clock showed, or this machine's clock
 * has not been set since.
 */
const isTimed = ({ startedAtService, isSteady }: Attempt): boolean => startedAtService !== null || isSteady

/**
 * When something was created at this time, compared with an attempt; null where that is not proven to be another time. Only
 * a clock that the service shows proves it, since this machine's may be wrong.
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
 * By how much the clock that was seen when an attempt began may differ from that of a machine which shows none (ms): a clock
 * that is further off counts as not shown (`readDate`).
 */
const unseenMs = 24 * 3_600_000

/** The furthest that a clock may be from UTC by its zone, and more than any is (ms). */
const zonesMs = 14 * 3_600_000

/**
 * When what a look found was created, compared with the attempt. What nothing contradicts and is a few hours older may be
 * of a service that writes its local time as UTC: of that, no time is proven.
 */
export function timeOfFound(attempt: Attempt, lookup: Lookup, clock: Clock): 'older' | 'later' | null {
  const createdAt = lookup.deployment?.createdAt ?? null
  const time = provenTime(attempt, createdAt, clock)
  if (time !== 'older' || lookup.verdict !== 'different' || !isByTime(lookup.differences)) return time
  return isBeyondZones(attempt, createdAt, clock) ? time : null
}

/** Whether something is older than an attempt by more than a wrong zone explains. */
function isBeyondZones(attempt: Attempt, createdAt: string | null, clock: Clock): boolean {
  const time = readTime(createdAt)
  return time !== null && time.latest < beginOf(attempt, clock).at - zonesMs - proofMs
}

/**
 * Whether a deployment that was answered as the new one is another: it has other values than were sent, or more that no
 * service fills in, or is from another time. What an answer leaves out says nothing.
 */
export function isAnother(
  attempt: Attempt & { fingerprint: Fingerprint },
  deployment: Deployment,
  clock: Clock,
): boolean {
  if (provenTime(attempt, deployment.created_at, clock) !== null) return true
  const { contradictions, extras } = compare(attempt.fingerprint, deployment)
  return extras.length > 0 || contradictions.some((member) => !isResource(member))
}

/** Services round numbers of the resource spec and write its quantities anew; that does not make it another's. */
const isResource = (member: string): boolean => member.startsWith('source_config.resource_spec.')

/** What services change of a request by themselves: resources, and secrets that they add. */
const isServiceChange = (member: string): boolean => isResource(member) || member === 'secrets'

type Judgement = Omit<Lookup, 'at'>

const nothing: Judgement = { verdict: 'not-found', deployment: null, differences: [], reason: null }

const order: readonly Lookup['verdict'][] = ['found', 'cannot-tell', 'different', 'not-found']

/** Of several deployments of a name, the one that says most. */
const first = (judged: readonly Judgement[]): Judgement | undefined =>
  order.flatMap((verdict) => judged.filter((one) => one.verdict === verdict)).at(0)

function judge(attempt: Attempt, deployment: Deployment, clock: Clock): Judgement {
  const about = { ...nothing, deployment: shown(deployment) }
  const compared = attempt.fingerprint && compare(attempt.fingerprint, deployment)
  const differing = compared?.differences ?? []
  const time = provenTime(attempt, deployment.created_at, clock)
  if (time !== null) {
    // What nothing else contradicts may be the attempt's own after all: a clock was set, or the service's zone is wrong.
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

/** Whether a deployment that may be of the attempt's time has what was sent, and nothing else that somebody has set. */
const fits = ({ verdict, reason }: Judgement): boolean =>
  verdict === 'found' || (verdict === 'cannot-tell' && reason !== null && withWhatWasSent.includes(reason))

/** Doubts that aren't about the deployment itself. */
const withWhatWasSent: readonly NonNullable<Lookup['reason']>[] = [
  'secrets',
  'variables',
  'thin',
  'clock',
  'no-time',
]

/** When an attempt began by the service's clock (ms since 1970), and how sure that is. */
function beginOf(
  { startedAt, startedAtService }: Attempt,
  { offsetMs, allowanceMs }: Clock,
): { at: number; allowanceMs: number } {
  return startedAtService === null
    ? { at: Date.parse(startedAt) + offsetMs, allowanceMs }
    : { at: Date.parse(startedAtService), allowanceMs: allowances.withDateMs }
}

/**
 * Whether a clock of the service is known at all, and an answer that shows one shows the one that was seen when the attempt
 * began.
 */
function agrees({ startedAt, startedAtService }: Attempt, { offsetMs, isShown }: Clock): boolean {
  if (startedAtService === null) return isShown
  if (!isShown) return true
  return Math.abs(Date.parse(startedAtService) - Date.parse(startedAt) - offsetMs) <= agreementMs
}

/** Whether something was created at an attempt's time, as far as times say anything about that. */
function isInTime(attempt: Attempt, createdAt: string | null, clock: Clock): boolean {
  const time = readTime(createdAt)
  const { at, allowanceMs } = beginOf(attempt, clock)
  if (time === null || !isTimed(attempt)) return time !== null
  return time.earliest >= at - allowanceMs && time.latest <= at + latestMs + allowanceMs
}

/**
 * Whether a deployment may be a rival's: also one that took longer than any request should, or of which the list leaves
 * something out.
 */
function mayBe(rival: Attempt, deployment: Deployment, clock: Clock, isCompared: boolean): boolean {
  if (provenTime(rival, deployment.created_at, clock) === 'older') return false
  const { fingerprint } = rival
  return !isCompared || fingerprint === null || compare(fingerprint, deployment).contradictions.length === 0
}

/** Whether the time tells a deployment from an attempt, whatever else a service may have changed. */
const isByTime = (differences: readonly string[]): boolean => differences[0] === 'created_at'

/** Why a deployment that fits may still be somebody else's. */
function doubtOf(attempt: Attempt, compared: Comparison | null): Lookup['reason'] {
  if (compared === null || Object.keys(attempt.fingerprint?.members ?? {}).length === 0) return 'not-kept'
  if (attempt.serviceIdentity === null) return 'no-service'
  if (compared.extras.length > 0) return 'more'
  if (compared.hasSecrets) return 'secrets'
  if (compared.hasVariables) return 'variables'
  if (compared.isThin) return 'thin'
  return isTimed(attempt) ? null : 'clock'
}
