import { type Failure, failure, fail, succeed } from '@contract'
import { type WatchesContent, watchesSchema, type StoredNotice } from '@contract/ipc/stored-content'
import { createTable, type State } from '../../stored/state'
import type { WatchesState } from '@contract/cache'
import { Sequencer, singleFlight, throttle } from '../../async'
import { nameIn } from '../../environments/lookups'
import type { Environments } from '../../environments/model/types'
import type { ChangeWatches } from './calls'
import { fromFile, type Memory, placeAt, toFile, type WatchedPlace, withoutUnwatched } from './memory'
import { isQuiet, notificationOf, withNotices } from './notices'
import { stateOf, targetIn } from './view'

/** The watches and their notices on the disk. */
export interface StoredWatches {
  /** Gives the content, and reads it if that hasn't been done. */
  read: () => Promise<{ content: WatchesContent } | { failure: Failure }>
  /** Replaces the content. Gives why that failed, or null. The latest call takes precedence. */
  write: (content: WatchesContent) => Promise<Failure | null>
  /** Whether there may be something that hasn't been read. */
  isUnread: () => boolean
}

const none: WatchesContent = { watches: [], notices: [], quiet: null, services: [] }

/** What the identifiers of the rows of watched services begin with. */
const servicePrefix = 'service '

/** Each member has a row, and each watched service. */
export function openStoredWatches(state: Pick<State, 'read' | 'write' | 'exists'>): StoredWatches {
  const table = createTable(state, 'watches')
  let isRead = false
  return {
    async read() {
      const found = await state.read('watches')
      if (!found.ok) return { failure: found.failure }
      const { rows } = found.value
      const values = rows.map(([id, text]): [string, unknown] => [id, JSON.parse(text)])
      const services = values.filter(([id]) => id.startsWith(servicePrefix)).map(([, value]) => value)
      const content = watchesSchema.safeParse({ ...none, ...Object.fromEntries(values), services })
      if (!content.success) return { failure: unreadable }
      table.know(rows)
      isRead = true
      return { content: content.data }
    },

    async write({ services, ...members }) {
      const rows = [
        ...Object.entries(members),
        ...services.map((one) => [`${servicePrefix}${one.environmentId} ${one.service}`, one] as const),
      ]
      const written = await table.write(new Map(rows.map(([id, value]) => [id, JSON.stringify(value)])))
      return written.ok ? null : written.failure
    },

    isUnread: () => !isRead && state.exists(),
  }
}

const unreadable = failure('internal', "Watches and their notices couldn't be read.")

/** How long pending states wait before they are written, in milliseconds. */
const writeAfterMs = 15_000

/** The result of a change: the new memory, its new notices, and the watches behind them. */
export interface Made {
  memory: Memory
  notices?: StoredNotice[]
  by?: ReadonlySet<string>
  /** Whether it has to be on the disk at once, although it has no notice. */
  isUrgent?: boolean
}

/** The content of the file of watches in memory, and on the disk. Changes are made one after the other. */
export interface WatchedMemory {
  /** Null until the file is read. */
  content: () => Memory | null
  /** Reads the file, unless it was read. */
  open: () => Promise<void>
  /** Writes what isn't on the disk yet, after the changes that wait. */
  write: () => Promise<void>
  /** Writes what a full disk refused, if it did. What the keychain refused waits for it. */
  retry: () => Promise<void>
  state: () => WatchesState
  /** Sends the state to the page. */
  emit: () => void
  /** Changes the memory of a place, unless that was changed or removed meanwhile. Shows its new notices. */
  inPlace: (place: WatchedPlace, make: (place: WatchedPlace, memory: Memory) => Made) => Promise<void>
  /** Makes a change for the operator. It takes effect once it is on the disk. */
  change: ChangeWatches
}

interface WatchedMemoryOptions {
  stored: StoredWatches
  environments: Environments
  /** Shows a system notification. A click on it leads to the notice. */
  notify: (notification: { title: string; body: string }, noticeId: string) => void
  changed: (state: WatchesState) => void
  report: (error: unknown) => void
  /** Milliseconds since 1970. */
  now: () => number
}

/** The memory of watches, which isn't read yet. */
export function createWatchedMemory(options: WatchedMemoryOptions): WatchedMemory {
  const { stored, environments, notify, changed, report, now } = options
  const nameOf = nameIn(environments)
  const targetOf = targetIn(environments)
  const changes = new Sequencer()
  let memory: Memory | null = null
  /** Why the file can't be read or written; null if nothing is wrong. */
  let problem: Failure | null = null
  let isDirty = false
  const writeSoon = throttle(() => void changes.queue(writePending).catch(report), writeAfterMs)

  const open = singleFlight(async (): Promise<void> => {
    if (memory) return
    const read = await stored.read()
    const before = problem
    problem = 'failure' in read ? read.failure : null
    if ('content' in read) memory = fromFile(read.content)
    if (memory || problem?.message !== before?.message) emit()
  })

  async function write(): Promise<void> {
    writeSoon.cancel()
    if (!memory || !isDirty) return
    isDirty = false
    problem = await stored.write(toFile(memory))
    isDirty = problem !== null
  }

  /** Writes pending states. Says it if that begins to fail, or succeeds again. */
  async function writePending(): Promise<void> {
    const hadProblem = problem !== null
    await write()
    if (hadProblem !== (problem !== null)) emit()
  }

  const state = (): WatchesState => stateOf(memory, problem, environments)

  const emit = (): void => changed(state())

  function inPlace(
    { environmentId, service }: WatchedPlace,
    make: (place: WatchedPlace, memory: Memory) => Made,
  ): Promise<void> {
    return changes.queue(async () => {
      const target = targetOf(environmentId)
      const place = memory && target && placeAt(memory, target)
      if (!memory || !place || place.service.service !== service.service) return
      const before = memory
      const made = make(place, before)
      const notices = made.notices ?? []
      if (made.memory === before && notices.length === 0) return
      memory = { ...made.memory, notices: withNotices(made.memory.notices, notices) }
      isDirty = true
      if (notices.length === 0) return made.isUrgent ? write() : writeSoon()
      // On the disk before the notice is shown, so that a crash causes no second one.
      await write()
      const isUnwritten = problem !== null
      // The next answer then causes the notice.
      if (isUnwritten) memory = before
      emit()
      if (!isUnwritten) notifySystem(notices, made.by ?? new Set(), place)
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
      const before = memory
      const made = make(before)
      if (!made.ok) return made
      memory = withoutUnwatched(made.value.memory)
      isDirty = true
      await write()
      const reason = problem
      if (reason) memory = before
      emit()
      return reason ? fail(reason) : succeed(made.value.value)
    })

  return {
    content: () => memory,
    open,
    write: () => changes.queue(write),
    retry: () =>
      changes.queue(async () => {
        if (problem?.code === 'disk-full') await writePending()
      }),
    state,
    emit,
    inPlace,
    change,
  }
}

const unread = failure('keychain-unresponsive', "Watches couldn't be read yet.", { retryable: true })
