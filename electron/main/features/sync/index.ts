import { fail, failure, type Outcome, succeed } from '@contract'
import { cacheNotes, defaultSyncInterval, type SyncState } from '@contract/cache'
import { startSpan } from '../../async'
import type { Cache } from '../../processes/cache-client'
import type { Environments } from '../../environments'
import { accountIn, builtInMode, existsIn, nameIn } from '../../environments/known'
import type { HttpClient } from '../../http/client'
import type { Journal } from '../../stored/journal'
import { synchronise, type SyncProgress, type SyncResult } from './engine'
import { createSource, createStore, systemClock } from './reader'

export interface SynchronisationOptions {
  environments: Environments
  /** Without write-through: a synchronisation writes pages itself. */
  http: HttpClient
  cache: Cache
  journal: Pick<Journal, 'beginSynchronisation' | 'endSynchronisation'>
  changed: (state: SyncState) => void
  /** Whether background work may begin: the window is shown and the service can be reached. */
  mayWork: (environmentId: string) => boolean
  report: (error: unknown) => void
}

type Interval = SyncState['intervalMinutes']

interface Running {
  controller: AbortController
  automatic: boolean
  /** Why it is being stopped: the operator cancelled it, or it starts over later. */
  ending: 'cancelled' | 'paused' | null
  done: Promise<void>
}

/** What is known of an environment in this session. */
interface Known {
  running: Running | null
  progress: SyncState['progress']
  last: SyncState['last']
  settings: Settings
}

/** The settings of the synchronisation in the cache. */
interface Settings {
  intervalMinutes: Interval
  schedule: Schedule
  total: number | null
}

const notCurrent = failure('environment-changed', 'Only the current environment can be synced.', {
  advice: 'Switch to this environment, then sync it.',
})

/** How often the page gets progress at most, in milliseconds. */
const progressEveryMs = 250

export type Synchronisation = ReturnType<typeof createSynchronisation>

/**
 * The synchronisation of the caches: on request, and automatically for the current environment. A sandbox is also
 * synchronised once without being current.
 */
export function createSynchronisation(options: SynchronisationOptions) {
  const { environments, cache, journal, changed, mayWork, report } = options
  const known = new Map<string, Known>()
  /** The intervals that were chosen in this session, by environment. */
  const chosen = new Map<string, Interval>()
  /** Why caches aren't written, and what else is wrong with them, by environment. The first is shown before the other. */
  const unwritten = new Map<string, string>()
  const problems = new Map<string, string>()
  let closed = false

  async function about(environmentId: string): Promise<Known> {
    const before = known.get(environmentId)
    if (before) return before
    const settings = await readSettings(environmentId)
    const raced = known.get(environmentId)
    if (raced) return raced
    const fresh: Known = { running: null, progress: null, last: null, settings }
    known.set(environmentId, fresh)
    return fresh
  }

  async function readSettings(environmentId: string): Promise<Settings> {
    const note = await cache.ask(environmentId, 'read-note', { key: cacheNotes.interval })
    const state = await cache.ask(environmentId, 'state', {})
    const stored = note.ok && note.value !== null ? (Number(note.value) as Interval) : defaultSyncInterval
    const at = state.ok && state.value.synchronisedAt ? Date.parse(state.value.synchronisedAt) : null
    return {
      intervalMinutes: chosen.get(environmentId) ?? stored,
      schedule: new Schedule(at),
      total: state.ok && at !== null ? state.value.deployments - state.value.gone : null,
    }
  }

  async function state(environmentId: string): Promise<SyncState> {
    // This comes first: if the environment was edited, it forgets what is known.
    const cached = await cache.ask(environmentId, 'state', {})
    const { progress, last, settings } = await about(environmentId)
    return {
      environmentId,
      progress,
      last,
      cache: cached.ok ? cached.value : null,
      storage: cache.storage(environmentId),
      intervalMinutes: settings.intervalMinutes,
      problem: problemOf(environmentId) ?? (cached.ok ? null : cached.failure.message),
    }
  }

  const problemOf = (environmentId: string): string | null =>
    unwritten.get(environmentId) ?? problems.get(environmentId) ?? null

  function forgetProblems(environmentId: string): void {
    problems.delete(environmentId)
    unwritten.delete(environmentId)
  }

  const notify = (environmentId: string): void => {
    void state(environmentId).then(changed).catch(report)
  }

  const isCurrent = (environmentId: string): boolean =>
    environments.state().currentEnvironmentId === environmentId

  /** Whether an environment may be synchronised: the current one, and a sandbox that never was. */
  const mayRun = (environmentId: string): boolean =>
    isCurrent(environmentId) ||
    (builtInMode(environmentId) !== null && known.get(environmentId)?.settings.total === null)

  async function begin(environmentId: string, automatic: boolean): Promise<void> {
    const environment = await about(environmentId)
    // Another environment may have become current meanwhile. That only ends running work.
    if (environment.running || closed || !mayRun(environmentId)) return
    const controller = new AbortController()
    const running: Running = { controller, automatic, ending: null, done: Promise.resolve() }
    environment.running = running
    running.done = run(environmentId, environment, running).then(fillSandboxes).catch(report)
  }

  async function run(environmentId: string, environment: Known, running: Running): Promise<void> {
    const { signal } = running.controller
    const measured = startSpan()
    const meter = new Meter(environment.settings.total, running.automatic)
    const service = await cache.service(environmentId)
    const place = { environmentId, service: service.ok ? service.value : 'unknown' }
    const adapters = {
      source: createSource(environments, options.http, place),
      store: createStore(cache, place),
      clock: systemClock,
      random: Math.random,
    }
    let notifiedAt = 0
    environment.progress = meter.view()
    notify(environmentId)
    // On the disk before the work begins, so that the next start finds an interrupted run.
    const entry = await noteStart(environmentId, running.automatic)
    const problem = problems.get(environmentId)
    let result: SyncResult
    try {
      result = await synchronise(adapters, {}, signal, (progress) => {
        environment.progress = meter.note(progress)
        if (Date.now() - notifiedAt < progressEveryMs) return
        notifiedAt = Date.now()
        notify(environmentId)
      })
    } finally {
      environment.running = null
      environment.progress = null
    }
    const span = measured()
    const { sentAt, receivedAt: at } = span
    const { moving, covered, gone, found } = result
    let { failure } = result
    let end = result.end === 'cancelled' ? (running.ending ?? 'cancelled') : result.end
    if (end === 'complete') {
      const noted = await cache.ask(environmentId, 'synchronised', { span }, place.service)
      if (!noted.ok) {
        // The cache may have every page, but neither its age nor its history says so.
        const isElsewhere = noted.failure.code === 'environment-changed'
        end = closed ? 'paused' : isElsewhere ? 'cancelled' : 'failed'
        failure = end === 'failed' ? noted.failure : null
      }
    }
    if (end === 'complete' || end === 'unsettled') {
      environment.settings.total = covered
      unwritten.delete(environmentId)
      // What arose meanwhile hasn't been read yet, and may be about history that no synchronisation brings back.
      if (problems.get(environmentId) === problem) problems.delete(environmentId)
    }
    // Its cache fails whatever is under way.
    const isRemoved = !existsIn(environments)(environmentId)
    if (isRemoved) {
      end = 'cancelled'
      failure = null
    }
    environment.last = { at: new Date(at).toISOString(), end, failure, moving, covered, gone }
    const isWell = end === 'complete' || end === 'unsettled'
    if (end !== 'paused') {
      const how = running.ending === 'cancelled' ? 'cancelled' : 'failed'
      environment.settings.schedule.ended(at, at - sentAt, isWell ? 'well' : how)
    }
    if (!isRemoved) notify(environmentId)
    if (entry !== null) {
      await journal.endSynchronisation(entry, { state: end, seen: covered, ...found, gone, failure })
    }
  }

  /** Opens the journal's entry; null if the journal can't be used. The synchronisation runs all the same. */
  function noteStart(environmentId: string, automatic: boolean): Promise<string | null> {
    const environmentName = nameIn(environments)(environmentId) ?? environmentId
    const place = { environmentId, environmentName, account: accountIn(environments)(environmentId) }
    return journal.beginSynchronisation(place, automatic).catch((error: unknown) => {
      report(error)
      return null
    })
  }

  function stop(environmentId: string, ending: Running['ending']): Promise<void> {
    const running = known.get(environmentId)?.running
    if (!running) return Promise.resolve()
    running.ending ??= ending
    running.controller.abort()
    return running.done
  }

  async function startIfDue(environmentId: string): Promise<void> {
    const { running, settings } = await about(environmentId)
    const isDue = settings.schedule.isDue(Date.now(), settings.intervalMinutes)
    if (!running && isDue) await begin(environmentId, true)
  }

  /**
   * Synchronises the sandboxes that never were, one at a time, so that what compares environments has two to show at
   * the first look.
   */
  async function fillSandboxes(): Promise<void> {
    for (const { id } of environments.state().environments) {
      if (builtInMode(id) === null || isCurrent(id) || !mayWork(id)) continue
      const { settings } = await about(id)
      if ([...known.values()].some(({ running }) => running)) return
      if (settings.total === null) return startIfDue(id)
    }
  }

  const writeInterval = (environmentId: string, minutes: Interval): Promise<Outcome<null>> =>
    cache.ask(environmentId, 'write-note', { key: cacheNotes.interval, value: String(minutes) })

  /**
   * Call it when another cache has replaced an environment's, for example one on the disk the one in memory. Reads the
   * settings from it. An interval that was chosen in this session is written into it.
   */
  async function reread(environmentId: string): Promise<void> {
    const environment = known.get(environmentId)
    if (!environment) return
    environment.settings = await readSettings(environmentId)
    const minutes = chosen.get(environmentId)
    if (minutes !== undefined) await writeInterval(environmentId, minutes)
    if (environment.settings.intervalMinutes === 0 && environment.running?.automatic) {
      void stop(environmentId, 'paused')
    }
    notify(environmentId)
  }

  return {
    state,
    reread,

    /** Fails with `environment-changed` for any environment but the current one. One is synchronised at a time. */
    async start(environmentId: string): Promise<Outcome<null>> {
      if (isCurrent(environmentId)) await begin(environmentId, false)
      return isCurrent(environmentId) ? succeed(null) : fail(notCurrent)
    },

    async cancel(environmentId: string): Promise<Outcome<null>> {
      await stop(environmentId, 'cancelled')
      return succeed(null)
    },

    async setInterval(environmentId: string, minutes: Interval): Promise<Outcome<null>> {
      const environment = await about(environmentId)
      chosen.set(environmentId, minutes)
      environment.settings.intervalMinutes = minutes
      const written = await writeInterval(environmentId, minutes)
      notify(environmentId)
      return written
    },

    async cleanUp(environmentId: string): Promise<Outcome<{ removed: number }>> {
      const outcome = await cache.ask(environmentId, 'clean-up', { before: Date.now() + 1 })
      notify(environmentId)
      return outcome
    },

    /** What the operator should know about a cache; null for nothing. */
    problemOf,

    /** Stores why a cache isn't written, or what else the operator should know about it; null once that is over. */
    setProblem(environmentId: string, kind: 'unwritten' | 'other', problem: string | null): void {
      const texts = kind === 'unwritten' ? unwritten : problems
      if (problem === null) texts.delete(environmentId)
      else texts.set(environmentId, problem)
      // Another environment's state is read when it becomes the current one. Until then its cache may stay closed.
      if (isCurrent(environmentId)) notify(environmentId)
    },

    /**
     * Call it when an environment leads to another service. Stops its run and forgets everything about it but the chosen
     * interval.
     */
    renew(environmentId: string): void {
      void stop(environmentId, 'cancelled')
      known.delete(environmentId)
      forgetProblems(environmentId)
    },

    /**
     * Stops the runs of all environments but the current one and a sandbox's first. They start over when it is current
     * again.
     */
    stopOthers(): void {
      for (const environmentId of known.keys()) {
        if (!mayRun(environmentId)) void stop(environmentId, 'paused')
      }
    },

    /** Starts a background run that is due. */
    tick(): void {
      const current = environments.state().currentEnvironmentId
      if (mayWork(current) && !closed) void startIfDue(current).then(fillSandboxes).catch(report)
    },

    /** Forgets a removed environment. */
    async forget(environmentId: string): Promise<void> {
      await stop(environmentId, 'cancelled')
      known.delete(environmentId)
      forgetProblems(environmentId)
      chosen.delete(environmentId)
    },

    /** Stops all runs. They start over after the next start. */
    async close(): Promise<void> {
      closed = true
      await Promise.all([...known.keys()].map((environmentId) => stop(environmentId, 'paused')))
    },
  }
}

/** Calculates what is shown from the counts of a run: rate and approximate duration. */
class Meter {
  private pass = 0
  private since = Date.now()
  private from = 0
  private last: SyncProgress = { phase: 'reading', pass: 1, covered: 0 }

  constructor(
    private expected: number | null,
    private readonly automatic: boolean,
  ) {}

  note(progress: SyncProgress): NonNullable<SyncState['progress']> {
    if (progress.pass !== this.pass) {
      // The pass before has shown how many there are.
      if (this.pass > 0) this.expected = Math.max(this.last.covered, 1)
      this.pass = progress.pass
      this.since = Date.now()
      this.from = progress.covered
    }
    this.last = progress
    return this.view()
  }

  view(): NonNullable<SyncState['progress']> {
    const { phase, pass, covered } = this.last
    const seconds = (Date.now() - this.since) / 1000
    const perSecond = seconds > 0.5 ? (covered - this.from) / seconds : 0
    const left = this.expected === null || perSecond <= 0 ? null : (this.expected - covered) / perSecond
    return {
      phase,
      pass,
      covered,
      expected: this.expected,
      perSecond,
      secondsLeft: left === null ? null : Math.max(0, left),
      automatic: this.automatic,
    }
  }
}

/** The next synchronisation waits four times as long as the last one took. */
const restFactor = 4

/** The wait after the second failure in a row, and after the operator cancelled a run. It doubles up to the longest. */
const firstWaitMs = 60_000
const longestWaitMs = 60 * 60_000

/** When an automatic synchronisation of an environment is due. Times are milliseconds since 1970. */
export class Schedule {
  private durationMs = 0
  private failures = 0
  private endedAt: number | null = null

  /** `synchronisedAt` is when it was last synchronised, in this session or before; null for never. */
  constructor(private synchronisedAt: number | null) {}

  /**
   * Call it when a run has ended. One that failed is due again at once: its cache may have been replaced meanwhile, or
   * its process have ended. Only further failures are waited for.
   */
  ended(at: number, durationMs: number, how: 'well' | 'failed' | 'cancelled'): void {
    this.endedAt = at
    this.durationMs = durationMs
    this.failures = how === 'well' ? 0 : Math.max(this.failures + 1, how === 'cancelled' ? 2 : 1)
    if (how === 'well') this.synchronisedAt = at
  }

  /** Whether it is due; never if the interval is 0. */
  isDue(now: number, intervalMinutes: number): boolean {
    if (intervalMinutes === 0) return false
    if (this.failures === 1) return true
    if (this.failures > 1 && this.endedAt !== null) {
      return now - this.endedAt >= Math.min(firstWaitMs * 2 ** (this.failures - 2), longestWaitMs)
    }
    if (this.synchronisedAt === null) return true
    const rest = Math.max(intervalMinutes * 60_000, this.durationMs * restFactor)
    return now - this.synchronisedAt >= rest
  }
}
