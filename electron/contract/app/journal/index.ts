import { z } from 'zod'
import { failureSchema } from '../../core/failure'

const base = {
  id: z.string(),
  /** When it began and ended (ISO 8601); `endedAt` is null while it is running. */
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  environmentId: z.string(),
  environmentName: z.string(),
}

/** A deployment that a lookup found. */
const foundDeploymentSchema = z.object({
  id: z.string(),
  createdAt: z.string().nullable(),
  status: z.string(),
  /** Set only if it differs from the attempt's name. */
  name: z.string().optional(),
})

export type FoundDeployment = z.infer<typeof foundDeploymentSchema>

/** How many deployments that fit one attempt are stored and shown. Nobody would compare more by eye. */
export const maxFound = 5

/**
 * What a lookup found for an unconfirmed attempt:
 * - `found`: a deployment of that name, created after the attempt began, with the source and configuration that were
 *   sent;
 * - `different`: a deployment of that name that may be it, but differs in the members in `differences`;
 * - `not-found`: no deployment of that name from that time; `deployment` is then one of that name from another time;
 * - `cannot-tell`: only the operator can say whether it is the attempt's, or the list says too little; `reason` says
 *   why.
 */
const lookupSchema = z.object({
  /** When the list was complete (ISO 8601). */
  at: z.string(),
  verdict: z.enum(['found', 'different', 'not-found', 'cannot-tell']),
  deployment: foundDeploymentSchema.nullable(),
  /** How many deployments of that name have what was sent, if there are several; `deployment` is one of them. */
  fitting: z.int().optional(),
  /** The others, up to `maxFound` in all. */
  others: z.array(foundDeploymentSchema).optional(),
  /**
   * Members of the request that differ, such as `source_config.repo_url`, or that only the deployment has;
   * `created_at` if only the time doesn't fit.
   */
  differences: z.array(z.string()),
  reason: z
    .enum([
      /** The deployment has no creation time, or one that isn't exact enough for clocks that differ. */
      'no-time',
      /** Its creation time proves nothing: this machine's clock may have been set since the attempt began. */
      'clock',
      /** The attempt is from a version that stored nothing to compare. */
      'not-kept',
      /** The attempt is from a version that didn't store the service that it was sent to. */
      'no-service',
      /** Secrets were sent, whose values can't be compared. */
      'secrets',
      /** Containers have environment variables, whose values aren't stored and so can't be compared. */
      'variables',
      /** The deployment has more than was sent, such as a container that somebody added. */
      'more',
      /** Too little was sent to tell its deployment from somebody else's. */
      'thin',
      /** The deployment fits several attempts at the name, or several deployments fit (`fitting`). */
      'several',
      /** Several deployments fit only this attempt, which may have been carried out more than once. */
      'repeated',
      /** No deployment has the name, but one has a name that the service may have made of it. */
      'alike',
      /** The list has entries that can't be read. */
      'unreadable',
      /** The list couldn't be read to its end. */
      'incomplete',
      /**
       * The request headers, the proxy or the certificate rule have changed since, so this may be the list of another
       * account or service. Its deployments may be somebody else's, and the attempt's may be in the other list.
       */
      'credentials',
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
 * it becomes `unclear` (unconfirmed), as if its answer didn't arrive. Lookups then settle it:
 * - `created`: a lookup found it, or the operator says that a found deployment is it;
 * - `refused`: the service refused it, and the list shows that no earlier copy of the request was accepted. Another
 *   lookup precedes the next request with its name;
 * - `not-created`: two complete lookups, ten minutes apart, didn't find it. The service may still carry it out later.
 */
export const creationEntrySchema = z.object({
  ...base,
  kind: z.literal('creation'),
  state: z.enum(['sending', 'created', 'refused', 'unclear', 'not-created']),
  name: z.string(),
  source: z.string(),
  deploymentId: z.string().nullable(),
  /** Why there was no answer, or why the service refused. It stays when the deployment is found later. */
  failure: failureSchema.nullable(),
  /** The result of the last lookup that got an answer. */
  lookup: lookupSchema.nullable().default(null),
  /** Why the last lookup got no answer. */
  lookFailure: failureSchema.nullable().default(null),
  /**
   * Earlier attempts at the name, at the same service, that weren't known to be created when this one began. If this
   * one creates the deployment, they are certainly earlier, whatever the clock says. Null if the version that wrote it
   * didn't store them.
   */
  before: z.array(z.string()).nullable().default(null),
  /** When it began on the service's clock (ISO 8601); null if unknown. */
  startedAtService: z.string().nullable().default(null),
  /**
   * Whether Slipway itself refused it, before it reached the network. In entries of versions that didn't store this,
   * refusals count as the service's, which costs only a lookup.
   */
  heldBack: z.boolean().default(false),
  /** How many attempts began with the operator's consent to sending its name again. Each consent counts once. */
  sentAgain: z.number().int().nonnegative().default(0),
  /**
   * `service` of its environment, if that leads to where the attempt was sent; null if it leads elsewhere. Left out if
   * unknown, and on disk, because an edit of the environment changes it.
   */
  sentTo: z.string().nullable().optional(),
})

/**
 * What an attempt sent, to compare deployments with: keyed hashes of the values, by member of the request. No value
 * and no secret can be read from it.
 */
const fingerprintSchema = z.object({
  /** The key of the hashes, in base64. Each attempt has its own. */
  salt: z.string(),
  /** Empty if the hashes aren't stored, because they would be too large or nothing is left to compare. */
  members: z.record(z.string(), z.array(z.string())),
  /** Hashes of the names of the secrets, unordered; null if they aren't stored. */
  secretNames: z.array(z.string()).nullable().default(null),
})

export type Fingerprint = z.infer<typeof fingerprintSchema>

/** An attempt as it is on disk. */
const storedCreationSchema = creationEntrySchema.extend({
  fingerprint: fingerprintSchema.nullable().default(null),
  /**
   * The service and tenant that it was sent to: a hash with the fingerprint's salt, kept after the attempt is
   * settled. Null in an attempt of a version that didn't store it. Only the operator can settle such an attempt.
   */
  serviceIdentity: z.string().nullable().default(null),
  /**
   * The request headers that it was sent with: a hash with the same salt. Null in an attempt of a version that didn't
   * store it. No list proves that such an attempt created nothing.
   */
  headersIdentity: z.string().nullable().default(null),
  /** The proxy and certificate rule that it was sent with, as above. */
  routeIdentity: z.string().nullable().default(null),
})

/** An attempt for display: without the members that only a comparison needs. */
export function shownCreation({
  fingerprint: _kept,
  serviceIdentity: _service,
  headersIdentity: _headers,
  routeIdentity: _route,
  ...entry
}: StoredCreation): CreationEntry {
  return entry
}

/** Whether the result of an attempt is open: the service may have created its deployment, or may still create it. */
export const isUnconfirmed = ({ state }: CreationEntry): boolean =>
  state === 'unclear' || state === 'not-created'

/**
 * Whether an attempt reached the network and was refused there. Chromium or a gateway may have sent it twice, so the
 * list may still show later that it was carried out.
 */
export const isRefusedOutside = ({ state, failure, heldBack }: CreationEntry): boolean =>
  state === 'refused' && failure !== null && !heldBack

/**
 * Whether a later attempt at the same service is known to have created an attempt's name. Attempts of a version that
 * didn't store which came before are compared by the journal's order and their environment.
 *
 * @param attempts all attempts that may have created it, oldest first
 */
export function isCreatedLater(attempt: CreationEntry, attempts: readonly CreationEntry[]): boolean {
  const place = attempts.findIndex(({ id }) => id === attempt.id)
  const isLaterAtPlace = (one: CreationEntry, at: number): boolean =>
    place >= 0 &&
    at > place &&
    attempt.before === null &&
    one.name === attempt.name &&
    one.environmentId === attempt.environmentId
  return attempts.some(
    (one, at) => one.state === 'created' && (one.before?.includes(attempt.id) ?? isLaterAtPlace(one, at)),
  )
}

/**
 * The attempt that blocks sending a name again without consent: the newest unconfirmed one. A `not-created` one blocks
 * too, until a later attempt has created the name at the same service.
 *
 * @param candidates attempts that may block, oldest first
 * @param attempts all attempts that may have created the name later, oldest first
 */
export function blockingAttempt<Entry extends CreationEntry>(
  candidates: readonly Entry[],
  name: string,
  attempts: readonly CreationEntry[] = candidates,
): Entry | null {
  return (
    candidates
      .filter(
        (one) =>
          one.name === name &&
          isUnconfirmed(one) &&
          (one.state === 'unclear' || !isCreatedLater(one, attempts)),
      )
      .at(-1) ?? null
  )
}

/**
 * How long an unconfirmed attempt is shown and looked up automatically, in milliseconds. After that, both happen on
 * request only.
 */
export const recentMs = 7 * 24 * 3600 * 1000

/**
 * Whether an attempt began recently. If the clock was wrong then, the service's clock or earlier entries of the
 * journal limit its age.
 *
 * @param earlier entries that began before it
 */
export function isRecent(
  { startedAt, endedAt, startedAtService }: CreationEntry,
  earlier: readonly Pick<JournalEntry, 'startedAt'>[],
  now = Date.now(),
): boolean {
  const times = [startedAt, endedAt, startedAtService, ...earlier.map((one) => one.startedAt)]
  return times.some((time) => time !== null && now - Date.parse(time) < recentMs)
}

/**
 * Whether only the operator can say that the found deployment is the attempt's: it differs from what was sent, too
 * little of it is known, or it is one of several.
 */
export const canBeClaimed = ({ state, lookup }: CreationEntry): boolean =>
  state === 'unclear' &&
  lookup?.deployment != null &&
  (lookup.verdict === 'different' || lookup.verdict === 'cannot-tell')

/** A call that failed. Cancelled calls have no entry. */
const failureEntrySchema = z.object({
  ...base,
  kind: z.literal('failure'),
  /** What was tried, such as "List deployments". */
  action: z.string(),
  failure: failureSchema,
})

/**
 * A gap: the journal may lack entries, because its key was lost or replaced (`key`) or somebody changed the file
 * (`changed`). For some time after it, the journal can't prove that there was no attempt.
 */
const journalGapSchema = z.object({
  reason: z.enum(['key', 'changed']),
  /** How much of that time has passed, in milliseconds, and when that was last saved (ISO 8601). */
  passedMs: z.number().min(0),
  notedAt: z.string(),
})

export type JournalGap = z.infer<typeof journalGapSchema>

/** The account at a service that was called: a keyed hash, and its key in base64. */
const calledAccountSchema = z.object({ salt: z.string(), identity: z.string() })

export type CalledAccount = z.infer<typeof calledAccountSchema>

/** What entries of calls have on disk: null if it wasn't known, or in an entry of a version that didn't store it. */
const called = { account: calledAccountSchema.nullable().default(null) }

/** A failure as it is on disk. `gap` is set for a failure to read the journal itself. */
const storedFailureSchema = failureEntrySchema.extend({
  ...called,
  gap: journalGapSchema.nullable().default(null),
})

/** A synchronisation of an environment's cache. */
const synchronisationEntrySchema = z.object({
  ...base,
  kind: z.literal('synchronisation'),
  /**
   * `unsettled`: the service kept changing the order of its list, so some deployments may be missing. `paused`: it
   * continues later automatically. `interrupted`: Slipway ended without closing, and the next synchronisation continues
   * it.
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

/** The version of the lines that this Slipway writes. */
export const journalLineVersion = 2

const lineHead = {
  v: z.literal(journalLineVersion),
  /** The number of the line, and a hash of everything before it in the file. */
  n: z.int().min(1),
  prev: z.string(),
}

/** A line of the journal's file, with its entry encrypted or plain. */
export const sealedLineSchema = z.strictObject({ ...lineHead, sealed: z.base64() })
export const plainLineSchema = z.strictObject({ ...lineHead, entry: z.unknown() })

/** An encrypted line of the first version, whose plain lines are bare entries. */
export const firstSealedLineSchema = z.strictObject({ sealed: z.base64() })

/** A line of a newer version, and an entry of a kind that this version doesn't know. */
export const newerLineSchema = z.looseObject({ v: z.int().min(journalLineVersion + 1) })
export const unknownEntrySchema = z.looseObject({ id: z.string(), kind: z.string() })

/** The end of the chain of lines, stored encrypted in a file beside the journal. */
export const journalHeadSchema = z.strictObject({ n: z.int().min(1), hash: z.string() })
export const sealedHeadSchema = z.strictObject({ sealed: z.base64() })

export type CreationEntry = z.infer<typeof creationEntrySchema>
export type StoredCreation = z.infer<typeof storedCreationSchema>
export type StoredFailure = z.infer<typeof storedFailureSchema>
export type StoredSynchronisation = z.infer<typeof storedSynchronisationSchema>
export type StoredEntry = z.infer<typeof storedEntrySchema>
export type FailureEntry = z.infer<typeof failureEntrySchema>
export type SynchronisationEntry = z.infer<typeof synchronisationEntrySchema>
export type JournalEntry = z.infer<typeof journalEntrySchema>

/** Which entries are listed. */
export const journalFilterSchema = z.enum(['all', 'creations', 'synchronisations', 'failures'])

export type JournalFilter = z.infer<typeof journalFilterSchema>

const failedStates: readonly string[] = [
  'not-created',
  'refused',
  'unclear',
  'failed',
  'unsettled',
  'interrupted',
]

/** Whether an entry passes a filter. An unclear creation is both a creation and a failure. */
export function passesFilter(entry: StoredEntry | JournalEntry, filter: JournalFilter): boolean {
  if (filter === 'all') return true
  if (filter === 'creations') return entry.kind === 'creation'
  if (filter === 'synchronisations') return entry.kind === 'synchronisation'
  return entry.kind === 'failure' || failedStates.includes(entry.state)
}
