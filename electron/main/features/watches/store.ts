import { fail, type Failure, failure, failureText, type Outcome, succeed } from '@contract'
import type { QuietHours, Watch, WatchesState, WatchNotice, WatchView } from '@contract/cache'
import { watchLimits } from '@contract/cache/choices'
import { Sequencer, singleFlight } from '../../async'
import { isSameService, nameIn, serviceAt, type StoredService } from '../../environments/known'
import type { Environments } from '../../environments'
import { createTable, type State } from '../../stored/state'
import { isQuiet, notificationOf, type StoredNotice, withNotices } from './notices'
import type { FollowedMap, Outage } from './rules'

/**
 * A watch belongs to a service. A list begins with a complete synchronisation. One that is too long is marked
 * as such.
 */
export type StoredWatch = Watch & StoredService & { hasBegun: boolean; isTooLong: boolean }

/** A service with watched deployments, and their state. */
export interface WatchedService extends StoredService {
  outage: Outage | null
  followed: FollowedMap
}

/** Watches, their notices (newest first), and the state of what they follow. It is immutable. */
export interface Memory {
  watches: StoredWatch[]
  notices: StoredNotice[]
  quiet: QuietHours
  services: readonly WatchedService[]
}

/** An environment's watches of the service that it leads to now, and that service's state. */
export interface WatchedPlace {
  environmentId: string
  watches: readonly StoredWatch[]
  service: WatchedService
}

/** What the identifiers of the rows of watched services begin with. */
const servicePrefix = 'service '

/** Watches in `state.db`: each member has a row, and each watched service. */
function openTable(state: Pick<State, 'read' | 'write'>) {
  const table = createTable(state, 'watches')
  return {
    async read(): Promise<Outcome<Memory>> {
      const found = await state.read('watches')
      if (!found.ok) return found
      const { rows } = found.value
      table.know(rows)
      const values = rows.map(([id, text]) => [id, JSON.parse(text) as never] as const)
      const services = values
        .filter(([id]) => id.startsWith(servicePrefix))
        .map(([, value]): WatchedService => {
          const { followed, outage, ...service } = value as WatchedService & { followed: [] }
          // An outage that wasn't reported is forgotten: its duration counts from the start.
          const resumed = outage?.isTold ? { ...outage, answersSince: null } : null
          return { ...service, outage: resumed, followed: new Map(followed) }
        })
      const members = values.filter(([id]) => !id.startsWith(servicePrefix))
      const none = { watches: [], notices: [], quiet: null }
      return succeed({ ...none, ...Object.fromEntries(members), services })
    },

    async write({ services, ...members }: Memory): Promise<Failure | null> {
      const rows: [string, unknown][] = Object.entries(members)
      for (const { followed, ...one } of services) {
        rows.push([
          `${servicePrefix}${one.environmentId} ${one.service}`,
          { ...one, followed: [...followed] },
        ])
      }
      const written = await table.write(new Map(rows.map(([id, value]) => [id, JSON.stringify(value)])))
      return written.ok ? null : written.failure
    },
  }
}

/** Makes a change for the operator, and gives its value once it is on the disk. A failure changes nothing. */
type ChangeWatches = <Value>(
  make: (memory: Memory) => Outcome<{ memory: Memory; value: Value }>,
) => Promise<Outcome<Value>>

/** The result of a change: the new memory, its new notices, and the watches behind them. */
export interface Made {
  memory: Memory
  notices?: StoredNotice[]
  by?: ReadonlySet<string>
}

interface WatchedMemoryOptions {
  state: Pick<State, 'read' | 'write'>
  environments: Environments
  /** Shows a system notification. A click on it leads to the notice. */
  notify: (notification: { title: string; body: string }, noticeId: string) => void
  changed: (state: WatchesState) => void
  /** Milliseconds since 1970. */
  now: () => number
}

/**
 * Watches in memory, as they are on the disk. They aren't read yet. Changes are made one after the other, and take
 * effect once they are written: what a full disk refuses is found again with the next answer.
 */
export function createWatchedMemory(options: WatchedMemoryOptions) {
  const { environments, notify, changed, now } = options
  const table = openTable(options.state)
  const nameOf = nameIn(environments)
  const changes = new Sequencer()
  let memory: Memory | null = null
  /** Why watches can't be read or written; null if nothing is wrong. */
  let problem: Failure | null = null

  const open = singleFlight(async (): Promise<void> => {
    if (memory) return
    const read = await table.read()
    const before = problem
    problem = read.ok ? null : read.failure
    if (read.ok) memory = read.value
    if (memory || problem?.message !== before?.message) emit()
  })

  /** Gives why it wasn't written, or null. */
  async function write(after: Memory): Promise<Failure | null> {
    problem = await table.write(after)
    if (problem === null) memory = after
    return problem
  }

  const state = (): WatchesState => stateOf(memory, problem, environments)

  const emit = (): void => changed(state())

  /** Changes the memory of a place, unless that was changed or removed meanwhile. Shows its new notices. */
  function inPlace(
    { environmentId, service }: WatchedPlace,
    make: (place: WatchedPlace, memory: Memory) => Made,
  ): Promise<void> {
    return changes.queue(async () => {
      const now = serviceAt(environments, environmentId)
      const place = memory && now && placeAt(memory, now)
      if (!memory || !place || place.service.service !== service.service) return
      const made = make(place, memory)
      const notices = made.notices ?? []
      if (made.memory === memory && notices.length === 0) return
      const hadProblem = problem !== null
      const reason = await write({ ...made.memory, notices: withNotices(made.memory.notices, notices) })
      if (notices.length > 0 || hadProblem !== (reason !== null)) emit()
      if (reason === null) notifySystem(notices, made.by ?? new Set(), place)
    })
  }

  function notifySystem(
    notices: readonly StoredNotice[],
    by: ReadonlySet<string>,
    { environmentId, watches }: WatchedPlace,
  ): void {
    const isWanted = watches.some(({ id, system }) => system && by.has(id))
    if (!isWanted || isQuiet(memory?.quiet ?? null, new Date(now()))) return
    for (const notice of notices) {
      notify(notificationOf(notice, nameOf(environmentId) ?? environmentId), notice.id)
    }
  }

  const change: ChangeWatches = (make) =>
    changes.queue(async () => {
      await open()
      if (!memory) return fail(problem ?? unread)
      const made = make(memory)
      if (!made.ok) return made
      const reason = await write(withoutUnwatched(made.value.memory))
      emit()
      return reason ? fail(reason) : succeed(made.value.value)
    })

  return {
    /** Null until it is read. */
    content: () => memory,
    /** Reads it, unless it was read. */
    open,
    /** Resolves once nothing is being written. */
    idle: () => changes.idle(),
    state,
    /** Sends the state to the page. */
    emit,
    inPlace,
    /** Makes a change for the operator. */
    change,
  }
}

const unread = failure('keychain-unresponsive', "Watches couldn't be read yet.", { retryable: true })

/** The watches of a service; null if there are none. */
export function placeAt(memory: Memory, service: StoredService): WatchedPlace | null {
  const watches = memory.watches.filter((watch) => isSameService(watch, service))
  if (watches.length === 0) return null
  const known = memory.services.find((one) => isSameService(one, service))
  const { environmentId } = service
  return {
    environmentId,
    watches,
    service: known ?? { environmentId, service: service.service, outage: null, followed: new Map() },
  }
}

/** The memory with a new state of one service. */
export const withService = (memory: Memory, service: WatchedService): Memory => ({
  ...memory,
  services: [...memory.services.filter((one) => !isSameService(one, service)), service],
})

/** The memory without services that have no watches, and without removed lists in the state of deployments. */
function withoutUnwatched(memory: Memory): Memory {
  const ids = new Set(memory.watches.map(({ id }) => id))
  const services = memory.services.flatMap((service) => {
    const own = memory.watches.filter((watch) => isSameService(watch, service))
    if (own.length === 0) return []
    const alone = new Set(own.flatMap(({ on }) => (on.kind === 'deployment' ? on.deploymentId : [])))
    const followed = [...service.followed].flatMap(([id, one]): [string, typeof one][] => {
      const by = one.by.filter((watch) => ids.has(watch))
      return by.length > 0 || alone.has(id) || one.by.length === 0 ? [[id, { ...one, by }]] : []
    })
    return [{ ...service, followed: new Map(followed) }]
  })
  return { ...memory, services }
}

/**
 * The memory without the state of a deployment that no watch follows, so that a change from that state isn't reported.
 */
export function withoutUnfollowed(memory: Memory, service: StoredService, id: string): Memory {
  const services = memory.services.map((one) => {
    if (!isSameService(one, service) || one.followed.get(id)?.by.length !== 0) return one
    return { ...one, followed: new Map([...one.followed].filter(([known]) => known !== id)) }
  })
  return { ...memory, services }
}

/** The memory without an environment's data. */
export function withoutEnvironment(memory: Memory, environmentId: string): Memory {
  const isOther = (one: { environmentId: string }): boolean => one.environmentId !== environmentId
  return {
    ...memory,
    watches: memory.watches.filter(isOther),
    notices: memory.notices.filter(isOther),
    services: memory.services.filter(isOther),
  }
}

/**
 * What the page shows: nothing of removed environments.
 *
 * @param memory null until it is read
 * @param problem why the file can't be read or written
 */
function stateOf(
  memory: Memory | null,
  problem: Failure | null,
  environments: Pick<Environments, 'destination' | 'state'>,
): WatchesState {
  const ids = new Set(environments.state().environments.map(({ id }) => id))
  const exists = (one: { environmentId: string }): boolean => ids.has(one.environmentId)
  const belongs = belongingIn(environments)
  return {
    isRead: memory !== null,
    watches: (memory?.watches ?? []).filter(exists).map((watch) => viewOf(watch, memory!, belongs)),
    notices: (memory?.notices ?? []).filter(exists).map((notice) => noticeViewOf(notice, belongs)),
    quiet: memory?.quiet ?? null,
    problem: problem && failureText(problem),
  }
}

/** Whether something belongs to the service that its environment leads to now; null if that isn't known. */
type Belongs = (stored: StoredService) => boolean | null

function belongingIn(environments: Pick<Environments, 'destination'>): Belongs {
  const services = new Map<string, StoredService | null>()
  return (stored) => {
    const { environmentId } = stored
    const now = services.get(environmentId) ?? serviceAt(environments, environmentId)
    services.set(environmentId, now)
    return now && isSameService(stored, now)
  }
}

function noticeViewOf({ service, ...notice }: StoredNotice, belongs: Belongs): WatchNotice {
  const { environmentId, entries } = notice
  const isElsewhere = belongs({ environmentId, service }) === false
  // Each change sends all notices to the page, and 300 with long texts have 11 MB. A single further entry is sent, too:
  // a note about it would take the same space.
  const shown = entries.length > watchLimits.shown + 1 ? entries.slice(0, watchLimits.shown) : entries
  return { ...notice, entries: shown, hidden: entries.length - shown.length, isElsewhere }
}

function viewOf(watch: StoredWatch, { services }: Memory, belongs: Belongs): WatchView {
  const { id, environmentId, on, tells, stuckMinutes, system, hasBegun, isTooLong } = watch
  const service = services.find((one) => one.environmentId === environmentId && one.service === watch.service)
  const listed = [...(service?.followed.values() ?? [])].filter((one) => !one.isGone && one.by.includes(id))
  const isFollowed = on.kind === 'list' ? hasBegun : service?.followed.has(on.deploymentId)
  const followed = on.kind === 'list' ? listed.length : Number(isFollowed ?? false)
  const shown = { id, environmentId, on, tells, stuckMinutes, system, followed }
  if (belongs(watch) === false) return { ...shown, state: 'elsewhere' }
  if (isTooLong) return { ...shown, state: 'too-many' }
  return { ...shown, state: isFollowed ? 'follows' : 'waits' }
}
