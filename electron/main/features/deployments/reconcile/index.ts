import { setMaxListeners } from 'node:events'
import {
  fail,
  failure,
  type Failure,
  isRecent,
  isUnconfirmed,
  shownCreation,
  type StoredCreation,
  succeed,
} from '@contract'
import { readyEnvironment } from '../../../environments/current-environment'
import { Absences, watchWallClock } from '../attempts/absence'
import { adoptAttempts, findAttempt, isAtService, orphanedAttempts } from '../attempts/open-attempts'
import { claimDeployment } from './claim'
import { lookUp, type LookupContext } from './lookup'
import { isAbandoned, isWithoutAnswer, stateAfterLookup } from './lookup-meaning'
import { lookUpAfterRefusal, reviewRefused, unknownAttempt } from './refused'
import { LookupSchedule } from './schedule'
import type { AttemptStart, Reconciler, ReconcilerOptions } from './types'

export { lookupTimesMs } from './schedule'
export type { AttemptStart, EarlierCreation, Reconciler } from './types'

export function createReconciler(options: ReconcilerOptions): Reconciler {
  const { environments, http, journal, monotonic, clocks, report } = options
  const starts = new Map<string, AttemptStart>()
  const absences = new Absences(monotonic)
  const context: LookupContext = { environments, http, journal, absences, starts }
  const schedule = new LookupSchedule({ monotonic, lookUp: lookUpOnSchedule, report })
  /** Running lookups, by attempt. Further callers join. */
  const running = new Map<string, Promise<void>>()
  const closing = new AbortController()
  // Every lookup under way listens, and there is one for each unconfirmed attempt.
  setMaxListeners(0, closing.signal)
  /** The environment that is offline, and the one whose attempts are scheduled. */
  let offline: string | null = null
  let followed: string | null = null

  const current = (): string => environments.state().currentEnvironmentId

  async function find(environmentId: string, id: string): Promise<StoredCreation | null> {
    const attempt = await findAttempt(journal, id)
    return attempt?.environmentId === environmentId ? attempt : null
  }

  /** An attempt that an environment can look up: its own, or one that another environment sent to the same service. */
  async function findForService(
    environmentId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<StoredCreation | null> {
    const attempt = await findAttempt(journal, id)
    if (!attempt || attempt.environmentId === environmentId) return attempt
    const ready = await readyEnvironment(environments, environmentId, signal)
    return ready.ok && isAtService(attempt, ready.value) ? attempt : null
  }

  /** Looks an attempt up and notes the result. Gives why there is none, or null. */
  async function lookUpAndNote(
    attempt: StoredCreation,
    environmentId: string,
    signal: AbortSignal,
  ): Promise<Failure | null> {
    const found = await lookUp(context, attempt, environmentId, signal)
    const reason = found.ok ? null : found.failure
    // Meanwhile another lookup or the operator may have settled it, or another environment may have adopted it.
    const now = await findAttempt(journal, attempt.id)
    if (!now || !isUnconfirmed(now)) return reason
    if (found.ok) {
      // In another account or by another route, a lookup says less than what is already known.
      const saysLess = found.value.lookup.reason === 'credentials' && now.lookup !== null
      if (saysLess && now.environmentId !== environmentId) return null
      const state = stateAfterLookup(now, found.value, absences)
      await journal.noteLookup(now.id, { state, lookup: found.value.lookup, lookFailure: null })
    } else await noteFailure(now, found.failure)
    return reason
  }

  async function noteFailure(attempt: StoredCreation, reason: Failure): Promise<void> {
    if (isAbandoned(reason)) return
    const known = attempt.lookFailure
    if (known?.code === reason.code && known.message === reason.message) return
    await journal.noteLookup(attempt.id, { lookFailure: reason })
  }

  function joinLookup(attempt: StoredCreation, environmentId: string, signal: AbortSignal): Promise<void> {
    const joined = running.get(attempt.id)
    if (joined) return joined
    const own = lookUpAndNote(attempt, environmentId, signal)
      .then(() => undefined)
      .finally(() => running.delete(attempt.id))
    running.set(attempt.id, own)
    return own
  }

  async function lookUpOnSchedule(environmentId: string, id: string): Promise<boolean> {
    const attempt = await find(environmentId, id)
    if (attempt?.state === 'unclear' && current() === environmentId)
      await joinLookup(attempt, environmentId, closing.signal)
    const after = await find(environmentId, id)
    return after?.state === 'unclear' && current() === environmentId && (await isScheduled(after))
  }

  /** Whether lookups of an attempt are scheduled. Those of this run always are, even if the clock was set. */
  async function isScheduled(attempt: StoredCreation): Promise<boolean> {
    if (starts.has(attempt.id)) return true
    const attempts = await journal.creations()
    const place = attempts.findIndex(({ id }) => id === attempt.id)
    return isRecent(attempt, attempts.slice(0, place))
  }

  /** Moves attempts at the environment's service to it if their own environment now leads elsewhere. */
  async function adopt(environmentId: string): Promise<void> {
    if ((await orphanedAttempts(journal, environments, environmentId)).length === 0) return
    const ready = await readyEnvironment(environments, environmentId, closing.signal)
    if (ready.ok) await adoptAttempts(journal, environments, ready.value)
  }

  async function follow(): Promise<void> {
    const environmentId = current()
    followed = environmentId
    await adopt(environmentId)
    for (const attempt of await journal.creations()) {
      if (attempt.environmentId !== environmentId || attempt.state !== 'unclear') continue
      if (schedule.has(attempt.id) || !(await isScheduled(attempt))) continue
      if (current() === environmentId) schedule.next(environmentId, attempt.id)
    }
  }

  const followInBackground = (): void => void follow().catch(report)

  const followAnew = (): void => {
    schedule.clear()
    followInBackground()
  }

  return {
    follow,

    async lookUp(environmentId, attemptId, signal) {
      const attempt = await findForService(environmentId, attemptId, signal)
      if (!attempt) return fail(unknownAttempt)
      if (isUnconfirmed(attempt)) await joinLookup(attempt, environmentId, signal)
      return succeed(shownCreation((await findForService(environmentId, attemptId, signal)) ?? attempt))
    },

    async lookUpBeforeSending(environmentId, attemptId, signal) {
      const attempt = await findForService(environmentId, attemptId, signal)
      if (!attempt) return unknownAttempt
      const reason = isUnconfirmed(attempt) ? await lookUpAndNote(attempt, environmentId, signal) : null
      return reason && !isWithoutAnswer(reason) ? reason : null
    },

    async lookUpAfterRefusal(environmentId, attemptId, refusal, signal) {
      const attempt = await find(environmentId, attemptId)
      return lookUpAfterRefusal(context, attempt, environmentId, refusal, signal)
    },

    reviewRefused: (environment, name, signal) =>
      reviewRefused(context, environment, name, signal, followInBackground),

    readClocks(target) {
      const at = clocks.now(target)
      return {
        startedAtService: at === null ? null : new Date(at).toISOString(),
        isSteady: watchWallClock(monotonic),
      }
    },

    noteStart: (attemptId, start) => void starts.set(attemptId, start),

    async claim(environmentId, attemptId, deploymentId, signal) {
      const ready = await readyEnvironment(environments, environmentId, signal)
      if (!ready.ok) return ready
      const attempt = await findForService(environmentId, attemptId, signal)
      if (!attempt) return fail(unknownAttempt)
      const reason = await claimDeployment({ journal, report }, attempt, deploymentId, ready.value)
      if (reason) return fail(reason)
      return succeed(shownCreation((await findForService(environmentId, attemptId, signal)) ?? attempt))
    },

    noteConnection({ environmentId, state }) {
      if (environmentId !== current()) return
      const isBack = state === 'online' && offline === environmentId
      offline = state === 'offline' || state === 'denied' ? environmentId : null
      if (isBack) followAnew()
    },

    noteEnvironment() {
      if (current() === followed) return
      offline = null
      followAnew()
    },

    noteJournal() {
      if (followed !== null) followInBackground()
    },

    noteSuspend: () => absences.suspend(),

    noteResume() {
      absences.resume()
      if (followed !== null) followAnew()
    },

    close() {
      closing.abort(failure('cancelled', 'Slipway is quitting, so nothing more is sent.'))
      schedule.close()
    },

    closed: () => (closing.signal.aborted ? (closing.signal.reason as Failure) : null),
  }
}
