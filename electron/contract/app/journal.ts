import { z } from 'zod'
import { failureSchema } from '../core/failure'

const base = {
  id: z.string(),
  /** When it began and ended (ISO 8601); `endedAt` is null while it goes on. */
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  environmentId: z.string(),
  environmentName: z.string(),
}

/** A deployment that a look found. */
const foundDeploymentSchema = z.object({
  id: z.string(),
  createdAt: z.string().nullable(),
  status: z.string(),
  /** Only where it is not exactly the attempt's. */
  name: z.string().optional(),
})

export type FoundDeployment = z.infer<typeof foundDeploymentSchema>

/** So many of the deployments that fit one attempt are kept and shown: nobody compares more by eye. */
export const mostFound = 5

/**
 * What a look for the deployment of an unconfirmed attempt found:
 * - `found`: one of that name, created after the attempt began, with the source and configuration that were sent;
 * - `different`: one of that name that may be it, which differs in the members that `differences` names;
 * - `not-found`: none of that name from that time; `deployment` is then one of that name from another time;
 * - `cannot-tell`: only the user can say whether it is the attempt's, or the list does not say enough, for the given
 *   `reason`.
 */
const lookupSchema = z.object({
  /** When the list was complete (ISO 8601). */
  at: z.string(),
  verdict: z.enum(['found', 'different', 'not-found', 'cannot-tell']),
  deployment: foundDeploymentSchema.nullable(),
  /** How many deployments of that name have what was sent, where those are several; `deployment` is one of them. */
  fitting: z.int().optional(),
  /** The others of these, as far as they are kept (`mostFound` in all). */
  others: z.array(foundDeploymentSchema).optional(),
  /**
   * Members of the request that differ, such as `source_config.repo_url`, or that the deployment has beyond it;
   * `created_at` where only the time does not fit.
   */
  differences: z.array(z.string()),
  reason: z
    .enum([
      /** The deployment of that name does not say when it was created, or not exactly enough for the clocks. */
      'no-time',
      /** When it was created says nothing: this machine's clock may have been set since the attempt began. */
      'clock',
      /** The attempt is from a version that did not keep what was sent in a comparable form. */
      'not-kept',
      /** The attempt is from a version that did not keep which service it was sent to. */
      'no-service',
      /** Secrets were sent: their values cannot be compared. */
      'secrets',
      /** Containers have environment variables, whose values are not kept, and so cannot be compared. */
      'variables',
      /** It has what was sent and more, such as another container, which somebody has set. */
      'more',
      /** What was sent has too few members to tell its deployment from somebody else's. */
      'thin',
      /** It fits several attempts at the name, or several deployments do (`fitting`). */
      'several',
      /** Several deployments fit this attempt alone, which may have been carried out more than once. */
      'repeated',
      /** None has the name, but one has a name that the service may have made of it. */
      'alike',
      /** The list has entries that cannot be read. */
      'unreadable',
      /** The list could not be read to its end. */
      'incomplete',
      /**
       * The request headers, the proxy or the certificate rule have changed since, so that it may be the list of another
       * account or service: what is there may be somebody else's, and what is not there may be in the other one.
       */
      'credentials',
    ])
    .nullable(),
})

export type Lookup = z.infer<typeof lookupSchema>

/** The deployments that a look found, each of which may be the attempt's. */
export const foundIn = ({ deployment, others = [] }: Lookup): FoundDeployment[] =>
  deployment === null ? [] : [deployment, ...others]

/** What a look found, with the deployment of this identifier as the attempt's; null where it is not among them. */
export function withChosen(lookup: Lookup, id: string): Lookup | null {
  const found = foundIn(lookup)
  const deployment = found.find((one) => one.id === id)
  if (!deployment) return null
  const others = found.filter((one) => one !== deployment)
  return { ...lookup, deployment, ...(others.length > 0 ? { others } : {}) }
}

/**
 * A creation attempt. It is on disk as `sending` before the request leaves; one that is found so at the next
 * start becomes `unclear` (unconfirmed), like one whose answer was lost. An unconfirmed one is looked for in the list,
 * and becomes `created` when it is found, or when the user says that it is the one that was found; `refused` when the
 * service had refused it and the list shows that no earlier copy of the request was accepted; or `not-created` when two
 * complete looks, ten minutes apart, did not find it. Even then the service may still carry it out. A `refused` one is
 * looked for once more before its name is sent again.
 */
export const creationEntrySchema = z.object({
  ...base,
  kind: z.literal('creation'),
  state: z.enum(['sending', 'created', 'refused', 'unclear', 'not-created']),
  name: z.string(),
  source: z.string(),
  deploymentId: z.string().nullable(),
  /** Why there was no answer, or what the service refused; it stays when the deployment is found later. */
  failure: failureSchema.nullable(),
  /** What the last look that got an answer found. */
  lookup: lookupSchema.nullable().default(null),
  /** Why the last look got none. */
  lookFailure: failureSchema.nullable().default(null),
  /**
   * Earlier attempts at the name, at the same service, that were not known to have created it when this one began. Where
   * this one creates it, they are known to be earlier by that and not by a clock. Null in an attempt of a version that did
   * not keep them.
   */
  before: z.array(z.string()).nullable().default(null),
  /** When it began by the service's clock (ISO 8601); null where that was not known. */
  startedAtService: z.string().nullable().default(null),
  /**
   * Whether Slipway itself refused it, before it was handed to the network. What a version refused that did not keep this
   * counts as refused outside, which costs no more than a look.
   */
  heldBack: z.boolean().default(false),
})

/**
 * What an attempt sent, to compare with what is there: by member of the request, the keyed hashes of its values.
 * Neither values nor secrets can be read from it.
 */
const fingerprintSchema = z.object({
  /** The key of the hashes, in base64; every attempt has its own. */
  salt: z.string(),
  /** Empty where they are not kept: they would take too much space, or nothing is left to be compared. */
  members: z.record(z.string(), z.array(z.string())),
  /** Of the names of the secrets, without an order; null where they are not kept. */
  secretNames: z.array(z.string()).nullable().default(null),
})

export type Fingerprint = z.infer<typeof fingerprintSchema>

/** An attempt as it is on disk. */
const storedCreationSchema = creationEntrySchema.extend({
  fingerprint: fingerprintSchema.nullable().default(null),
  /**
   * The service and tenant that it was sent to: a hash under the fingerprint's salt, kept also when it is known what
   * became of it. Null in an attempt of a version that did not keep it, which nothing but the user settles.
   */
  serviceIdentity: z.string().nullable().default(null),
  /**
   * The request headers that it was sent with: a hash under the same salt. Null in an attempt of a version that did not
   * keep it, of which no list shows that it is not there.
   */
  headersIdentity: z.string().nullable().default(null),
  /** The proxy and the certificate rule that it was sent by, in the same way and with the same meaning of null. */
  routeIdentity: z.string().nullable().default(null),
})

/** An attempt as others see it: without what only a comparison needs. */
export function shownCreation({
  fingerprint: _kept,
  serviceIdentity: _service,
  headersIdentity: _headers,
  routeIdentity: _route,
  ...entry
}: StoredCreation): CreationEntry {
  return entry
}

/** Whether it is still open what became of an attempt: the service may have created it, or create it yet. */
export const isUnconfirmed = ({ state }: CreationEntry): boolean =>
  state === 'unclear' || state === 'not-created'

/**
 * Whether an attempt was handed to the network, and then refused by that or by what answered. Should Chromium or a
 * gateway have sent it twice, the list may show later that it was carried out all the same.
 */
export const isRefusedOutside = ({ state, failure, heldBack }: CreationEntry): boolean =>
  state === 'refused' && failure !== null && !heldBack

/**
 * Whether a later attempt, at the same service, is known to have created the name of an attempt. Between two of a version
 * that did not keep which attempts come before, the journal's order and their environment say so.
 *
 * @param attempts all that may have created it, in the order in which they began
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
 * The attempt that stands in the way of sending a name again without consent: the newest unconfirmed one. One that was
 * not there does so as well, until a later attempt has created the name at the same service.
 *
 * @param candidates those that may stand in the way, in the order in which they began
 * @param attempts all that may have created the name later, in the order in which they began
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

/** How long an unconfirmed attempt matters, in milliseconds: after that, it is shown and looked for on request only. */
export const recentMs = 7 * 24 * 3600 * 1000

/**
 * Whether an attempt began not long ago. A clock that was wrong then makes it no older than the service's clock said, or
 * than what the journal has before it.
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
 * Whether only the user can say that a deployment which was found is the attempt's: it differs from what was sent, not
 * enough is known of it, or it is one of several.
 */
export const canBeClaimed = ({ state, lookup }: CreationEntry): boolean =>
  state === 'unclear' &&
  lookup?.deployment != null &&
  (lookup.verdict === 'different' || lookup.verdict === 'cannot-tell')

/** A call that failed for another reason than being cancelled. */
const failureEntrySchema = z.object({
  ...base,
  kind: z.literal('failure'),
  /** What was tried, such as "List deployments". */
  action: z.string(),
  failure: failureSchema,
})

/**
 * That the journal may lack entries: its key was lost or replaced (`key`), or the file was changed by someone else
 * (`changed`). For some time nothing is taken for unknown because it is not in the journal.
 */
const journalGapSchema = z.object({
  reason: z.enum(['key', 'changed']),
  /** How much of that time has passed, in milliseconds, and when that was last noted (ISO 8601). */
  passedMs: z.number().min(0),
  notedAt: z.string(),
})

export type JournalGap = z.infer<typeof journalGapSchema>

/** A failure as it is on disk; the one to read the journal itself says what may be missing. */
const storedFailureSchema = failureEntrySchema.extend({
  gap: journalGapSchema.nullable().default(null),
})

/** A synchronisation of an environment's cache. */
const synchronisationEntrySchema = z.object({
  ...base,
  kind: z.literal('synchronisation'),
  /**
   * `unsettled`: the service kept changing the order of its list, so that some may be missing; `paused`: it goes on
   * later by itself; `interrupted`: the application ended without closing, and it goes on with the next one.
   */
  state: z.enum(['running', 'complete', 'unsettled', 'cancelled', 'paused', 'failed', 'interrupted']),
  /** Whether it ran by itself, in the background. */
  automatic: z.boolean(),
  /** How many deployments it saw; how many of them were new or changed, and how many others are gone. */
  seen: z.int(),
  added: z.int(),
  changed: z.int(),
  gone: z.int(),
  /** How many others in the background, right before it, were complete and found nothing; they have no entry. */
  quietBefore: z.int(),
  failure: failureSchema.nullable(),
})

/** An entry of the local journal. It never holds a secret, a header or a request body. */
export const journalEntrySchema = z.discriminatedUnion('kind', [
  creationEntrySchema,
  failureEntrySchema,
  synchronisationEntrySchema,
])

/** An entry as it is on disk. */
export const storedEntrySchema = z.discriminatedUnion('kind', [
  storedCreationSchema,
  storedFailureSchema,
  synchronisationEntrySchema,
])

/** The version of the journal's lines that this Slipway writes. */
export const journalLineVersion = 2

const lineHead = {
  v: z.literal(journalLineVersion),
  /** The number of the line, and a hash of everything before it in the file. */
  n: z.int().min(1),
  prev: z.string(),
}

/** A line of the journal's file: with an entry that is encrypted, or as it is. */
export const sealedLineSchema = z.strictObject({ ...lineHead, sealed: z.base64() })
export const plainLineSchema = z.strictObject({ ...lineHead, entry: z.unknown() })

/** An encrypted line of the first version; one that is not encrypted was an entry and nothing else. */
export const firstSealedLineSchema = z.strictObject({ sealed: z.base64() })

/** A line of a later version, and an entry of a kind that this one does not know. */
export const newerLineSchema = z.looseObject({ v: z.int().min(journalLineVersion + 1) })
export const unknownEntrySchema = z.looseObject({ id: z.string(), kind: z.string() })

/** How far the chain of lines goes, as it is kept beside the journal, encrypted. */
export const journalHeadSchema = z.strictObject({ n: z.int().min(1), hash: z.string() })
export const sealedHeadSchema = z.strictObject({ sealed: z.base64() })

export type CreationEntry = z.infer<typeof creationEntrySchema>
export type StoredCreation = z.infer<typeof storedCreationSchema>
export type StoredFailure = z.infer<typeof storedFailureSchema>
export type StoredEntry = z.infer<typeof storedEntrySchema>
export type FailureEntry = z.infer<typeof failureEntrySchema>
export type SynchronisationEntry = z.infer<typeof synchronisationEntrySchema>
export type JournalEntry = z.infer<typeof journalEntrySchema>

/** What of the journal is listed. */
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

/** Whether an entry belongs to what a filter shows; an unclear creation is both a creation and a failure. */
export function passesFilter(entry: StoredEntry | JournalEntry, filter: JournalFilter): boolean {
  if (filter === 'all') return true
  if (filter === 'creations') return entry.kind === 'creation'
  if (filter === 'synchronisations') return entry.kind === 'synchronisation'
  return entry.kind === 'failure' || failedStates.includes(entry.state)
}
