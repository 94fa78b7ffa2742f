import { type Answers, type Connection, fail, failure, type Outcome, succeed } from '@contract'
import type { SyncState, Watch, WatchesState } from '@contract/cache'
import { watchLimits } from '@contract/cache/choices'
import { newNotice, type StoredNotice, withRestored } from './notices'
import type { Environments } from '../../environments'
import {
  isSameService,
  serviceAt,
  type StoredService,
  storedServiceOf,
  environmentChangedFailure,
} from '../../environments/known'
import { randomUUID } from 'node:crypto'
import { Sequencer, singleFlight } from '../../async'
import type { Cache, ServiceClient } from '../../processes/cache-client'
import type { HttpTarget } from '../../http/client'
import type { FailedRevisions } from '../life/revisions'
import type { Journal } from '../../stored/journal'
import type { State } from '../../stored/state'
import {
  createWatchedMemory,
  type Memory,
  placeAt,
  type StoredWatch,
  type WatchedPlace,
  withoutEnvironment,
  withoutUnlisted,
} from './store'
import { readSynchronised, readFromService, withFailures } from './read'
import {
  type FollowedMap,
  type Round,
  type RoundResult,
  takeAnswers,
  takeReachability,
  takeSynchronisation,
  toAsk,
  type WatchedList,
} from './rules'

export interface WatchesOptions {
  state: Pick<State, 'read' | 'write'>
  environments: Environments
  cache: Pick<Cache, 'ask' | 'service'>
  /** The client whose answers are cached. */
  http: ServiceClient
  /** Tells which deployments' latest revision failed (`createFailedRevisions`). */
  failures: FailedRevisions
  journal: Pick<Journal, 'creations'>
  /** Whether the latest requests reached an environment's service. */
  stateOf: (environmentId: string) => Connection['state']
  /** Whether the window is visible. */
  isShown: () => boolean
  /** Shows a system notification. A click on it leads to the notice. */
  notify: (notification: { title: string; body: string }, noticeId: string) => void
  changed: (state: WatchesState) => void
  report: (error: unknown) => void
  /** Milliseconds since 1970. */
  now?: () => number
}

export type Watches = ReturnType<typeof createWatches>

/** How often the service is asked, in milliseconds, while the window is visible and while it isn't. */
const askEveryMs = { shown: 30_000, hidden: 120_000 } as const

/** How often to check whether asking is due, in milliseconds. */
const tickEveryMs = 5_000

/** How old a cache's synchronisation may be for a new list to start from it, in milliseconds. */
const freshMs = 3_600_000

/** How long there are no notices about a deployment that the operator created here, in milliseconds. */
const ownMs = 3_600_000

/** The time limit of a round of requests, in milliseconds. */
const roundTimeoutMs = 60_000

/** The operator's watches, and their notices. */
export function createWatches(options: WatchesOptions) {
  const { environments, cache, http, failures, journal, stateOf, isShown, report, now = Date.now } = options
  const memory = createWatchedMemory({ ...options, now })
  const { inPlace, emit } = memory
  let isClosed = false
  let timer: NodeJS.Timeout | null = null
  let running: AbortController | null = null
  /** Null for at once. */
  let lastRoundAt: number | null = null
  /** Where the next round continues (`toAsk`). */
  let nextToAsk = 0
  /** When the last synchronisation of each environment that was used here ended. */
  const taken = new Map<string, string>()
  /**
   * Rounds of requests and readings of the cache, one after the other: with what was learned in between, an older answer
   * would tell that a deleted deployment is back, or an earlier revision new.
   */
  const rounds = new Sequencer()

  /** The watches of the current environment; null if it has none, or its profile isn't known. */
  function currentPlace(): WatchedPlace | null {
    const service = serviceAt(environments, environments.state().currentEnvironmentId)
    const content = memory.content()
    return content && service ? placeAt(content, service) : null
  }

  /** The deployments of a service that the operator has just created here. None while the journal can't be read. */
  async function justCreated(service: StoredService): Promise<ReadonlySet<string>> {
    const since = new Date(now() - ownMs).toISOString()
    const creations = await journal.creations().catch(() => [])
    const own = creations.filter(
      (one) => isSameService(one, service) && one.endedAt !== null && one.endedAt > since,
    )
    return new Set(own.flatMap(({ deploymentId }) => deploymentId ?? []))
  }

  /** Takes a round in a place, as the rules say. */
  async function takeRound(
    place: WatchedPlace,
    take: (followed: FollowedMap, round: Round) => RoundResult,
    change: (watch: StoredWatch) => StoredWatch = (watch) => watch,
  ): Promise<void> {
    const own = await justCreated(place.service)
    await inPlace(place, ({ service, watches }) => {
      const { followed, entries, by } = take(service.followed, { at: now(), watches, own })
      return {
        service: { ...service, followed },
        watches: watches.map(change),
        notice: entries.length > 0 ? newNotice(service, 'changes', now(), entries) : null,
        by,
      }
    })
  }

  /**
   * Whether the current environment's service may be asked in the background. A built-in one isn't started for that.
   */
  function mayAsk(environmentId: string): boolean {
    if (environments.destination(environmentId)?.target.baseUrl === '') return false
    const connection = stateOf(environmentId)
    return connection === 'online' || connection === 'unknown'
  }

  async function askNow(): Promise<void> {
    const place = currentPlace()
    if (!place || !mayAsk(place.environmentId)) return
    const plan = toAsk(place.service.followed, place.watches, nextToAsk)
    nextToAsk = plan.next
    if (plan.ids.length === 0) return
    lastRoundAt = now()
    const controller = new AbortController()
    running = controller
    const tooLong = setTimeout(() => controller.abort(), roundTimeoutMs)
    const isWanted = (target: HttpTarget): boolean => isSameService(storedServiceOf(target), place.service)
    const seen = await readFromService(
      { environments, http },
      place.environmentId,
      plan.ids,
      isWanted,
      controller.signal,
    ).finally(() => clearTimeout(tooLong))
    if (seen.length === 0 || isClosed) return
    const said = await withFailures(failures, place.environmentId, seen)
    await takeRound(place, (followed, round) => takeAnswers(followed, said, round))
  }

  async function takeCached(environmentId: string): Promise<void> {
    const place = currentPlace()
    if (place?.environmentId !== environmentId) return
    const read = await readSynchronised(cache, environmentId, place.watches, place.service.followed)
    if (!read.ok) return
    const { lists, others, tooLong } = read.value
    const listed = new Set(lists.map(({ watchId }) => watchId))
    await takeRound(
      place,
      (followed, round) => {
        // Watches that were added since wait for the next synchronisation.
        const isStill = ({ watchId }: WatchedList): boolean => round.watches.some(({ id }) => id === watchId)
        return takeSynchronisation(followed, lists.filter(isStill), others, round)
      },
      (watch) => {
        if (listed.has(watch.id)) return { ...watch, hasBegun: true, isTooLong: false }
        return tooLong.has(watch.id) ? { ...watch, hasBegun: false, isTooLong: true } : watch
      },
    )
  }

  /** Starts new lists from the cache, unless it is so old that earlier changes would be reported as new. */
  async function beginLists(environmentId: string): Promise<void> {
    const state = await cache.ask(environmentId, 'state', {})
    const synchronisedAt = state.ok ? state.value.synchronisedAt : null
    const ageMs = synchronisedAt === null ? null : now() - Date.parse(synchronisedAt)
    if (ageMs !== null && ageMs >= 0 && ageMs <= freshMs) await rounds.queue(() => takeCached(environmentId))
  }

  async function followOutage(): Promise<void> {
    const place = currentPlace()
    if (!place) return
    const connection = stateOf(place.environmentId)
    if (connection === 'unknown') return
    await inPlace(place, ({ service, watches }) => {
      const outage = takeReachability(service.outage, connection !== 'offline', now())
      const kind = outage.isTold ? 'unreachable' : 'reachable'
      return {
        service: { ...service, outage },
        notice: outage.isTold === service.outage.isTold ? null : newNotice(service, kind, now()),
        by: new Set(watches.map(({ id }) => id)),
      }
    })
  }

  const tick = singleFlight(async (): Promise<void> => {
    if (!memory.content()) return
    await followOutage()
    const everyMs = isShown() ? askEveryMs.shown : askEveryMs.hidden
    if (lastRoundAt === null || now() - lastRoundAt >= everyMs) await rounds.queue(askNow)
  })

  /** Checks the watched deployments at the service now. */
  function askSoon(): void {
    lastRoundAt = null
    void tick().catch(report)
  }

  /** The notices that were dismissed last. */
  let dismissed: readonly StoredNotice[] = []

  const edit = (make: (memory: Memory) => Memory): Promise<Outcome<null>> =>
    memory.change((before) => succeed(make(before)))

  function changeWatch(
    id: string,
    make: (watch: StoredWatch) => Outcome<StoredWatch>,
  ): Promise<Outcome<null>> {
    return memory.change((before) => {
      const watch = before.watches.find((one) => one.id === id)
      if (!watch) return fail(noWatch)
      const made = make(watch)
      if (!made.ok) return made
      const watches = before.watches.map((one) => (one === watch ? made.value : one))
      return succeed({ ...before, watches })
    })
  }

  const answers: Answers<'watches'> = {
    async 'watches.state'() {
      await memory.open()
      return succeed(memory.state())
    },

    async 'watches.add'({ environmentId, service, ...watch }) {
      const added = await memory.change((before) => {
        const storedPlace = serviceAt(environments, environmentId, service)
        if (!storedPlace) return fail(environmentChangedFailure)
        const isSame = (one: StoredWatch): boolean =>
          one.service === storedPlace.service && isOnSame(one, watch)
        const same = before.watches.find((one) => one.environmentId === environmentId && isSame(one))
        const others = before.watches.filter((one) => one !== same)
        if (others.length >= watchLimits.count) return fail(tooMany)
        const id = same?.id ?? randomUUID()
        const made = { ...watch, ...storedPlace, id, hasBegun: false, isTooLong: false }
        const { on } = watch
        const fresh =
          same || on.kind === 'list' ? before : withoutUnlisted(before, storedPlace, on.deploymentId)
        return succeed({ ...fresh, watches: [...others, made] })
      })
      if (added.ok && watch.on.kind === 'list') void beginLists(environmentId).catch(report)
      else if (added.ok) askSoon()
      return added
    },

    'watches.change': ({ id, name, ...choices }) =>
      changeWatch(id, (watch) => {
        const on = watch.on.kind === 'list' && name !== null ? { ...watch.on, name } : watch.on
        return succeed({ ...watch, ...choices, on })
      }),

    'watches.remove': ({ ids }) =>
      edit((before) => ({ ...before, watches: before.watches.filter(({ id }) => !ids.includes(id)) })),

    async 'watches.follow'({ id, service }) {
      const followed = await changeWatch(id, (watch) => {
        const storedPlace = serviceAt(environments, watch.environmentId, service)
        if (!storedPlace) return fail(environmentChangedFailure)
        return succeed({ ...watch, ...storedPlace, hasBegun: false, isTooLong: false })
      })
      if (followed.ok) askSoon()
      return followed
    },

    async 'watches.entries'({ id }) {
      const notice = memory.content()?.notices.find((one) => one.id === id)
      return notice ? succeed(notice.entries) : fail(noNotice)
    },

    'watches.markRead': ({ ids, isRead }) =>
      edit((before) => ({
        ...before,
        notices: before.notices.map((one) => (ids.includes(one.id) ? { ...one, isRead } : one)),
      })),

    'watches.dismiss': ({ ids }) =>
      edit((before) => {
        dismissed = before.notices.filter(({ id }) => ids.includes(id))
        return { ...before, notices: before.notices.filter(({ id }) => !ids.includes(id)) }
      }),

    'watches.restore': () =>
      edit((before) => {
        const ids = environments.state().environments.map(({ id }) => id)
        const left = dismissed.filter(({ environmentId }) => ids.includes(environmentId))
        return { ...before, notices: withRestored(before.notices, left) }
      }),

    'watches.setQuiet': ({ quiet }) => edit((before) => ({ ...before, quiet })),
  }

  return {
    answers,
    /** Checks the service if that is due. */
    tick,

    /** Reads what is stored, and starts checking. Call it after the window's first load. */
    async start(): Promise<void> {
      await memory.open()
      timer ??= setInterval(() => void tick().catch(report), tickEveryMs)
      await tick()
    },

    /** Call it when the keychain answers again. */
    noteKeychain: () => memory.open(),

    /** Call it when another environment may be current, or leads elsewhere. */
    noteEnvironment(): void {
      running?.abort()
      lastRoundAt = null
      // Whether a watch's environment leads elsewhere may have changed.
      if (memory.content()?.watches.length) emit()
    },

    /** Compares the watched lists with the cache after a synchronisation has read the whole list. */
    async noteSynchronisation({ environmentId, progress, last }: SyncState): Promise<void> {
      if (progress !== null || last?.end !== 'complete' || taken.get(environmentId) === last.at) return
      taken.set(environmentId, last.at)
      await rounds.queue(() => takeCached(environmentId))
    },

    /** Deletes the data of a removed environment, if it has been read. */
    async forget(environmentId: string): Promise<void> {
      taken.delete(environmentId)
      if (!memory.content()) return
      const forgotten = await edit((before) => withoutEnvironment(before, environmentId))
      if (!forgotten.ok) report(new Error(forgotten.failure.message))
    },

    async close(): Promise<void> {
      isClosed = true
      if (timer) clearInterval(timer)
      running?.abort()
      await memory.idle()
    },
  }
}

/** Whether two watches are on the same deployment. Two lists never count as the same: each has a name of its own. */
const isOnSame = ({ on: one }: Pick<Watch, 'on'>, { on: other }: Pick<Watch, 'on'>): boolean =>
  one.kind === 'deployment' && other.kind === 'deployment' && one.deploymentId === other.deploymentId

const noWatch = failure('not-found', 'This watch no longer exists.')

const noNotice = failure('not-found', 'This notice no longer exists.')

const tooMany = failure('invalid-input', `There are ${watchLimits.count} watches already.`, {
  advice: 'Remove some of them, then try again.',
})
