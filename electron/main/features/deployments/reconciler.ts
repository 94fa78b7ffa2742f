import { setMaxListeners } from 'node:events'
import {
  type Connection,
  type CreationEntry,
  fail,
  failure,
  foundIn,
  isRecent,
  isUnconfirmed,
  type Lookup,
  type Outcome,
  type ParsedCallInput,
  succeed,
} from '@contract'
import type { Environments } from '../../environments'
import { readyEnvironment } from '../../environments/known'
import type { ServiceClient } from '../../processes/cache-client'
import { type Journal, JournalError, shownCreation, type StoredCreation } from '../../stored/journal'
import { listNamed } from './list'
import { adoptAttempts, isAtService, othersAt, matchAttempt } from './attempts'

/**
 * How long after it became unconfirmed, or was followed anew, an attempt is looked up, and then after each lookup, in
 * milliseconds. The last wait repeats.
 */
export const lookupWaitsMs: readonly number[] = [1_000, 2_000, 7_000, 20_000, 90_000, 600_000, 3_600_000]

/**
 * Finds out how unconfirmed attempts ended, by reading alone, or by the operator's word. It never sends a creation. It
 * reads only in the current environment, and ignores every service but the one that an attempt was sent to.
 */
export function createReconciler(options: {
  environments: Environments
  http: ServiceClient
  journal: Journal
  report: (error: unknown) => void
}) {
  const { environments, http, journal, report } = options
  /** The next lookup of each attempt that is followed. */
  const timers = new Map<string, NodeJS.Timeout>()
  /** Running lookups, by attempt. Further callers join. */
  const running = new Map<string, Promise<void>>()
  const closing = new AbortController()
  // Every lookup under way listens, and there is one for each unconfirmed attempt.
  setMaxListeners(0, closing.signal)
  /** The environment that is offline, and the one whose attempts are followed. */
  let offline: string | null = null
  let followed: string | null = null

  const current = (): string => environments.state().currentEnvironmentId

  /** An attempt that an environment can look up: its own, or one that another environment sent to the same service. */
  async function find(
    environmentId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<StoredCreation | null> {
    const attempt = await journal.creation(id)
    if (!attempt || attempt.environmentId === environmentId) return attempt
    const ready = await readyEnvironment(environments, environmentId, signal)
    return ready.ok && isAtService(attempt, ready.value) ? attempt : null
  }

  const shown = async (attempt: StoredCreation): Promise<Outcome<CreationEntry>> =>
    succeed(shownCreation((await journal.creation(attempt.id)) ?? attempt))

  /** Reads what an environment's list has for an attempt, and matches it. */
  async function read(
    attempt: StoredCreation,
    environmentId: string,
    signal: AbortSignal,
  ): Promise<Outcome<Lookup>> {
    const ready = await readyEnvironment(environments, environmentId, signal)
    if (!ready.ok) return ready
    if (!isAtService(attempt, ready.value)) return fail(otherServiceFailure)
    const listed = await listNamed(http, ready.value.target, attempt.name, signal)
    if (!listed.ok) return listed
    return succeed(matchAttempt(attempt, listed.value, await othersAt(journal, ready.value, attempt)))
  }

  /** Looks an attempt up and notes the result. */
  function look(attempt: StoredCreation, environmentId: string, signal: AbortSignal): Promise<void> {
    const joined = running.get(attempt.id)
    if (joined) return joined
    const own = read(attempt, environmentId, signal)
      .then((found) => note(attempt.id, found))
      .finally(() => running.delete(attempt.id))
    running.set(attempt.id, own)
    return own
  }

  async function note(id: string, found: Outcome<Lookup>): Promise<void> {
    if (found.ok) {
      const state = found.value.verdict === 'found' ? 'created' : undefined
      return await journal.noteLookup(id, { state, lookup: found.value, lookFailure: null })
    }
    const known = (await journal.creation(id))?.lookFailure
    const { code, message } = found.failure
    const saysNothing = code === 'cancelled' || code === 'environment-changed'
    if (saysNothing || (known?.code === code && known.message === message)) return
    await journal.noteLookup(id, { lookFailure: found.failure })
  }

  function schedule(environmentId: string, id: string, step = 0): void {
    const waitMs = lookupWaitsMs[Math.min(step, lookupWaitsMs.length - 1)]
    const timer = setTimeout(() => {
      void lookOnSchedule(environmentId, id)
        .catch(report)
        .finally(() => {
          // Meanwhile all may have been cleared, and followed anew.
          if (timers.get(id) !== timer) return
          timers.delete(id)
          void goOn(environmentId, id, step + 1).catch(report)
        })
    }, waitMs)
    timers.set(id, timer)
  }

  async function lookOnSchedule(environmentId: string, id: string): Promise<void> {
    const attempt = await journal.creation(id)
    if (attempt && isFollowed(attempt, environmentId)) await look(attempt, environmentId, closing.signal)
  }

  const isFollowed = (attempt: StoredCreation, environmentId: string): boolean =>
    isUnconfirmed(attempt) &&
    attempt.environmentId === environmentId &&
    current() === environmentId &&
    isRecent(attempt) &&
    !closing.signal.aborted

  async function goOn(environmentId: string, id: string, step: number): Promise<void> {
    const attempt = await journal.creation(id)
    if (attempt && isFollowed(attempt, environmentId) && !timers.has(id)) schedule(environmentId, id, step)
  }

  async function follow(): Promise<void> {
    const environmentId = current()
    followed = environmentId
    if (
      (await journal.creations()).some((one) => isUnconfirmed(one) && one.environmentId !== environmentId)
    ) {
      const ready = await readyEnvironment(environments, environmentId, closing.signal)
      if (ready.ok) await adoptAttempts(journal, environments, ready.value)
    }
    for (const { id } of await journal.creations()) await goOn(environmentId, id, 0)
  }

  function clear(): void {
    for (const timer of timers.values()) clearTimeout(timer)
    timers.clear()
  }

  const followInBackground = (): void => void follow().catch(report)

  const followAnew = (): void => {
    clear()
    followInBackground()
  }

  return {
    /** Schedules lookups for the unconfirmed attempts of the current environment until each is settled. */
    follow,

    /**
     * Looks an attempt up once, on request. Gives the attempt as it is then known, including a lookup without an answer.
     * Failures: `not-found`, `environment-changed`, `internal` if the journal can't be read.
     */
    async lookUp(
      { environmentId, attemptId }: ParsedCallInput<'deployments.lookUp'>,
      signal: AbortSignal,
    ): Promise<Outcome<CreationEntry>> {
      const attempt = await find(environmentId, attemptId, signal)
      if (!attempt) return fail(unknownAttempt)
      if (isUnconfirmed(attempt)) await look(attempt, environmentId, signal)
      return await shown(attempt)
    },

    /**
     * Settles an attempt as the creator of a deployment that the last lookup found, because the operator says so.
     * Failures: `not-found`; `conflict` if more is known of the attempt by now; `other-service`; `internal` if the
     * journal can't be written; those of `readyEnvironment`.
     */
    async claim(
      { environmentId, attemptId, deploymentId }: ParsedCallInput<'deployments.claim'>,
      signal: AbortSignal,
    ): Promise<Outcome<CreationEntry>> {
      const ready = await readyEnvironment(environments, environmentId, signal)
      if (!ready.ok) return ready
      const attempt = await find(environmentId, attemptId, signal)
      if (!attempt) return fail(unknownAttempt)
      if (!isAtService(attempt, ready.value)) return fail(otherServiceFailure)
      // Uses the lookup that the operator saw: another lookup may have found something else by now.
      const chosen = isUnconfirmed(attempt) && attempt.lookup && withChosen(attempt.lookup, deploymentId)
      const { taken } = await othersAt(journal, ready.value, attempt)
      if (!chosen || taken.has(deploymentId)) return fail(outdatedFailure)
      return await settle(attempt, { state: 'created', lookup: chosen })
    },

    /** Settles an attempt because the operator says that nothing is left to find out. Failures as above. */
    async dismiss(
      { environmentId, attemptId }: ParsedCallInput<'deployments.dismiss'>,
      signal: AbortSignal,
    ): Promise<Outcome<CreationEntry>> {
      const attempt = await find(environmentId, attemptId, signal)
      if (!attempt) return fail(unknownAttempt)
      return isUnconfirmed(attempt) ? await settle(attempt, { state: 'dismissed' }) : fail(outdatedFailure)
    },

    /** Call it after every change of a connection: a lookup may succeed once the service is back. */
    noteConnection({ environmentId, state }: Connection) {
      if (environmentId !== current()) return
      const isBack = state === 'online' && offline === environmentId
      offline = state === 'offline' || state === 'denied' ? environmentId : null
      if (isBack) followAnew()
    },

    /** Call it when another environment may be current. */
    noteEnvironment() {
      if (current() === followed) return
      offline = null
      followAnew()
    },

    /** Call it when the journal has read more attempts than at first. */
    noteJournal() {
      if (followed !== null) followInBackground()
    },

    /** Call it when the machine wakes up. */
    noteResume() {
      if (followed !== null) followAnew()
    },

    /** Cancels all lookups, because the application quits. */
    close() {
      closing.abort(failure('cancelled', 'Slipway is quitting, so nothing more is sent.'))
      clear()
    },

    /** Aborts, with a failure, when nothing may be sent any more: nothing would be looked up afterwards. */
    closing: closing.signal,
  }

  async function settle(
    attempt: StoredCreation,
    word: Parameters<Journal['settleCreation']>[1],
  ): Promise<Outcome<CreationEntry>> {
    try {
      await journal.settleCreation(attempt.id, word)
      return await shown(attempt)
    } catch (error) {
      if (!(error instanceof JournalError)) throw error
      report(error)
      return fail(error.failure('the attempt is still unconfirmed'))
    }
  }
}

export type Reconciler = ReturnType<typeof createReconciler>

const unknownAttempt = failure('not-found', 'The journal has no such attempt.')

const outdatedFailure = failure('conflict', 'The state of this attempt has changed.', {
  advice: 'Check its current state.',
})

/** Why an environment's service says nothing about an attempt. */
const otherServiceFailure = failure(
  'other-service',
  'This environment now points to a different service or workspace than the one this was sent to.',
  {
    advice:
      'Set its base URL and workspace back, or add an environment that leads there, to check the result.',
  },
)

/** A lookup with the deployment `id` chosen as the attempt's; null if the lookup didn't find it. */
function withChosen(lookup: Lookup, id: string): Lookup | null {
  const found = foundIn(lookup)
  const deployment = found.find((one) => one.id === id)
  if (!deployment) return null
  const others = found.filter((one) => one !== deployment)
  return { ...lookup, deployment, ...(others.length > 0 ? { others } : {}) }
}
