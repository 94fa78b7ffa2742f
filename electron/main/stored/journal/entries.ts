import {
  type Failure,
  failure,
  failureText,
  isUnconfirmed,
  type Lookup,
  type SentConfiguration,
  type StoredChange,
  type StoredCreation,
  type StoredEntry,
  type StoredFailure,
  type StoredSynchronisation,
  type SynchronisationEntry,
} from '@contract'
import { randomUUID } from 'node:crypto'

/** The journal could not be read or written. */
export class JournalError extends Error {}

/** The journal could not be read. */
export class UnreadableJournalError extends JournalError {
  constructor(private readonly reason: Failure) {
    super('The journal could not be read.')
  }

  /** What the operator should know. `consequence` says what didn't happen because of it. */
  failure(consequence: string | null = null): Failure {
    const so = consequence === null ? '' : `, so ${consequence}`
    return failure('internal', `The journal couldn't be read${so}.`, {
      advice: failureText(this.reason),
      retryable: true,
    })
  }
}

/** The environment that an entry is about. */
export interface JournalPlace {
  environmentId: string
  environmentName: string
}

/** The environment whose service is called, and the account there; null if that isn't known. */
export interface CalledPlace extends JournalPlace {
  account: string | null
}

/** What an attempt creates, and where. */
export interface AttemptedCreation {
  name: string
  source: string
  service: string
  sent: SentConfiguration | null
}

/** How a creation ended. */
export type CreationEnd =
  | { state: 'created'; deploymentId: string }
  | { state: 'refused' | 'unclear'; failure: Failure }

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
export const bounded = (entry: StoredEntry): StoredEntry =>
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

/** The entry of a creation that is about to be sent. */
export function newCreation(place: JournalPlace, attempted: AttemptedCreation): StoredCreation {
  return {
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
  }
}

/** The entry of a creation with its end; null if it had already ended. */
export function endedCreation(entry: StoredCreation, end: CreationEnd): StoredCreation | null {
  if (entry.state !== 'sending') return null
  return settled({
    ...entry,
    endedAt: new Date().toISOString(),
    state: end.state,
    deploymentId: end.state === 'created' ? end.deploymentId : null,
    failure: end.state === 'created' ? null : end.failure,
  })
}

/** The entry of an unconfirmed attempt after a lookup; null if it is settled already. */
export function creationAfterLookup(
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

/** The entry of an unconfirmed attempt after the operator's decision; null if it is settled already. */
export const creationAfterWord = (entry: StoredCreation, word: OperatorsWord): StoredCreation | null =>
  word.state === 'created'
    ? creationAfterLookup(entry, { ...word, lookFailure: null })
    : isUnconfirmed(entry)
      ? settled({ ...entry, state: word.state })
      : null

/** The entry of an attempt whose name is sent again with the operator's consent. */
export function creationSentAgain(entry: StoredCreation): StoredCreation {
  return { ...entry, sentAgain: entry.sentAgain + 1 }
}

/** The entry of a creation during which the application ended. */
export function interruptedCreation(entry: StoredCreation): StoredCreation {
  return { ...entry, state: 'unclear', endedAt: new Date().toISOString(), failure: interrupted }
}

const interrupted = failure('connection-lost', 'Slipway closed before the answer arrived.', {
  advice: 'The creation is unconfirmed. Slipway looks for the deployment in the list.',
  sent: 'maybe',
})

/** Nothing is compared with a settled attempt any more. */
const settled = (entry: StoredCreation): StoredCreation =>
  isUnconfirmed(entry) ? entry : { ...entry, sent: null }

/** The entry of a call that failed just now. */
export function failureEntry(
  place: CalledPlace,
  action: string,
  startedAt: Date,
  reason: Failure,
): StoredFailure {
  return {
    id: randomUUID(),
    startedAt: startedAt.toISOString(),
    endedAt: new Date().toISOString(),
    ...place,
    kind: 'failure',
    action,
    failure: reason,
  }
}

/** The entry of a change that is about to be sent. */
export function newChange(
  place: CalledPlace,
  changed: Pick<StoredChange, 'action' | 'deploymentId' | 'name' | 'sent'>,
): StoredChange {
  return {
    ...begunNow(),
    ...place,
    kind: 'change',
    state: 'sending',
    failure: null,
    ...changed,
  }
}

/** How a change ended. */
export type ChangeEnd = { state: 'done' } | { state: 'refused' | 'unclear'; failure: Failure }

/** The entry of a change with its end. A settled one doesn't change. */
export function endedChange(entry: StoredChange, end: ChangeEnd): StoredChange | null {
  if (entry.state === 'done' || entry.state === 'refused') return null
  return {
    ...entry,
    endedAt: entry.endedAt ?? new Date().toISOString(),
    state: end.state,
    failure: end.state === 'done' ? null : end.failure,
    sent: end.state === 'unclear' ? entry.sent : null,
  }
}

/** The end of a change during which the application ended. */
export const changeInterrupted: ChangeEnd = {
  state: 'unclear',
  failure: failure('connection-lost', 'Slipway closed before the answer arrived.', {
    advice: 'Whether it was carried out is unknown. Look at the deployment, or check again.',
    sent: 'maybe',
  }),
}

/** How long the same failure isn't noted again, in milliseconds. */
const repeatedForMs = 60_000

/** The failures that were noted within the last minute, by a monotonic clock. */
export class RepeatedFailures {
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
export function beginEntry(
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

/** The entry with its end. */
export function endEntry(entry: StoredSynchronisation, end: SynchronisationEnd): StoredSynchronisation {
  const ended = { ...entry, ...end, endedAt: new Date().toISOString() }
  return wasQuiet(ended) ? ended : { ...ended, quietBefore: 0 }
}

/** The entry of a synchronisation during which the application ended without closing. */
export function interruptedEntry(entry: StoredSynchronisation): StoredSynchronisation {
  return { ...entry, state: 'interrupted', endedAt: new Date().toISOString(), quietBefore: 0 }
}

function wasQuiet({ automatic, state, added, changed, gone }: StoredSynchronisation): boolean {
  return automatic && (state === 'complete' || state === 'paused') && added + changed + gone === 0
}
