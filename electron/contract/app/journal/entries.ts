import { z } from 'zod'
import { failureSchema } from '../../core/failure'
import { creationEntrySchema, storedCreationSchema } from './creation'
import { calledSchema, entryBase } from './entry-base'

/** A call that failed. Cancelled calls have no entry. */
const failureEntrySchema = z.object({
  ...entryBase,
  kind: z.literal('failure'),
  /** What was tried, such as "List deployments". */
  action: z.string(),
  failure: failureSchema,
})

/** What entries of calls have on disk: the account at the service; null if it wasn't known. */
const called = { account: calledSchema.nullable().default(null) }

/** A failure as it is on disk. */
const storedFailureSchema = failureEntrySchema.extend(called)

/** A synchronisation of an environment's cache. */
const synchronisationEntrySchema = z.object({
  ...entryBase,
  kind: z.literal('synchronisation'),
  /**
   * `unsettled`: the service kept changing the order of its list, so some deployments may be missing. `paused`:
   * another environment was chosen, or Slipway was closed. `interrupted`: Slipway ended without closing.
   */
  state: z.enum(['running', 'complete', 'unsettled', 'cancelled', 'paused', 'failed', 'interrupted']),
  /** Whether it ran in the background. */
  automatic: z.boolean(),
  /** How many deployments it saw, how many of them were new or changed, and how many others are gone. */
  seen: z.int(),
  added: z.int(),
  changed: z.int(),
  gone: z.int(),
  /** How many background synchronisations right before this one completed without a change. They have no entries. */
  quietBefore: z.int(),
  failure: failureSchema.nullable(),
})

/** A synchronisation as it is on disk. */
const storedSynchronisationSchema = synchronisationEntrySchema.extend(called)

/** An entry of the journal. It never contains a secret, a header or a request body. */
export const journalEntrySchema = z.discriminatedUnion('kind', [
  creationEntrySchema,
  failureEntrySchema,
  synchronisationEntrySchema,
])

/** An entry as it is on disk. */
export const storedEntrySchema = z.discriminatedUnion('kind', [
  storedCreationSchema,
  storedFailureSchema,
  storedSynchronisationSchema,
])

export type StoredFailure = z.infer<typeof storedFailureSchema>
export type StoredSynchronisation = z.infer<typeof storedSynchronisationSchema>
export type StoredEntry = z.infer<typeof storedEntrySchema>
export type FailureEntry = z.infer<typeof failureEntrySchema>
export type SynchronisationEntry = z.infer<typeof synchronisationEntrySchema>
export type JournalEntry = z.infer<typeof journalEntrySchema>

/** Which entries are listed. */
export const journalFilterSchema = z.enum(['all', 'creations', 'synchronisations', 'failures'])

export type JournalFilter = z.infer<typeof journalFilterSchema>

const failedStates: readonly string[] = ['refused', 'unclear', 'failed', 'unsettled', 'interrupted']

/** Whether an entry passes a filter. An unclear creation is both a creation and a failure. */
export function passesFilter(entry: StoredEntry | JournalEntry, filter: JournalFilter): boolean {
  if (filter === 'all') return true
  if (filter === 'creations') return entry.kind === 'creation'
  if (filter === 'synchronisations') return entry.kind === 'synchronisation'
  return entry.kind === 'failure' || failedStates.includes(entry.state)
}
