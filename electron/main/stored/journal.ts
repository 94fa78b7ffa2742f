import { randomUUID } from 'node:crypto'
import {
  type Failure,
  failure,
  failureText,
  isUnconfirmed,
  type Lookup,
  type SynchronisationEntry,
  type ChangeEntry,
  type CreateRequest,
  type CreationEntry,
  type FailureEntry,
  type JournalEntry,
  type JournalFilter,
  passesFilter,
  withoutSecretValues,
} from '@contract'
import type { Change } from '@contract/life/changes'
import type { StateRow } from '../../cache/protocol'
import { Sequencer } from '../async'
import type { State } from './state'

/** The journal couldn't be read or written. */
export class JournalError extends Error {
  constructor(
    private readonly what: 'read' | 'written',
    private readonly reason: Failure,
  ) {
    super(reason.message)
  }

  /** What the operator should know. `consequence` says what didn't happen because of it. */
  failure(consequence: string | null = null): Failure {
    const so = consequence === null ? '' : `, so ${consequence}`
    return failure('internal', `The journal couldn't be ${this.what}${so}.`, {
      advice: this.what === 'read' ? failureText(this.reason) : roomAdvice,
      retryable: true,
    })
  }
}

const roomAdvice = 'Check that the disk has space and that Slipway can write to its folder, then try again.'

/** The environment that an entry is about. */
export interface JournalPlace {
  environmentId: string
  environmentName: string
}

/** The environment whose service is called, and the account there; null if that isn't known. */
export interface CalledPlace extends JournalPlace {
  account: string | null
}

/** What an attempt sent, as far as a deployment can be compared with it: no value of a secret or a variable. */
export interface SentConfiguration {
  source: string
  source_config: Record<string, unknown>
  source_revision_config: Record<string, unknown>
  secret_references: unknown[]
  secrets: string[]
}

/** The largest configuration that is kept, as JSON, in characters: many times what anyone sends. */
const largest = 64_000

/**
 * What the journal keeps of a request: its configuration without values of secrets and of containers' environment
 * variables. Null if that is too large.
 */
export function sentOf(request: CreateRequest): SentConfiguration | null {
  if (JSON.stringify(request).length > largest) return null
  const { source, source_config, source_revision_config, secret_references, secrets } =
    withoutSecretValues(request)
  return {
    source,
    source_config: { ...source_config },
    source_revision_config: { ...source_revision_config },
    secret_references: secret_references ?? [],
    secrets: secrets.map(({ name }) => name),
  }
}

export interface StoredCreation extends CreationEntry {
  /** The service and tenant that it was sent to, as a hash. */
  service: string
  /** Null if it was too large to keep, and once the attempt is settled. */
  sent: SentConfiguration | null
}

/** What entries of calls have on disk: the account at the service, as a hash; null if it wasn't known. */
interface Called {
  account: string | null
}

export interface StoredChange extends ChangeEntry, Called {
  /** What was sent, without values of secrets, and the latest revision before. Null once it is settled. */
  sent: { change: Change; latestRevisionId: string | null } | null
}

type StoredSynchronisation = SynchronisationEntry & Called

export type StoredEntry = StoredCreation | StoredChange | (FailureEntry & Called) | StoredSynchronisation

/** How a creation ended. */
export type CreationEnd =
  | { state: 'created'; deploymentId: string }
  | { state: 'refused' | 'unconfirmed'; failure: Failure }

/** The result of a lookup. Missing members don't change. */
export interface LookupNote {
  /** Set if the lookup found what the attempt created. */
  state?: 'created'
  lookup?: Lookup
  lookFailure: Failure | null
}

/** What the operator says of an unconfirmed attempt: the chosen deployment of its lookup is it, or it is dismissed. */
export type OperatorsWord = { state: 'created'; lookup: Lookup } | { state: 'dismissed' }

/** How a synchronisation ended, and what it found. */
export interface SynchronisationEnd {
  state: Exclude<SynchronisationEntry['state'], 'running'>
  /** How many deployments it saw, how many of them were new or changed, and how many others are gone. */
  seen: number
  added: number
  changed: number
  gone: number
  failure: Failure | null
}

/** The longest text and list in an entry. They come from services, which may send anything. */
const longestText = 2_000
const longestList = 20

/** The entry with its texts shortened to what a reader needs. What a creation or a change sent is never shortened. */
const bounded = (entry: StoredEntry): StoredEntry =>
  ({ ...(cutIn(entry) as StoredEntry), ...('sent' in entry ? { sent: entry.sent } : {}) }) as StoredEntry

/** A value with every text and list in it shortened. */
function cutIn(value: unknown): unknown {
  if (typeof value === 'string') return cut(value)
  if (Array.isArray(value)) return value.slice(0, longestList).map(cutIn)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cutIn(member)]))
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1)}…`
}

const begunNow = () => ({ id: randomUUID(), startedAt: new Date().toISOString(), endedAt: null })

/** The entry of an unconfirmed attempt after a lookup; null if it is settled already. */
function creationAfterLookup(
  entry: StoredCreation,
  { state, lookup, lookFailure }: LookupNote,
): StoredCreation | null {
  if (!isUnconfirmed(entry)) return null
  const found = lookup ?? entry.lookup
  return settled({
    ...entry,
    state: state ?? entry.state,
    deploymentId: state === 'created' ? (found?.deployment?.id ?? null) : null,
    lookup: found,
    lookFailure,
  })
}

const interrupted = failure('connection-lost', 'Slipway closed before the answer arrived.', {
  advice: 'The creation is unconfirmed. Slipway looks for the deployment in the list.',
  sent: 'maybe',
})

/** Nothing is compared with a settled attempt any more. */
const settled = (entry: StoredCreation): StoredCreation =>
  isUnconfirmed(entry) ? entry : { ...entry, sent: null }

/** How a change ended. */
export type ChangeEnd = { state: 'done' } | { state: 'refused' | 'unconfirmed'; failure: Failure }

/** The entry of a change with its end. A settled one doesn't change. */
function endedChange(entry: StoredChange, end: ChangeEnd): StoredChange | null {
  if (entry.state === 'done' || entry.state === 'refused') return null
  return {
    ...entry,
    endedAt: entry.endedAt ?? new Date().toISOString(),
    state: end.state,
    failure: end.state === 'done' ? null : end.failure,
    sent: end.state === 'unconfirmed' ? entry.sent : null,
  }
}

/** The end of a change during which the application ended. */
const changeInterrupted: ChangeEnd = {
  state: 'unconfirmed',
  failure: failure('connection-lost', 'Slipway closed before the answer arrived.', {
    advice: 'Whether it was carried out is unknown. Look at the deployment, or check again.',
    sent: 'maybe',
  }),
}

/** How long the same failure isn't noted again, in milliseconds. */
const repeatedForMs = 60_000

/** The failures that were noted within the last minute, by a monotonic clock. */
class RepeatedFailures {
  readonly #notedAt = new Map<string, number>()

  /** Whether the same failure was noted within a minute; if not, it counts as noted now. */
  isRepeated(place: CalledPlace, action: string, { code, message, serviceWords }: Failure): boolean {
    const now = performance.now()
    for (const [key, at] of this.#notedAt) if (now - at >= repeatedForMs) this.#notedAt.delete(key)
    const key = JSON.stringify([place.environmentId, place.account, action, code, message, serviceWords])
    if (this.#notedAt.has(key)) return true
    this.#notedAt.set(key, now)
    return false
  }
}

/**
 * The entry of a synchronisation that begins. An automatic one reuses the entry before it if that was automatic too and
 * found nothing. Otherwise there would be an entry every quarter of an hour.
 */
function beginEntry(
  place: CalledPlace,
  automatic: boolean,
  before: StoredSynchronisation | undefined,
): StoredSynchronisation {
  const quiet = automatic && before !== undefined && wasQuiet(before)
  return {
    id: quiet ? before.id : randomUUID(),
    startedAt: new Date().toISOString(),
    endedAt: null,
    ...place,
    kind: 'synchronisation',
    state: 'running',
    automatic,
    seen: 0,
    added: 0,
    changed: 0,
    gone: 0,
    quietBefore: quiet ? before.quietBefore + (before.state === 'complete' ? 1 : 0) : 0,
    failure: null,
  }
}

function wasQuiet({ automatic, state, added, changed, gone }: StoredSynchronisation): boolean {
  return automatic && (state === 'complete' || state === 'paused') && added + changed + gone === 0
}

export interface JournalOptions {
  state: Pick<State, 'read' | 'write'>
  /** Called with every entry that is new or has changed. */
  changed: (entry: JournalEntry) => void
  /** Called with errors of writing entries that may be lost. */
  report: (error: unknown) => void
  /** Called with what the operator must know about the journal itself; null if there is nothing. */
  notice: (text: string | null) => void
  /** Called when attempts of earlier runs may have been found after the first read. */
  readLate: () => void
  /** Says where an attempt was sent, as `sentTo` of its entry. */
  sentTo: (attempt: StoredCreation) => CreationEntry['sentTo']
}

/** How many entries are kept, besides those of attempts that are unconfirmed or running. */
const maxEntries = { creation: 3_000, other: 2_000 } as const

/**
 * The local journal: what was created from this machine, what was synchronised, and which calls failed. It has a row for
 * each entry. It is read when it is first needed, and again once the key is there if some of it was locked. What reads
 * entries or begins one rejects with a JournalError until it could be read, and tries again each time.
 */
export function createJournal(options: JournalOptions) {
  const { state, changed, report, notice, readLate, sentTo } = options
  /** In the order they began. */
  const entries = new Map<string, StoredEntry>()
  /** Entries whose latest state isn't on the disk. They are written with the next one. */
  const unwritten = new Set<string>()
  /** Entries that began in this run. */
  const ownIds = new Set<string>()
  const repeatedFailures = new RepeatedFailures()
  const writes = new Sequencer()
  let readState: 'unread' | 'locked' | 'whole' = 'unread'
  let mayBeLate = false

  const shown = (entry: StoredEntry): JournalEntry => shownEntry(entry, sentTo)
  const notify = (entry: StoredEntry): void => changed(shown(entry))

  async function load(): Promise<void> {
    if (readState === 'whole') return
    await writes.queue(async () => {
      if (readState !== 'whole') await read()
    })
  }

  async function read(): Promise<void> {
    const found = await state.read('journal')
    if (!found.ok) {
      mayBeLate = true
      throw new JournalError('read', found.failure)
    }
    const before = readState
    readState = found.value.isLocked ? 'locked' : 'whole'
    if (readState === before) return
    notice(found.value.isLocked ? lockedNotice : null)
    const known = [...entries.values()]
    entries.clear()
    for (const entry of [...found.value.rows.map(entryOf), ...known]) entries.set(entry.id, entry)
    await endInterrupted()
    if (mayBeLate) readLate()
    mayBeLate = true
  }

  /** Ends the entries that an earlier run left open. */
  async function endInterrupted(): Promise<void> {
    for (const entry of entries.values()) {
      if (ownIds.has(entry.id)) continue
      if (entry.kind === 'creation' && entry.state === 'sending')
        put({ ...entry, state: 'unconfirmed', endedAt: new Date().toISOString(), failure: interrupted })
      if (entry.kind === 'change' && entry.state === 'sending') put(endedChange(entry, changeInterrupted)!)
      if (entry.kind === 'synchronisation' && entry.state === 'running')
        put({ ...entry, state: 'interrupted', endedAt: new Date().toISOString(), quietBefore: 0 })
    }
    await write().catch(report)
  }

  function put(entry: StoredEntry): void {
    entries.set(entry.id, bounded(entry))
    unwritten.add(entry.id)
  }

  /** Writes what isn't on the disk, and removes the oldest entries beyond the limits. Rejects with a JournalError. */
  async function write(): Promise<void> {
    const ids = [...unwritten]
    const outdated = outdatedOf([...entries.values()])
    const written = await state.write('journal', [
      ...ids.map((id) => ({ id, text: JSON.stringify(entries.get(id)) })),
      ...outdated.map((id) => ({ id, text: null })),
    ])
    if (!written.ok) throw new JournalError('written', written.failure)
    for (const id of ids) unwritten.delete(id)
    for (const id of outdated) entries.delete(id)
  }

  const entry = (id: string): StoredEntry | undefined => entries.get(id)

  /** Adds or changes an entry, and gives it back if it doesn't get to the disk. Rejects with a JournalError. */
  const writeOrUndo = (next: StoredEntry): Promise<void> => {
    const before = entry(next.id)
    put(next)
    return write().catch((error: unknown) => {
      if (before) entries.set(next.id, before)
      else {
        entries.delete(next.id)
        unwritten.delete(next.id)
      }
      throw error
    })
  }

  /** Adds or changes an entry. If that can't be written, it is reported, and written with the next one. */
  const writeOrReport = (next: StoredEntry): Promise<void> => {
    put(next)
    return write().catch(report)
  }

  /** Adds what is about to be sent. It is on the disk when this resolves. */
  async function begin(begun: StoredEntry): Promise<string> {
    await load()
    ownIds.add(begun.id)
    await writes.queue(() => writeOrUndo(begun))
    notify(begun)
    return begun.id
  }

  async function add(added: StoredEntry): Promise<void> {
    await writes.queue(() => writeOrReport(added))
    notify(added)
  }

  /**
   * Changes an entry in its state at that time, so that nothing noted meanwhile is lost.
   *
   * @param edit gives the changed entry; null if it doesn't change
   * @param save writes it; if that rejects, nobody is notified
   */
  async function change<Kind extends StoredEntry['kind']>(
    kind: Kind,
    id: string,
    edit: (entry: EntryOf<Kind>) => EntryOf<Kind> | null,
    save: (next: StoredEntry) => Promise<void> = writeOrReport,
  ): Promise<void> {
    const edited = await writes.queue(async () => {
      const before = entry(id)
      const next = before && isOf(kind, before) ? edit(before) : null
      if (next) await save(next)
      return next
    })
    if (edited) notify(edited)
  }

  return {
    /**
     * The newest entries that pass a filter, newest first. Up to `limit` older unconfirmed creations follow, so that the
     * window shows them all. So do as many of a name, because one of them may block it.
     */
    async list(
      limit: number,
      name: string | null = null,
      filter: JournalFilter = 'all',
    ): Promise<JournalEntry[]> {
      await load()
      const newestFirst = [...entries.values()].filter((one) => passesFilter(one, filter)).reverse()
      const older = newestFirst.slice(limit).filter((one) => one.kind === 'creation' && isUnconfirmed(one))
      const ofName = older.filter((one) => one.kind === 'creation' && one.name === name)
      const chosen = new Set([...ofName.slice(0, limit), ...older.slice(0, limit)])
      return [...newestFirst.slice(0, limit), ...older.filter((one) => chosen.has(one))].map(shown)
    },

    /** All entries with what only a comparison needs, in the order they began. */
    async entries(): Promise<StoredEntry[]> {
      await load()
      return [...entries.values()]
    },

    /**
     * Opens the entry of a creation and gives its identifier. The entry is on disk when this resolves. Rejects if it
     * can't be written.
     */
    beginCreation: (
      place: JournalPlace,
      attempted: Pick<StoredCreation, 'name' | 'source' | 'service' | 'sent'>,
    ) =>
      begin({
        ...begunNow(),
        ...place,
        kind: 'creation',
        state: 'sending',
        deploymentId: null,
        failure: null,
        lookup: null,
        lookFailure: null,
        sentAgain: 0,
        ...attempted,
      }),

    /** Closes the entry of a running creation. A closed entry doesn't change. */
    endCreation: (id: string, end: CreationEnd) =>
      change('creation', id, (one) => {
        if (one.state !== 'sending') return null
        const isCreated = end.state === 'created'
        return settled({
          ...one,
          endedAt: new Date().toISOString(),
          state: end.state,
          deploymentId: isCreated ? end.deploymentId : null,
          failure: isCreated ? null : end.failure,
        })
      }),

    /** The same for a change of a deployment. */
    beginChange: (
      place: CalledPlace,
      changed: Pick<StoredChange, 'action' | 'deploymentId' | 'name' | 'sent'>,
    ) => begin({ ...begunNow(), ...place, kind: 'change', state: 'sending', failure: null, ...changed }),

    /** Ends a running or unconfirmed change. A settled one stays as it is. */
    endChange: (id: string, end: ChangeEnd) => change('change', id, (one) => endedChange(one, end)),

    /**
     * Whether attempts may be missing because the keychain doesn't give the key, so that the service must be asked about
     * a name first.
     */
    async isIncomplete() {
      await load()
      return readState === 'locked'
    },

    /** Reads what needed the key. Call it when that is there. */
    noteUnlocked: load,

    /** The creations of every environment, in the order they began. */
    async creations(): Promise<StoredCreation[]> {
      await load()
      return [...entries.values()].filter((one) => one.kind === 'creation')
    },

    /** The creation with an identifier, as it is now; null if there is none. */
    async creation(id: string): Promise<StoredCreation | null> {
      await load()
      const found = entry(id)
      return found?.kind === 'creation' ? found : null
    },

    /** Moves a creation to another environment that leads to the same service. */
    moveCreation: (id: string, place: JournalPlace) =>
      change('creation', id, (one) => ({ ...one, ...place })),

    /** Notes what a lookup found, or why it found nothing. A settled attempt doesn't change. */
    noteLookup: (id: string, note: LookupNote) =>
      change('creation', id, (one) => creationAfterLookup(one, note)),

    /** Uses up the operator's consent to send the name of an attempt again. Rejects if that can't be written. */
    noteSentAgain: (id: string) =>
      change('creation', id, (one) => ({ ...one, sentAgain: one.sentAgain + 1 }), writeOrUndo),

    /**
     * Settles an unconfirmed attempt as the operator says. The entry is on disk when this resolves. Rejects, and leaves
     * the entry as it was, if it can't be written.
     */
    settleCreation: (id: string, word: OperatorsWord) =>
      change(
        'creation',
        id,
        (one) => {
          if (word.state === 'created') return creationAfterLookup(one, { ...word, lookFailure: null })
          return isUnconfirmed(one) ? settled({ ...one, state: word.state }) : null
        },
        writeOrUndo,
      ),

    /** Notes that a synchronisation begins. Automatic ones in a row that find nothing share an entry. */
    async beginSynchronisation(place: CalledPlace, automatic: boolean) {
      await load()
      const before = [...entries.values()].filter(
        (one): one is StoredSynchronisation =>
          one.kind === 'synchronisation' && one.environmentId === place.environmentId,
      )
      const begun = beginEntry(place, automatic, before.at(-1))
      ownIds.add(begun.id)
      await add(begun)
      return begun.id
    },

    endSynchronisation: (id: string, end: SynchronisationEnd) =>
      change('synchronisation', id, (one) => {
        const ended = { ...one, ...end, endedAt: new Date().toISOString() }
        return wasQuiet(ended) ? ended : { ...ended, quietBefore: 0 }
      }),

    /** Notes a failed call, such as "List deployments". The same failure is noted once a minute at most. */
    async noteFailure(place: CalledPlace, action: string, startedAt: Date, reason: Failure) {
      await load()
      if (repeatedFailures.isRepeated(place, action, reason)) return
      const times = { startedAt: startedAt.toISOString(), endedAt: new Date().toISOString() }
      await add({ id: randomUUID(), ...times, ...place, kind: 'failure', action, failure: reason })
    },
  }
}

export type Journal = ReturnType<typeof createJournal>

const lockedNotice =
  "Earlier entries can't be read until the keychain answers. They are left unchanged. Until then, Slipway asks the " +
  'service whether a name exists before it creates a deployment with that name.'

type EntryOf<Kind extends StoredEntry['kind']> = Extract<StoredEntry, { kind: Kind }>

const isOf = <Kind extends StoredEntry['kind']>(kind: Kind, entry: StoredEntry): entry is EntryOf<Kind> =>
  entry.kind === kind

const entryOf = ([, text]: StateRow): StoredEntry => JSON.parse(text) as StoredEntry

/** The entries beyond the limits, oldest first. */
function outdatedOf(entries: readonly StoredEntry[]): string[] {
  const removable = entries.filter((one) => !mustStay(one))
  const creations = removable.filter(({ kind }) => kind === 'creation')
  const others = removable.filter(({ kind }) => kind !== 'creation')
  return [
    ...creations.slice(0, Math.max(0, creations.length - maxEntries.creation)),
    ...others.slice(0, Math.max(0, others.length - maxEntries.other)),
  ].map(({ id }) => id)
}

function mustStay(entry: StoredEntry): boolean {
  if (entry.kind === 'creation') return entry.state === 'sending' || isUnconfirmed(entry)
  if (entry.kind === 'change') return entry.state === 'sending'
  return entry.kind === 'synchronisation' && entry.state === 'running'
}

/** An entry as others see it: without what only a comparison needs. */
function shownEntry(entry: StoredEntry, sentTo: JournalOptions['sentTo']): JournalEntry {
  if (entry.kind === 'creation') return { ...shownCreation(entry), sentTo: sentTo(entry) }
  if (entry.kind === 'change') return shownChange(entry)
  const { account: _account, ...rest } = entry
  return rest
}

/** An attempt for display: without what only a comparison needs. */
export function shownCreation({ service: _service, sent: _sent, ...entry }: StoredCreation): CreationEntry {
  return entry
}

/** A change for display: without what only a comparison needs. */
export function shownChange({ account: _account, sent: _sent, ...entry }: StoredChange): ChangeEntry {
  return entry
}
