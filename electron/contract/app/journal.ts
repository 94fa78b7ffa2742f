import type { Failure } from '../core/outcome'
import type { Change } from '../life/changes'

interface EntryBase {
  id: string
  /** When it began and ended (ISO 8601); `endedAt` is null while it is running. */
  startedAt: string
  endedAt: string | null
  environmentId: string
  environmentName: string
}

export interface FoundDeployment {
  id: string
  createdAt: string | null
  status: string
  /** Set only if it differs from the attempt's name. */
  name?: string | undefined
}

/**
 * What a lookup found for an unconfirmed attempt:
 * - `found`: the list is whole and has exactly one deployment of that name, which was created not more than five minutes
 *   before the attempt and has the configuration that was sent;
 * - `different`: the only deployment of that name differs in the members in `differences`;
 * - `not-found`: the list is whole and has no deployment of that name, or only that of another attempt (`taken`);
 * - `cannot-tell`: only the operator can say whether it is the attempt's, or the list says too little; `reason` says
 *   why.
 */
export interface Lookup {
  /** When the list was complete (ISO 8601). */
  at: string
  verdict: 'found' | 'different' | 'not-found' | 'cannot-tell'
  deployment: FoundDeployment | null
  /** How many deployments of that name there are, if there are several; `deployment` is one of them. */
  count?: number | undefined
  /** Some of the others. */
  others?: FoundDeployment[] | undefined
  /**
   * Members of the request that differ, such as `source_config.repo_url`; `created_at` if the deployment is older than
   * the attempt.
   */
  differences: string[]
  reason:
    | null
    /** The deployment has no creation time that can be read. */
    | 'no-time'
    /** What was sent was too large to be kept. */
    | 'not-kept'
    /** The deployment may as well be that of another unconfirmed attempt at the name. */
    | 'several'
    /** Several deployments have the name: the request may have been carried out more than once. */
    | 'repeated'
    /** The deployment with the name is known to be that of another attempt. */
    | 'taken'
    /** No deployment has the name, but one has it in other case or with other spaces. */
    | 'alike'
    /** The list has entries that can't be read. */
    | 'unreadable'
    /** The list couldn't be read to its end. */
    | 'incomplete'
}

/** The deployments that a lookup found. Each of them may be the attempt's. */
export const foundIn = ({ deployment, others = [] }: Lookup): FoundDeployment[] =>
  deployment === null ? [] : [deployment, ...others]

/**
 * A creation attempt. It is on disk as `sending` before the request leaves. If it is still `sending` at the next start,
 * it becomes `unconfirmed`, as if its answer didn't arrive.
 * - `refused`: it certainly didn't leave, or the service refused it;
 * - `created`: the service answered, a lookup found the deployment, or the operator says that a deployment is it;
 * - `dismissed`: the operator says that there is nothing left to find out. Its name is free again.
 */
export interface CreationEntry extends EntryBase {
  kind: 'creation'
  state: 'sending' | 'created' | 'refused' | 'unconfirmed' | 'dismissed'
  name: string
  source: string
  deploymentId: string | null
  /** Why there was no answer, or why the service refused. It stays when the deployment is found later. */
  failure: Failure | null
  /** The result of the last lookup that got an answer. */
  lookup: Lookup | null
  /** Why the last lookup got no answer. */
  lookFailure: Failure | null
  /** How many attempts began with the operator's consent to sending its name again. Each consent counts once. */
  sentAgain: number
  /**
   * `service` of its environment, if that leads to where the attempt was sent; null if it leads elsewhere. Left out if
   * unknown, and on disk, because an edit of the environment changes it.
   */
  sentTo?: string | null | undefined
}

/** A call that failed. Cancelled calls have no entry. */
export interface FailureEntry extends EntryBase {
  kind: 'failure'
  /** What was tried, such as "List deployments". */
  action: string
  failure: Failure
}

/** A synchronisation of an environment's cache. */
export interface SynchronisationEntry extends EntryBase {
  kind: 'synchronisation'
  /**
   * `unsettled`: the service kept changing the order of its list, so some deployments may be missing. `paused`:
   * another environment was chosen, or Slipway was closed. `interrupted`: Slipway ended without closing.
   */
  state: 'running' | 'complete' | 'unsettled' | 'cancelled' | 'paused' | 'failed' | 'interrupted'
  /** Whether it ran in the background. */
  automatic: boolean
  /** How many deployments it saw, how many of them were new or changed, and how many others are gone. */
  seen: number
  added: number
  changed: number
  gone: number
  /** How many background synchronisations right before this one completed without a change. They have no entries. */
  quietBefore: number
  failure: Failure | null
}

/**
 * A change of a deployment. It is on disk as `sending` before the request leaves. `refused`: it certainly didn't leave,
 * or the service refused it; `done`: the service answered so, or shows it; `unconfirmed`: the answer was lost.
 */
export interface ChangeEntry extends EntryBase {
  kind: 'change'
  state: 'sending' | 'done' | 'refused' | 'unconfirmed'
  action: Change['kind']
  deploymentId: string
  name: string
  failure: Failure | null
}

/** An entry of the journal. It never contains a secret, a header or a request body. */
export type JournalEntry = CreationEntry | ChangeEntry | FailureEntry | SynchronisationEntry

export const journalFilters = ['all', 'creations', 'changes', 'synchronisations', 'failures'] as const

export type JournalFilter = (typeof journalFilters)[number]

const failedStates: readonly string[] = ['refused', 'unconfirmed', 'failed', 'unsettled', 'interrupted']

/** Whether an entry passes a filter. An unconfirmed creation is both a creation and a failure. */
export function passesFilter(entry: JournalEntry, filter: JournalFilter): boolean {
  if (filter === 'all') return true
  if (filter === 'creations') return entry.kind === 'creation'
  if (filter === 'changes') return entry.kind === 'change'
  if (filter === 'synchronisations') return entry.kind === 'synchronisation'
  return entry.kind === 'failure' || failedStates.includes(entry.state)
}

/** Whether the result of an attempt is open: the service may have created its deployment, or may still create it. */
export const isUnconfirmed = ({ state }: CreationEntry): boolean => state === 'unconfirmed'

/**
 * Whether a later attempt in the same environment is known to have created an attempt's name.
 *
 * @param attempts oldest first
 */
export function isCreatedLater(attempt: CreationEntry, attempts: readonly CreationEntry[]): boolean {
  const place = attempts.findIndex(({ id }) => id === attempt.id)
  return (
    place >= 0 &&
    attempts
      .slice(place + 1)
      .some(
        (one) =>
          one.state === 'created' && one.name === attempt.name && one.environmentId === attempt.environmentId,
      )
  )
}

/**
 * The attempt that blocks sending a name again without consent: the newest unconfirmed one.
 *
 * @param candidates attempts that may block, oldest first
 */
export function blockingAttempt<Entry extends CreationEntry>(
  candidates: readonly Entry[],
  name: string,
): Entry | null {
  return candidates.filter((one) => one.name === name && isUnconfirmed(one)).at(-1) ?? null
}

/**
 * How long an unconfirmed attempt is shown and looked up automatically, in milliseconds. After that, both happen on
 * request only.
 */
const recentMs = 7 * 24 * 3600 * 1000

export const isRecent = ({ startedAt }: CreationEntry, now = Date.now()): boolean =>
  now - Date.parse(startedAt) < recentMs

/** Whether the operator can say that a found deployment is the attempt's. */
export const canBeClaimed = (entry: CreationEntry): boolean =>
  isUnconfirmed(entry) && entry.lookup?.deployment != null
