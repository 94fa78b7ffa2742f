import { z } from 'zod'
import { failureSchema } from '../core/failure'
import { changeSchema } from '../life/changes'

/** What every entry of the journal has. */
const entryBase = {
  id: z.string(),
  /** When it began and ended (ISO 8601); `endedAt` is null while it is running. */
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  environmentId: z.string(),
  environmentName: z.string(),
}

/** Where a call went: a keyed hash of the service or the account, and its key in base64. */
const calledSchema = z.object({ salt: z.string(), identity: z.string() })

export type Called = z.infer<typeof calledSchema>

/** A deployment that a lookup found. */
const foundDeploymentSchema = z.object({
  id: z.string(),
  createdAt: z.string().nullable(),
  status: z.string(),
  /** Set only if it differs from the attempt's name. */
  name: z.string().optional(),
})

export type FoundDeployment = z.infer<typeof foundDeploymentSchema>

/** How many deployments of one name are stored and shown. Nobody compares more than that by eye. */
export const maxFound = 5

/**
 * What a lookup found for an unconfirmed attempt:
 * - `found`: the list is whole and has exactly one deployment of that name, which was created not more than five minutes
 *   before the attempt and has the configuration that was sent;
 * - `different`: the only deployment of that name differs in the members in `differences`;
 * - `not-found`: the list is whole and has no deployment of that name, or only that of another attempt (`taken`);
 * - `cannot-tell`: only the operator can say whether it is the attempt's, or the list says too little; `reason` says
 *   why.
 */
const lookupSchema = z.object({
  /** When the list was complete (ISO 8601). */
  at: z.string(),
  verdict: z.enum(['found', 'different', 'not-found', 'cannot-tell']),
  deployment: foundDeploymentSchema.nullable(),
  /** How many deployments of that name there are, if there are several; `deployment` is one of them. */
  count: z.int().optional(),
  /** The others, up to `maxFound` in all. */
  others: z.array(foundDeploymentSchema).optional(),
  /**
   * Members of the request that differ, such as `source_config.repo_url`; `created_at` if the deployment is older than
   * the attempt.
   */
  differences: z.array(z.string()),
  reason: z
    .enum([
      /** The deployment has no creation time that can be read. */
      'no-time',
      /** What was sent was too large to be kept. */
      'not-kept',
      /** The deployment may as well be that of another unconfirmed attempt at the name. */
      'several',
      /** Several deployments have the name: the request may have been carried out more than once. */
      'repeated',
      /** The deployment with the name is known to be that of another attempt. */
      'taken',
      /** No deployment has the name, but one has it in other case or with other spaces. */
      'alike',
      /** The list has entries that can't be read. */
      'unreadable',
      /** The list couldn't be read to its end. */
      'incomplete',
    ])
    .nullable(),
})

export type Lookup = z.infer<typeof lookupSchema>

/** The deployments that a lookup found. Each of them may be the attempt's. */
export const foundIn = ({ deployment, others = [] }: Lookup): FoundDeployment[] =>
  deployment === null ? [] : [deployment, ...others]

/** A lookup with the deployment `id` chosen as the attempt's; null if the lookup didn't find it. */
export function withChosen(lookup: Lookup, id: string): Lookup | null {
  const found = foundIn(lookup)
  const deployment = found.find((one) => one.id === id)
  if (!deployment) return null
  const others = found.filter((one) => one !== deployment)
  return { ...lookup, deployment, ...(others.length > 0 ? { others } : {}) }
}

/**
 * A creation attempt. It is on disk as `sending` before the request leaves. If it is still `sending` at the next start,
 * it becomes `unclear` (unconfirmed), as if its answer didn't arrive.
 * - `refused`: it certainly didn't leave, or the service refused it;
 * - `created`: the service answered, a lookup found the deployment, or the operator says that a deployment is it;
 * - `dismissed`: the operator says that there is nothing left to find out. Its name is free again.
 */
const creationEntrySchema = z.object({
  ...entryBase,
  kind: z.literal('creation'),
  state: z.enum(['sending', 'created', 'refused', 'unclear', 'dismissed']),
  name: z.string(),
  source: z.string(),
  deploymentId: z.string().nullable(),
  /** Why there was no answer, or why the service refused. It stays when the deployment is found later. */
  failure: failureSchema.nullable(),
  /** The result of the last lookup that got an answer. */
  lookup: lookupSchema.nullable(),
  /** Why the last lookup got no answer. */
  lookFailure: failureSchema.nullable(),
  /** How many attempts began with the operator's consent to sending its name again. Each consent counts once. */
  sentAgain: z.number().int().nonnegative(),
  /**
   * `service` of its environment, if that leads to where the attempt was sent; null if it leads elsewhere. Left out if
   * unknown, and on disk, because an edit of the environment changes it.
   */
  sentTo: z.string().nullable().optional(),
})

/** What an attempt sent, as far as a deployment can be compared with it: no value of a secret or a variable. */
const sentConfigurationSchema = z.object({
  source: z.string(),
  source_config: z.record(z.string(), z.unknown()),
  source_revision_config: z.record(z.string(), z.unknown()),
  secret_references: z.array(z.unknown()),
  /** The names of the secrets. */
  secrets: z.array(z.string()),
})

export type SentConfiguration = z.infer<typeof sentConfigurationSchema>

/** An attempt as it is on disk. */
const storedCreationSchema = creationEntrySchema.extend({
  /** The service and tenant that it was sent to. */
  service: calledSchema,
  /** Null if it was too large to keep, and once the attempt is settled. */
  sent: sentConfigurationSchema.nullable(),
})

export type CreationEntry = z.infer<typeof creationEntrySchema>
export type StoredCreation = z.infer<typeof storedCreationSchema>

/** An attempt for display: without what only a comparison needs. */
export function shownCreation({ service: _service, sent: _sent, ...entry }: StoredCreation): CreationEntry {
  return entry
}

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

/**
 * A change of a deployment. It is on disk as `sending` before the request leaves. `refused`: it certainly didn't leave,
 * or the service refused it; `done`: the service answered so, or shows it; `unclear`: the answer was lost.
 */
const changeEntrySchema = z.object({
  ...entryBase,
  kind: z.literal('change'),
  state: z.enum(['sending', 'done', 'refused', 'unclear']),
  action: z.enum(changeSchema.options.map(({ shape }) => shape.kind.value)),
  deploymentId: z.string(),
  name: z.string(),
  failure: failureSchema.nullable(),
})

export type ChangeEntry = z.infer<typeof changeEntrySchema>

/** A change as it is on disk. */
const storedChangeSchema = changeEntrySchema.extend({
  ...called,
  /** What was sent, without values of secrets, and the latest revision before. Null once it is settled. */
  sent: z.object({ change: changeSchema, latestRevisionId: z.string().nullable() }).nullable(),
})

export type StoredChange = z.infer<typeof storedChangeSchema>

/** A change for display: without what only a comparison needs. */
export function shownChange({ account: _account, sent: _sent, ...entry }: StoredChange): ChangeEntry {
  return entry
}

/** An entry of the journal. It never contains a secret, a header or a request body. */
export type JournalEntry = CreationEntry | ChangeEntry | FailureEntry | SynchronisationEntry

/** An entry as it is on disk. */
export const storedEntrySchema = z.discriminatedUnion('kind', [
  storedCreationSchema,
  storedChangeSchema,
  storedFailureSchema,
  storedSynchronisationSchema,
])

export type StoredFailure = z.infer<typeof storedFailureSchema>
export type StoredSynchronisation = z.infer<typeof storedSynchronisationSchema>
export type StoredEntry = z.infer<typeof storedEntrySchema>
export type FailureEntry = z.infer<typeof failureEntrySchema>
export type SynchronisationEntry = z.infer<typeof synchronisationEntrySchema>

/** Which entries are listed. */
export const journalFilterSchema = z.enum(['all', 'creations', 'changes', 'synchronisations', 'failures'])

export type JournalFilter = z.infer<typeof journalFilterSchema>

const failedStates: readonly string[] = ['refused', 'unclear', 'failed', 'unsettled', 'interrupted']

/** Whether an entry passes a filter. An unclear creation is both a creation and a failure. */
export function passesFilter(entry: StoredEntry | JournalEntry, filter: JournalFilter): boolean {
  if (filter === 'all') return true
  if (filter === 'creations') return entry.kind === 'creation'
  if (filter === 'changes') return entry.kind === 'change'
  if (filter === 'synchronisations') return entry.kind === 'synchronisation'
  return entry.kind === 'failure' || failedStates.includes(entry.state)
}
