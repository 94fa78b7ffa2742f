import { fail, type Failure, failure, failureText, type Outcome, succeed } from '@contract'
import type { QuietHours, Watch, WatchesState, WatchNotice, WatchView } from '@contract/cache'
import { watchLimits } from '@contract/cache/choices'
import { Sequencer, singleFlight } from '../../async'
import { isSameService, nameIn, serviceAt, type StoredService } from '../../environments/known'
import type { Environments } from '../../environments'
import { createTable, type State } from '../../stored/state'
import { isDeepStrictEqual } from 'node:util'
import { isQuiet, notificationOf, type StoredNotice, withNotice } from './notices'
import type { FollowedMap, Outage } from './rules'

/**
 * A watch belongs to a service. A list begins with a complete synchronisation. One that is too long is marked
 * as such.
 */
export type StoredWatch = Watch & StoredService & { hasBegun: boolean; isTooLong: boolean }

/** A service with watched deployments, and their state. */
interface WatchedService extends StoredService {
  outage: Outage
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
          // How long it has been otherwise counts from the start.
          const resumed = { isTold: outage?.isTold ?? false, since: null }
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

/** What a round changes. */
interface Made {
  /** The service's new state. */
  service: WatchedService
  /** Its watches, if they changed. */
  watches?: readonly StoredWatch[]
  notice?: StoredNotice | null
  /** The watches behind the notice. */
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
  const { environments, notify, changed } = options
  const table = openTable(options.state)
  const nameOf = nameIn(environments)
  const changes = new Sequencer()
  let memory: Memory | null = null
  /** Why watches can't be read or written; null if nothing is wrong. */
  let problem: Failure | null = null

  const open = singleFlight(async (): Promise<void> => {
    if (memory) return
    const read = await table.read()
    problem = read.ok ? null : read.failure
    if (read.ok) memory = read.value
    emit()
  })

  /** Gives why it wasn't written, or null. */
  async function write(after: Memory): Promise<Failure | null> {
    problem = await table.write(after)
    if (problem === null) memory = after
    emit()
    return problem
  }

  const state = (): WatchesState => stateOf(memory, problem, environments)

  const emit = (): void => changed(state())

  /** Changes the memory of a place, unless that was changed or removed meanwhile. Shows its new notice. */
  function inPlace(before: WatchedPlace, make: (place: WatchedPlace) => Made): Promise<void> {
    return changes.queue(async () => {
      const { environmentId } = before
      const now = serviceAt(environments, environmentId)
      if (!memory || !now || !isSameService(now, before.service)) return
      const place = placeAt(memory, now)
      if (!place) return
      const { service, watches = place.watches, notice = null, by } = make(place)
      const isSame = isDeepStrictEqual([service, watches], [place.service, place.watches])
      if (isSame && !notice) return
      const { notices, quiet } = memory
      const reason = await write({
        ...memory,
        services: [...memory.services.filter((one) => !isSameService(one, service)), service],
        watches: memory.watches.map((watch) => watches.find(({ id }) => id === watch.id) ?? watch),
        notices: notice ? withNotice(notices, notice) : notices,
      })
      const isWanted = place.watches.some(({ id, system }) => system && by?.has(id))
      if (reason || !notice || !isWanted || isQuiet(quiet, new Date(options.now()))) return
      notify(notificationOf(notice, nameOf(environmentId) ?? environmentId), notice.id)
    })
  }

  /** Makes a change for the operator. It is on the disk then. A failure changes nothing. */
  const change = (make: (memory: Memory) => Outcome<Memory>): Promise<Outcome<null>> =>
    changes.queue(async () => {
      await open()
      if (!memory) return fail(problem ?? unread)
      const made = make(memory)
      if (!made.ok) return made
      const { watches, services } = made.value
      const watched = services.filter((service) => watches.some((watch) => isSameService(watch, service)))
      const reason = await write({ ...made.value, services: watched })
      return reason ? fail(reason) : succeed(null)
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
    change,
  }
}

const unread = failure('keychain-unresponsive', "Watches couldn't be read yet.", { retryable: true })

/** The watches of a service; null if there are none. */
export function placeAt(memory: Memory, service: StoredService): WatchedPlace | null {
  const watches = memory.watches.filter((watch) => isSameService(watch, service))
  const known = memory.services.find((one) => isSameService(one, service))
  const fresh = { ...service, outage: { isTold: false, since: null }, followed: new Map() }
  if (watches.length === 0) return null
  return { environmentId: service.environmentId, watches, service: known ?? fresh }
}

/** The memory without the state of a deployment that isn't on a list, so that a change from that state isn't reported. */
export function withoutUnlisted(memory: Memory, service: StoredService, id: string): Memory {
  const services = memory.services.map((one) => {
    const by = one.followed.get(id)?.by ?? []
    if (!isSameService(one, service) || memory.watches.some((watch) => by.includes(watch.id))) return one
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
  const services = new Map(
    environments.state().environments.map(({ id }) => [id, serviceAt(environments, id)]),
  )
  const exists = (one: StoredService): boolean => services.has(one.environmentId)
  /** Whether an environment leads to another service now. */
  const isElsewhere = (stored: StoredService): boolean => {
    const now = services.get(stored.environmentId)
    return !!now && !isSameService(stored, now)
  }
  const { watches, notices, quiet } = memory ?? { watches: [], notices: [], quiet: null }
  return {
    isRead: memory !== null,
    watches: watches.filter(exists).map((watch) => viewOf(watch, memory!, isElsewhere(watch))),
    notices: notices.filter(exists).map((notice) => noticeViewOf(notice, isElsewhere(notice))),
    quiet,
    problem: problem && failureText(problem),
  }
}

function noticeViewOf({ service: _, entries, ...notice }: StoredNotice, isElsewhere: boolean): WatchNotice {
  // Each change sends all notices to the page, and 300 with long texts have 11 MB. A single further entry is sent, too:
  // a note about it would take the same space.
  const shown = entries.length > watchLimits.shown + 1 ? entries.slice(0, watchLimits.shown) : entries
  return { ...notice, entries: shown, hidden: entries.length - shown.length, isElsewhere }
}

function viewOf(watch: StoredWatch, { services }: Memory, isElsewhere: boolean): WatchView {
  const { service: _, hasBegun, isTooLong, ...shown } = watch
  const { id, on } = watch
  const all: FollowedMap = services.find((one) => isSameService(one, watch))?.followed ?? new Map()
  const isFollowed = on.kind === 'list' ? hasBegun : all.has(on.deploymentId)
  const followed =
    on.kind === 'list'
      ? [...all.values()].filter((one) => !one.isGone && one.by.includes(id)).length
      : Number(isFollowed)
  const state = isElsewhere ? 'elsewhere' : isTooLong ? 'too-many' : isFollowed ? 'follows' : 'waits'
  return { ...shown, followed, state }
}
