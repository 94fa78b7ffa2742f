import { z } from 'zod'
import { cachedPageRequestSchema, cachedPageSchema, cacheStateSchema } from './query'

/**
 * How large the file of one environment may grow, and all caches together that are kept in memory. 100,000 deployments
 * take some 450 MB.
 */
export const largestCache = { gigabytes: 4, gigabytesInMemory: 1 } as const

/** A moment in milliseconds since 1970. */
const moment = z.number().nonnegative()

/**
 * When a request was sent and when its answer was complete. An answer shows the service at some moment between the
 * two, which decides which of two answers about one deployment is the newer.
 */
const spanSchema = z.strictObject({ sentAt: moment, receivedAt: moment })

export type Span = z.infer<typeof spanSchema>

const inEnvironment = { environmentId: z.string().min(1) }

/** The body of an answer, as the service sent it: only the cache process parses and validates it. */
const body = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** The requests that the main process makes of the cache process. */
const cacheRequestSchema = z.discriminatedUnion('op', [
  /**
   * Opens the cache of an environment. `file` null keeps it in memory only. `key` is 64 hexadecimal digits. A file
   * that is damaged or that the key does not open is set aside and a new one begun; so is any where `setAside` says
   * that it ended the process. `service` names the service, and the account there, that the content must be from: a
   * file with content from another one is removed and a new one begun.
   */
  z.strictObject({
    op: z.literal('open'),
    ...inEnvironment,
    file: z.string().nullable(),
    key: z.string().regex(/^[0-9a-f]{64}$/),
    service: z.string().min(1),
    setAside: z.boolean(),
  }),
  z.strictObject({ op: z.literal('close'), ...inEnvironment }),
  /** Closes the cache and removes its file, also what was set aside of it. */
  z.strictObject({ op: z.literal('remove'), ...inEnvironment, file: z.string() }),
  /** A page of List deployments. `run` is the synchronisation that it belongs to, or null. */
  z.strictObject({
    op: z.literal('write-page'),
    ...inEnvironment,
    body,
    span: spanSchema,
    run: z.int().positive().nullable(),
  }),
  /** One deployment, as Create a deployment answers it. */
  z.strictObject({ op: z.literal('write-deployment'), ...inEnvironment, body, span: spanSchema }),
  /** A list of repositories. */
  z.strictObject({
    op: z.literal('write-repositories'),
    ...inEnvironment,
    integrationId: z.string(),
    body,
    span: spanSchema,
  }),
  z.strictObject({ op: z.literal('page'), ...inEnvironment, request: cachedPageRequestSchema }),
  z.strictObject({ op: z.literal('deployment'), ...inEnvironment, id: z.string() }),
  z.strictObject({ op: z.literal('repositories'), ...inEnvironment, integrationId: z.string() }),
  z.strictObject({ op: z.literal('state'), ...inEnvironment }),
  /** Prepares for many writes (`true`), or ends that: brings the search index and the file in order (`false`). */
  z.strictObject({ op: z.literal('bulk'), ...inEnvironment, on: z.boolean() }),
  /** Identifiers that are not marked as gone and that `run` has not seen, in a steady order, after `after`. */
  z.strictObject({
    op: z.literal('unseen'),
    ...inEnvironment,
    run: z.int().positive(),
    after: z.int().min(0),
    limit: z.int().positive(),
  }),
  /** Marks deployments as gone, apart from those that an answer showed that was sent after `span.sentAt`. */
  z.strictObject({
    op: z.literal('mark-gone'),
    ...inEnvironment,
    ids: z.array(z.string()),
    span: spanSchema,
  }),
  /** Removes what has been marked as gone before a moment. */
  z.strictObject({ op: z.literal('clean-up'), ...inEnvironment, before: moment }),
  z.strictObject({ op: z.literal('read-note'), ...inEnvironment, key: z.string() }),
  z.strictObject({
    op: z.literal('write-note'),
    ...inEnvironment,
    key: z.string(),
    value: z.string().nullable(),
  }),
  /** Goes through the whole file and compares every row with its checksum. */
  z.strictObject({ op: z.literal('check'), ...inEnvironment }),
])

export type CacheRequest = z.infer<typeof cacheRequestSchema>
export type CacheOp = CacheRequest['op']
export type CacheInput<Op extends CacheOp> = Omit<Extract<CacheRequest, { op: Op }>, 'op'>

/** A request as it crosses to the cache process. */
export const cacheCallSchema = z.strictObject({ id: z.int(), request: cacheRequestSchema })

/**
 * Why a request failed: `damaged` means that the file was set aside and a new one begun, `newer` that a newer Slipway
 * made it and that it was left as it is, `too-large` that it is as large as one may grow.
 */
const cacheFailureCodes = [
  'not-open',
  'damaged',
  'newer',
  'too-large',
  'disk-full',
  'unreadable-answer',
  'invalid-request',
  'internal',
] as const

/** A file that was set aside: what was wrong with it, and the name under which it is kept. */
const setAsideSchema = z.object({
  reason: z.enum(['damaged', 'wrong-key', 'crashes']),
  file: z.string(),
})

export type SetAside = z.infer<typeof setAsideSchema>

/** A reply of the cache process. The value is JSON text, so that a page can go on to the renderer unread. */
export const cacheReplySchema = z.union([
  z.object({
    id: z.int(),
    ok: z.literal(true),
    text: z.string(),
    /** How many rows the request found damaged and took out. */
    damagedRows: z.int().positive().optional(),
  }),
  z.object({
    id: z.int(),
    ok: z.literal(false),
    code: z.enum(cacheFailureCodes),
    message: z.string(),
    setAside: setAsideSchema.nullable(),
  }),
])

export type CacheReply = z.infer<typeof cacheReplySchema>
export type CacheFailureCode = (typeof cacheFailureCodes)[number]

/** What opening found. */
const openedSchema = z.object({
  setAside: setAsideSchema.nullable(),
  /** Whether the last session ended without closing the file, so that checking it is worth while. */
  uncleanlyClosed: z.boolean(),
  /** Whether the content was from another service, or another account there, and was removed. */
  otherService: z.boolean(),
})

export type Opened = z.infer<typeof openedSchema>

/** One deployment of a page that was written. */
const writtenItemSchema = z.object({
  id: z.string(),
  /** A checksum of its content. */
  version: z.string(),
  name: z.string(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
  /** What it was to the cache: not there before, other content than before, the same, or older than what is there. */
  was: z.enum(['new', 'changed', 'same', 'older']),
})

export type WrittenItem = z.infer<typeof writtenItemSchema>

/** What became of a page. `received` counts all items, also those that could not be read. */
const writtenPageSchema = z.object({
  items: z.array(writtenItemSchema),
  received: z.int(),
  unreadable: z.int(),
  returnedOffset: z.number(),
})

export type WrittenPage = z.infer<typeof writtenPageSchema>

/** A deployment from the cache; `json` is what the service answered, secret values emptied. Times are ISO 8601. */
const cachedDeploymentSchema = z
  .object({ json: z.string(), fetchedAt: z.string(), goneAt: z.string().nullable() })
  .nullable()

export type CachedDeployment = z.infer<typeof cachedDeploymentSchema>

/** A list of repositories from the cache, as the service answered it. */
const cachedRepositoriesSchema = z.object({ json: z.string(), fetchedAt: z.string() }).nullable()

export type CachedRepositories = z.infer<typeof cachedRepositoriesSchema>

/** Identifiers that a run has not seen; `after` continues, null at the end. */
const unseenSchema = z.object({ ids: z.array(z.string()), after: z.int().nullable() })

export type Unseen = z.infer<typeof unseenSchema>

/** The schema of each reply's value. */
export const cacheReplies = {
  open: openedSchema,
  close: z.null(),
  remove: z.null(),
  'write-page': writtenPageSchema,
  'write-deployment': z.null(),
  'write-repositories': z.null(),
  bulk: z.null(),
  unseen: unseenSchema,
  'mark-gone': z.object({ marked: z.int() }),
  'clean-up': z.object({ removed: z.int() }),
  'read-note': z.string().nullable(),
  'write-note': z.null(),
  check: z.object({ damagedRows: z.int() }),
  deployment: cachedDeploymentSchema,
  repositories: cachedRepositoriesSchema,
  page: cachedPageSchema,
  state: cacheStateSchema,
} satisfies Record<CacheOp, z.ZodType>

export type CacheOutput<Op extends CacheOp> = z.output<(typeof cacheReplies)[Op]>
