import {
  canBeClaimed,
  type Connection,
  type CreationEntry,
  fail,
  failure,
  type Failure,
  type Outcome,
  type StoredCreation,
  succeed,
} from '@contract'
import type { Environments } from '../environments/port'
import type { HttpClient } from '../http/port'
import type { Journal } from '../journal'
import { listNamed } from './listing'
import { readyEnvironment } from './ready-environment'
import { clockOf, latestMs, recognise } from './recognise'

/** After how long an unclear attempt is looked for, in milliseconds since it became unclear or was taken up again. */
export const looksAfterMs: readonly number[] = [1_000, 3_000, 10_000, 30_000, 120_000, 600_000]

/** After this an attempt is looked for only on request, and no longer stands in the way of its name, in milliseconds. */
const forgottenAfterMs = 7 * 24 * 3600 * 1000

/** Whether it still matters what became of an attempt. */
export const isRecent = ({ startedAt }: CreationEntry): boolean =>
  Date.now() - Date.parse(startedAt) < forgottenAfterMs

/**
 * Finds out by reading what became of attempts whose answer was lost. It never sends anything again, and reads only
 * in the current environment.
 */
export interface FollowUp {
  /** Looks for the unclear attempts of the current environment again and again, until it is known or time is up. */
  follow: () => Promise<void>
  /**
   * Looks once, on request. Gives the attempt as it is known then; a look that got no answer is noted in it.
   * Failures: `not-found`, `environment-changed`, `internal` where the journal cannot be read.
   */
  look: (environmentId: string, attemptId: string, signal: AbortSignal) => Promise<Outcome<CreationEntry>>
  /**
   * Settles an attempt as having created the deployment that the last look found, because the user says so.
   * Failures: `not-found`; `conflict` where that is not what is known of the attempt any more.
   */
  claim: (environmentId: string, attemptId: string, deploymentId: string) => Promise<Outcome<CreationEntry>>
  /** Call it with every change of a connection: one that is back is a reason to look. */
  noteConnection: (connection: Connection) => void
  /** Call it when another environment may be the current one. */
  noteEnvironment: () => void
  close: () => void
}

export interface FollowUpParts {
  environments: Environments
  http: HttpClient
  journal: Journal
  report: (error: unknown) => void
}

export function createFollowUp({ environments, http, journal, report }: FollowUpParts): FollowUp {
  /** The series of looks that go on, by attempt. */
  const series = new Map<string, { since: number; timer: NodeJS.Timeout | null }>()
  /** Looks under way, by attempt: another one joins. */
  const underWay = new Map<string, Promise<void>>()
  const closing = new AbortController()
  let offline: string | null = null
  let followed: string | null = null

  const current = (): string => environments.state().currentEnvironmentId

  const find = async (environmentId: string, id: string): Promise<StoredCreation | null> =>
    (await journal.creations(environmentId)).find((entry) => entry.id === id) ?? null

  const lookOnce = async (entry: StoredCreation, signal: AbortSignal): Promise<void> => {
    const { environmentId, id } = entry
    const ready = await readyEnvironment(environments, environmentId, signal)
    const listed = ready.ok ? await listNamed(http, ready.value.target, entry.name, signal) : ready
    // Another look, or the answer itself, may have settled it in the meantime.
    const now = await find(environmentId, id)
    if (!now || !isOpen(now)) return
    if (!listed.ok) return await noteFailure(now, listed.failure)
    const { deployments, unreadable, complete, date, receivedAt } = listed.value
    const others = new Set((await journal.creations(environmentId)).flatMap((one) => one.deploymentId ?? []))
    const seen = {
      deployments,
      complete,
      unreadable,
      clock: clockOf(date, receivedAt),
      at: new Date(receivedAt).toISOString(),
    }
    const lookup = recognise(now, seen, others)
    const late = receivedAt - Date.parse(now.startedAt) >= latestMs
    const state =
      lookup.verdict === 'found'
        ? 'created'
        : lookup.verdict === 'not-found' && late
          ? 'not-created'
          : undefined
    await journal.noteLook(id, { state, lookup, lookFailure: null })
  }

  const noteFailure = async (entry: StoredCreation, reason: Failure): Promise<void> => {
    if (reason.code === 'cancelled' || reason.code === 'environment-changed') return
    const known = entry.lookFailure
    if (known?.code === reason.code && known.message === reason.message) return
    await journal.noteLook(entry.id, { lookFailure: reason })
  }

  const lookJoined = (entry: StoredCreation, signal: AbortSignal): Promise<void> => {
    const running = underWay.get(entry.id)
    if (running) return running
    const look = lookOnce(entry, signal).finally(() => underWay.delete(entry.id))
    underWay.set(entry.id, look)
    return look
  }

  const lookInSeries = async (environmentId: string, id: string): Promise<void> => {
    const entry = await find(environmentId, id)
    if (entry?.state === 'unclear' && current() === environmentId) await lookJoined(entry, closing.signal)
    const after = await find(environmentId, id)
    if (after?.state === 'unclear' && current() === environmentId) schedule(environmentId, id)
    else series.delete(id)
  }

  const schedule = (environmentId: string, id: string): void => {
    const own = series.get(id) ?? { since: Date.now(), timer: null }
    const elapsed = Date.now() - own.since
    const next = looksAfterMs.find((after) => after > elapsed)
    series.delete(id)
    if (next === undefined || closing.signal.aborted) return
    own.timer = setTimeout(() => void lookInSeries(environmentId, id).catch(report), next - elapsed)
    series.set(id, own)
  }

  const stop = (): void => {
    for (const { timer } of series.values()) if (timer) clearTimeout(timer)
    series.clear()
  }

  const follow = async (): Promise<void> => {
    const environmentId = current()
    followed = environmentId
    for (const entry of await journal.creations(environmentId)) {
      if (entry.state !== 'unclear' || series.has(entry.id) || !isRecent(entry)) continue
      if (current() === environmentId) schedule(environmentId, entry.id)
    }
  }

  return {
    follow,

    async look(environmentId, attemptId, signal) {
      const entry = await find(environmentId, attemptId)
      if (!entry) return fail(failure('not-found', 'The journal has no such attempt.'))
      if (isOpen(entry)) await lookJoined(entry, signal)
      return succeed(withoutFingerprint((await find(environmentId, attemptId)) ?? entry))
    },

    async claim(environmentId, attemptId, deploymentId) {
      const entry = await find(environmentId, attemptId)
      if (!entry) return fail(failure('not-found', 'The journal has no such attempt.'))
      const taken = (await journal.creations(environmentId)).some((one) => one.deploymentId === deploymentId)
      if (!canBeClaimed(entry) || entry.lookup?.deployment?.id !== deploymentId || taken) {
        return fail(
          failure('conflict', 'What is known of this attempt has changed in the meantime.', {
            advice: 'See what is said about it now.',
          }),
        )
      }
      await journal.noteLook(attemptId, { state: 'created', lookFailure: null })
      return succeed(withoutFingerprint((await find(environmentId, attemptId)) ?? entry))
    },

    noteConnection({ environmentId, state }) {
      if (environmentId !== current()) return
      const back = state === 'online' && offline === environmentId
      offline = state === 'offline' ? environmentId : null
      if (!back) return
      // The series begin anew, and with them the first look.
      stop()
      void follow().catch(report)
    },

    noteEnvironment() {
      if (current() === followed) return
      stop()
      offline = null
      void follow().catch(report)
    },

    close() {
      closing.abort(failure('cancelled', 'Slipway is ending.'))
      stop()
    },
  }
}

/** An attempt as others see it. */
function withoutFingerprint({ fingerprint: _kept, ...entry }: StoredCreation): CreationEntry {
  return entry
}

/** Whether looking may still change what is known of an attempt. */
const isOpen = ({ state }: CreationEntry): boolean => state === 'unclear' || state === 'not-created'
