import {
  canBeClaimed,
  type Connection,
  type CreationEntry,
  fail,
  failure,
  type Failure,
  type Fingerprint,
  isAlike,
  isRecent,
  isRefusedOutside,
  isUnconfirmed,
  type Lookup,
  type Outcome,
  shownCreation,
  type StoredCreation,
  succeed,
  withChosen,
} from '@contract'
import type { Environments, ReadyEnvironment } from '../../environments/types'
import { isUnreachable } from '../../http/connections'
import type { ServiceClient } from '../../cache-client/types'
import type { HttpTarget } from '../../http/types'
import { environmentChangedFailure } from '../../environments/failures'
import type { Journal, LookNote } from '../../journal'
import { Absences, absenceMs, type LookBegin, watchWallClock } from '../attempts/absence'
import {
  adoptAttempts,
  type CreatedIds,
  createdIds,
  isAtService,
  isSentAlike,
  journalFailure,
  orphans,
  otherServiceFailure,
} from '../attempts/open-attempts'
import { isRefusal, mayBeAccepted } from '../attempts/creation-end'
import { compareInTurns } from '../attempts/fingerprint'
import { listNamed } from '../list/named'
import { readyEnvironment } from '../../environments/current-environment'
import {
  clockOf,
  isAbsent,
  latestMs,
  mostCompared,
  matchAttempt,
  type Seen,
  timeOfFound,
  withOtherHeaders,
} from '../attempts/match-attempt'
import { type SeenOfRefused, stateAfterRefusal, stateUnseen } from '../attempts/refusal'
import type { ServiceClocks } from '../attempts/service-clocks'

/**
 * After how long an unconfirmed attempt is looked for, in milliseconds since it became so or was taken up again; then
 * again and again after the last of these times. Two looks that are far enough apart to show that it is not there are
 * among them, also where one in between gets no answer.
 */
export const looksAfterMs: readonly number[] = [
  1_000,
  3_000,
  10_000,
  30_000,
  120_000,
  absenceMs + 60_000,
  2 * absenceMs + 120_000,
  3_600_000,
]

/** What the look after a refusal shows: how the creation ended after all, and what the look found or why nothing. */
type RefusalLook = Required<Pick<LookNote, 'lookFailure'>> & {
  state: 'created' | 'refused' | 'unclear'
  lookup: Lookup | null
}

/** What an earlier attempt has created, and what it had sent; null where that is not known. */
export interface CreatedEarlier {
  deploymentId: string
  sent: Fingerprint | null
}

/** When an attempt begins, by clocks that nobody has set since. */
export interface Beginning {
  /** By the service's clock (ISO 8601); null where it is not known. */
  startedAtService: string | null
  /** Whether this machine's clock has not been set since. */
  isSteady: () => boolean
}

/**
 * Finds out by reading what became of unconfirmed attempts. It never sends anything again, reads only in the current
 * environment, and takes nothing from another service than the one that an attempt was sent to.
 */
export interface Reconciler {
  /** Looks for the unconfirmed attempts of the current environment again and again, until it is known. */
  follow: () => Promise<void>
  /**
   * Looks once, on request. Gives the attempt as it is known then; a look that got no answer is noted in it.
   * Failures: `not-found`, `environment-changed`, `internal` where the journal cannot be read.
   */
  look: (environmentId: string, attemptId: string, signal: AbortSignal) => Promise<Outcome<CreationEntry>>
  /**
   * Looks once before an attempt's name is sent again, whatever other looks are under way: one that began before, or
   * that somebody else may cancel, says nothing. Gives why nothing may be sent; null where it may, which is so as well
   * where the service gave no answer.
   */
  lookBeforeSending: (
    environmentId: string,
    attemptId: string,
    signal: AbortSignal,
  ) => Promise<Failure | null>
  /**
   * Looks whether an attempt that is still under way, and was refused, was carried out all the same (`refusal.ts`).
   * Notes nothing.
   */
  lookAfterRefusal: (
    environmentId: string,
    attemptId: string,
    refusal: Failure,
    signal: AbortSignal,
  ) => Promise<RefusalLook>
  /**
   * Looks whether an attempt at a name that was told as refused was carried out since; to be called before the name is
   * sent again. One that was, or may have been, is refused no more. Gives what is known of one that is created by now, or
   * null, which is so as well where the service gave no answer. Fails where the look was given up.
   */
  reviewRefused: (
    environment: ReadyEnvironment,
    name: string,
    signal: AbortSignal,
  ) => Promise<Outcome<CreatedEarlier | null>>
  /** Gives when an attempt begins that is about to be sent. */
  begin: (target: HttpTarget) => Beginning
  /** Notes that an attempt began so. */
  noteBegin: (attemptId: string, beginning: Beginning) => void
  /**
   * Settles an attempt as having created a deployment that the last look found, because the user says so.
   * Failures: `not-found`; `conflict` where that is not what is known of the attempt any more; `other-service`;
   * `internal` where the journal cannot be written; those of getting the environment ready.
   */
  claim: (
    environmentId: string,
    attemptId: string,
    deploymentId: string,
    signal: AbortSignal,
  ) => Promise<Outcome<CreationEntry>>
  /** Call it with every change of a connection: one that is back is a reason to look. */
  noteConnection: (connection: Connection) => void
  /** Call it when another environment may be the current one. */
  noteEnvironment: () => void
  /** Call it when the journal has read more attempts than it first could: they are looked for as well. */
  noteJournal: () => void
  /** Call it when the machine is suspended, and when it is awake again. */
  noteSuspend: () => void
  noteResume: () => void
  /** Ends what is under way, since the application ends. */
  close: () => void
  /** Why nothing is followed any more, so that nothing may be sent either; null while it is. */
  closed: () => Failure | null
}

export interface ReconcilerParts {
  environments: Environments
  http: ServiceClient
  journal: Journal
  /** A monotonic clock, in milliseconds. */
  monotonic: () => number
  clocks: Pick<ServiceClocks, 'now'>
  report: (error: unknown) => void
}

/** An attempt, with whether this machine's clock has not been set since it began. */
type Timed = StoredCreation & { isSteady: boolean }

/** What the journal knows of a name. */
interface Known {
  /** The identifiers of what is known to have been created at the service, or perhaps there. */
  created: CreatedIds
  /** The attempts of which it is not known for good what became. */
  open: readonly Timed[]
}

/** What a look brought, and when it began. */
interface Look extends SeenOfRefused {
  begin: LookBegin
}

export function createReconciler({
  environments,
  http,
  journal,
  monotonic,
  clocks,
  report,
}: ReconcilerParts): Reconciler {
  /** The series of looks that go on, by attempt. */
  const series = new Map<string, { since: number; timer: NodeJS.Timeout | null }>()
  /** Looks under way, by attempt: another one joins. */
  const underWay = new Map<string, Promise<void>>()
  const absences = new Absences(monotonic)
  /** Of the attempts of this run: when they began. */
  const beginnings = new Map<string, Beginning>()
  const closing = new AbortController()
  let offline: string | null = null
  let followed: string | null = null

  const current = (): string => environments.state().currentEnvironmentId

  const find = async (environmentId: string, id: string): Promise<StoredCreation | null> =>
    (await journal.creations()).find((one) => one.id === id && one.environmentId === environmentId) ?? null

  /** An attempt that can be looked for in an environment: its own, or one of another that was sent to its service. */
  const findFor = async (
    environmentId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<StoredCreation | null> => {
    const entry = (await journal.creations()).find((one) => one.id === id)
    if (!entry || entry.environmentId === environmentId) return entry ?? null
    const ready = await readyEnvironment(environments, environmentId, signal)
    return ready.ok && isAtService(entry, ready.value) ? entry : null
  }

  /** Asks the list of an environment for the deployment of an attempt. */
  const examine = async (
    entry: StoredCreation,
    environmentId: string,
    signal: AbortSignal,
  ): Promise<Outcome<Look>> => {
    const begin = absences.begin()
    const ready = await readyEnvironment(environments, environmentId, signal)
    if (!ready.ok) return ready
    if (!isAtService(entry, ready.value)) {
      // That another environment was edited meanwhile says nothing about the attempt.
      return fail(entry.environmentId === environmentId ? otherServiceFailure : environmentChangedFailure)
    }
    const seen = await listedAs(ready.value, entry.name, signal)
    if (!seen.ok) return seen
    const known = await knownOf(entry.name, ready.value)
    await compareAll([...known.open, entry], seen.value)
    return succeed({ ...recogniseIn(entry, ready.value, seen.value, known), begin })
  }

  /** Asks the list for everything of a name. */
  const listedAs = async (
    { target }: ReadyEnvironment,
    name: string,
    signal: AbortSignal,
  ): Promise<Outcome<Seen>> => {
    const listed = await listNamed(http, target, name, signal)
    if (!listed.ok) return listed
    const { deployments, unreadable, complete, date, receivedAt } = listed.value
    const at = new Date(receivedAt).toISOString()
    return succeed({ deployments, complete, unreadable, clock: clockOf(date, receivedAt), at })
  }

  const timed = (one: StoredCreation): Timed => ({
    ...one,
    isSteady: beginnings.get(one.id)?.isSteady() ?? false,
  })

  /** What the journal knows of a name, or one alike, at an environment's service. */
  const knownOf = async (name: string, environment: ReadyEnvironment): Promise<Known> => {
    const attempts = await journal.creations()
    return {
      created: createdIds(attempts, environment),
      open: attempts
        .filter((one) => isAlike(one.name, name))
        .map(timed)
        .filter(
          (one) =>
            (one.state === 'sending' ||
              isUnconfirmed(one) ||
              (mayBeThereAllTheSame(one) && !isLongGone(one))) &&
            isAtService(one, environment),
        ),
    }
  }

  /** Compares beforehand what `recogniseIn` will compare. */
  const compareAll = (attempts: readonly StoredCreation[], { deployments }: Seen): Promise<void> => {
    const names = new Set(attempts.map(({ name }) => name))
    const known = new Map(attempts.map(({ id, fingerprint }) => [id, fingerprint]))
    return compareInTurns(
      [...known.values()].filter((one) => one !== null).slice(-2 * mostCompared),
      deployments.filter(({ name }) => names.has(name)),
    )
  }

  /** Looks for the deployment of an attempt in what the list has. */
  const recogniseIn = (
    entry: StoredCreation,
    environment: ReadyEnvironment,
    seen: Seen,
    { created, open }: Known,
  ): SeenOfRefused => {
    const attempt = timed(entry)
    const rivals = open.filter(({ id }) => id !== entry.id)
    const timeOf = (lookup: Lookup): SeenOfRefused['time'] => timeOfFound(attempt, lookup, seen.clock)
    const found = matchAttempt(attempt, seen, created.known, rivals, created.perhaps)
    const isSent = isSentAlike(entry, environment) === true
    // The account of another environment is not that of the attempt's own, where the attempt is shown as well.
    const mayBeShown = entry.environmentId === environment.id && timeOf(found) !== 'older'
    const lookup = isSent ? found : withOtherHeaders(found, mayBeShown)
    return {
      lookup,
      isAnothers: seen.deployments.some(({ id, name }) => name === entry.name && created.known.has(id)),
      time: timeOf(lookup),
    }
  }

  /** Looks, and notes what that brought. Gives why it brought nothing. */
  const lookOnce = async (
    entry: StoredCreation,
    environmentId: string,
    signal: AbortSignal,
  ): Promise<Failure | null> => {
    const looked = await examine(entry, environmentId, signal)
    const reason = looked.ok ? null : looked.failure
    // Another look, or the user, may have settled it in the meantime, or another environment taken it over.
    const now = (await journal.creations()).find(({ id }) => id === entry.id)
    if (!now || !isUnconfirmed(now)) return reason
    if (looked.ok) {
      const { lookup } = looked.value
      await journal.noteLook(now.id, { state: stateAfter(now, looked.value), lookup, lookFailure: null })
    } else await noteFailure(now, looked.failure)
    return reason
  }

  /** What a look makes of an unconfirmed attempt; undefined where it stays as it was. */
  const stateAfter = (entry: StoredCreation, look: Look): LookNote['state'] => {
    const { lookup, begin } = look
    if (lookup.verdict === 'found') return 'created'
    // One that is older, and not what was sent, is not it: then the list lacks it as well.
    const isMissing = isAbsent(lookup) || (lookup.verdict === 'not-found' && look.time === 'older')
    if (lookup.deployment !== null && !isMissing) {
      absences.forget(entry.id)
      // It was not there after all: later something is that may be it.
      if (entry.state === 'not-created') return 'unclear'
    }
    // One that does not say where it was sent is settled by nobody but the user.
    const isPlaced = entry.serviceIdentity !== null && entry.fingerprint !== null
    if (!isPlaced || (!isMissing && look.time !== 'older')) return undefined
    const { failure: reason } = entry
    if (reason && isRefusal(reason) && stateAfterRefusal(reason, look) === 'refused') return 'refused'
    if (!isMissing || (reason && mayBeAccepted(reason))) return undefined
    return absences.note(entry.id, begin) ? 'not-created' : undefined
  }

  const noteFailure = async (entry: StoredCreation, reason: Failure): Promise<void> => {
    if (isGivenUp(reason)) return
    const known = entry.lookFailure
    if (known?.code === reason.code && known.message === reason.message) return
    await journal.noteLook(entry.id, { lookFailure: reason })
  }

  const lookJoined = (entry: StoredCreation, environmentId: string, signal: AbortSignal): Promise<void> => {
    const running = underWay.get(entry.id)
    if (running) return running
    const look = lookOnce(entry, environmentId, signal)
      .then(() => undefined)
      .finally(() => underWay.delete(entry.id))
    underWay.set(entry.id, look)
    return look
  }

  /** Whether an attempt is looked for by itself: one of this run always is, whatever the clock said. */
  const isFollowed = async (entry: StoredCreation): Promise<boolean> => {
    if (beginnings.has(entry.id)) return true
    const attempts = await journal.creations()
    const place = attempts.findIndex(({ id }) => id === entry.id)
    return isRecent(entry, attempts.slice(0, place))
  }

  const lookInSeries = async (environmentId: string, id: string): Promise<void> => {
    // Also where it ends with an error: the next look may not.
    let goesOn = true
    try {
      const entry = await find(environmentId, id)
      if (entry?.state === 'unclear' && current() === environmentId)
        await lookJoined(entry, environmentId, closing.signal)
      const after = await find(environmentId, id)
      goesOn = after?.state === 'unclear' && current() === environmentId && (await isFollowed(after))
    } finally {
      if (goesOn) schedule(environmentId, id)
      else series.delete(id)
    }
  }

  const schedule = (environmentId: string, id: string): void => {
    const own = series.get(id) ?? { since: monotonic(), timer: null }
    const elapsed = monotonic() - own.since
    const last = looksAfterMs.at(-1)!
    const next = looksAfterMs.find((after) => after > elapsed) ?? (Math.floor(elapsed / last) + 1) * last
    series.delete(id)
    if (closing.signal.aborted) return
    own.timer = setTimeout(() => void lookInSeries(environmentId, id).catch(report), next - elapsed)
    series.set(id, own)
  }

  const stop = (): void => {
    for (const { timer } of series.values()) if (timer) clearTimeout(timer)
    series.clear()
  }

  /** Takes over what was left open at this service by an environment that does not lead there any more. */
  const adopt = async (environmentId: string): Promise<void> => {
    if ((await orphans(journal, environments, environmentId)).length === 0) return
    const ready = await readyEnvironment(environments, environmentId, closing.signal)
    if (ready.ok) await adoptAttempts(journal, environments, ready.value)
  }

  const follow = async (): Promise<void> => {
    const environmentId = current()
    followed = environmentId
    await adopt(environmentId)
    for (const entry of await journal.creations()) {
      if (entry.environmentId !== environmentId || entry.state !== 'unclear') continue
      if (series.has(entry.id) || !(await isFollowed(entry))) continue
      if (current() === environmentId) schedule(environmentId, entry.id)
    }
  }

  /** The series begin anew, and with them the first look. */
  const followAnew = (): void => {
    stop()
    void follow().catch(report)
  }

  return {
    follow,

    async look(environmentId, attemptId, signal) {
      const entry = await findFor(environmentId, attemptId, signal)
      if (!entry) return fail(unknownAttempt)
      if (isUnconfirmed(entry)) await lookJoined(entry, environmentId, signal)
      return succeed(shownCreation((await findFor(environmentId, attemptId, signal)) ?? entry))
    },

    async lookBeforeSending(environmentId, attemptId, signal) {
      const entry = await findFor(environmentId, attemptId, signal)
      if (!entry) return unknownAttempt
      const reason = isUnconfirmed(entry) ? await lookOnce(entry, environmentId, signal) : null
      return reason && !isWithoutAnswer(reason) ? reason : null
    },

    async lookAfterRefusal(environmentId, attemptId, refusal, signal) {
      const entry = await find(environmentId, attemptId)
      const looked = entry ? await examine(entry, environmentId, signal) : fail(unknownAttempt)
      if (!looked.ok) {
        const reason = looked.failure
        const state = stateUnseen(refusal, reason)
        return { state, lookup: null, lookFailure: isGivenUp(reason) ? null : reason }
      }
      const { lookup } = looked.value
      const state = stateAfterRefusal(refusal, looked.value) ?? stateUnseen(refusal, lookup)
      return { state, lookup, lookFailure: null }
    },

    async reviewRefused(environment, name, signal) {
      const refused = (await journal.creations())
        .filter((one) => one.name === name && mayBeThereAllTheSame(one) && isAtService(one, environment))
        .slice(-mostCompared)
      if (refused.length === 0) return succeed(null)
      const seen = await listedAs(environment, name, signal)
      if (!seen.ok) return isWithoutAnswer(seen.failure) ? succeed(null) : seen
      const known = await knownOf(name, environment)
      await compareAll([...known.open, ...refused], seen.value)
      let created: CreatedEarlier | null = null
      for (const entry of refused) {
        const look = recogniseIn(entry, environment, seen.value, known)
        const state = stateAfterRefusal(entry.failure!, look)
        const { lookup } = look
        if (isAbsent(lookup) && isNews(entry, lookup))
          await journal.noteLook(entry.id, { lookup, lookFailure: null })
        // With nothing of the name there, nothing has changed since it was refused.
        if (lookup.deployment === null || (state !== 'created' && state !== 'unclear')) continue
        await journal.noteLook(entry.id, { state, lookup, lookFailure: null })
        if (state === 'created') {
          // Then it is none of the others'.
          created = { deploymentId: lookup.deployment.id, sent: entry.fingerprint }
          break
        }
      }
      void follow().catch(report)
      return succeed(created)
    },

    begin(target) {
      const at = clocks.now(target)
      return {
        startedAtService: at === null ? null : new Date(at).toISOString(),
        isSteady: watchWallClock(monotonic),
      }
    },

    noteBegin: (attemptId, beginning) => void beginnings.set(attemptId, beginning),

    async claim(environmentId, attemptId, deploymentId, signal) {
      const ready = await readyEnvironment(environments, environmentId, signal)
      if (!ready.ok) return ready
      const entry = await findFor(environmentId, attemptId, signal)
      if (!entry) return fail(unknownAttempt)
      if (!isAtService(entry, ready.value)) return fail(otherServiceFailure)
      const taken = createdIds(await journal.creations(), ready.value).known.has(deploymentId)
      const chosen = entry.lookup && withChosen(entry.lookup, deploymentId)
      if (!canBeClaimed(entry) || chosen === null || taken) {
        return fail(
          failure('conflict', 'What is known of this attempt has changed in the meantime.', {
            advice: 'See what is said about it now.',
          }),
        )
      }
      // With what was claimed: another look may have found something else by now.
      try {
        await journal.claimCreation(attemptId, chosen)
      } catch (error) {
        report(error)
        return fail(journalFailure('the attempt is still unconfirmed'))
      }
      return succeed(shownCreation((await findFor(environmentId, attemptId, signal)) ?? entry))
    },

    noteConnection({ environmentId, state }) {
      if (environmentId !== current()) return
      const back = state === 'online' && offline === environmentId
      offline = state === 'offline' ? environmentId : null
      if (back) followAnew()
    },

    noteEnvironment() {
      if (current() === followed) return
      offline = null
      followAnew()
    },

    noteJournal() {
      if (followed !== null) void follow().catch(report)
    },

    noteSuspend() {
      absences.suspend()
    },

    noteResume() {
      absences.resume()
      if (followed !== null) followAnew()
    },

    close() {
      closing.abort(failure('cancelled', 'Slipway is quitting, so nothing more is sent.'))
      stop()
    },

    closed: () => (closing.signal.aborted ? (closing.signal.reason as Failure) : null),
  }
}

/** Whether the network refused an attempt, and nothing answered. */
const isNetworkRefusal = ({ failure: reason }: CreationEntry): boolean => reason?.sent === 'no'

/**
 * Whether an attempt that was refused may have been carried out; of one without a fingerprint nobody could tell. Where
 * the network refused it, that was before: a service that creates, and then has Chromium send the request again (421),
 * does so before it says so. So one look is enough.
 */
const mayBeThereAllTheSame = (entry: StoredCreation): boolean =>
  isRefusedOutside(entry) && entry.fingerprint !== null && !(isNetworkRefusal(entry) && wasAbsent(entry))

/**
 * Whether a refused attempt was looked for so long after its end that what is created later is another's. Only a clock
 * that was not set since it began says how long that was.
 */
const isLongGone = (entry: Timed): boolean =>
  entry.isSteady && wasAbsent(entry) && isLate(entry, entry.lookup!)

const isLate = ({ startedAt, endedAt }: CreationEntry, lookup: Lookup): boolean =>
  Date.parse(lookup.at) - Date.parse(endedAt ?? startedAt) >= latestMs

/** Whether it says more of a refused attempt that it is absent again: each absence that is noted costs a line on disk. */
const isNews = (entry: CreationEntry, lookup: Lookup): boolean =>
  !wasAbsent(entry) || (isLate(entry, lookup) && !isLate(entry, entry.lookup!))

const wasAbsent = ({ lookup }: CreationEntry): boolean => lookup !== null && isAbsent(lookup)

/** Whether a look was given up: that is no look. */
const isGivenUp = ({ code }: Failure): boolean => code === 'cancelled' || code === 'environment-changed'

/** Whether a look failed because the service gave no answer, or none about this attempt; not because it was given up. */
const isWithoutAnswer = (reason: Failure): boolean =>
  isUnreachable(reason) ||
  reason.status !== null ||
  reason.code === 'unreadable-answer' ||
  reason.code === 'other-service'

const unknownAttempt = failure('not-found', 'The journal has no such attempt.')
