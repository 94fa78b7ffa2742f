import { z } from 'zod'
import { failureSchema } from '../../core/failure'
import { entryBase } from './entry-base'
import { lookupSchema } from './lookup'

/**
 * A creation attempt. It is on disk as `sending` before the request leaves. If it is still `sending` at the next start,
 * it becomes `unclear` (unconfirmed), as if its answer didn't arrive. Lookups then settle it:
 * - `created`: a lookup found it, or the operator says that a found deployment is it;
 * - `refused`: the service refused it, and the list shows that no earlier copy of the request was accepted. Another
 *   lookup precedes the next request with its name;
 * - `not-created`: two complete lookups, ten minutes apart, didn't find it. The service may still carry it out later.
 */
export const creationEntrySchema = z.object({
  ...entryBase,
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
export const storedCreationSchema = creationEntrySchema.extend({
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

export type CreationEntry = z.infer<typeof creationEntrySchema>
export type StoredCreation = z.infer<typeof storedCreationSchema>

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
