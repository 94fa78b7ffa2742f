import { z } from 'zod'
import {
  cacheOverviewSchema,
  agentEntriesSchema,
  agentKeySchema,
  agentLimits,
  cellDeploymentSchema,
  foundDeploymentsSchema,
  cachedDetailSchema,
  cachedRepositoryListSchema,
} from './answers'
import {
  changesRequestSchema,
  deploymentHistoryRequestSchema,
  deploymentHistorySchema,
  earlierRequestSchema,
  environmentChangesSchema,
  historyDays,
  historyStateSchema,
  observerSchema,
  statusHistoryRequestSchema,
  statusHistorySchema,
} from './history'
import { cachedPageRequestSchema, cachedPageSchema, cacheStateSchema, statusCountsSchema } from './query'

/**
 * How large an environment's file may become, and how large all caches in memory together. 100,000 deployments take
 * about 450 MB.
 */
export const largestCache = { gigabytes: 4, gigabytesInMemory: 1 } as const

/** What is appended to the name of a cache's file that was set aside. */
export const asideSuffix = '.damaged-'

/** A time in milliseconds since 1970. */
const moment = z.number().nonnegative()

/**
 * When a request was sent and when its answer was complete. An answer shows the service at some moment in between,
 * which decides which of two answers about a deployment is newer.
 */
const spanSchema = z.strictObject({ sentAt: moment, receivedAt: moment })

export type Span = z.infer<typeof spanSchema>

const inEnvironment = { environmentId: z.string().min(1) }

/** The body of an answer, as the service sent it. Only the cache process parses and validates it. */
const body = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

/** Identifies a body: its SHA-1 as Base64. It isn't for security: the body is the service's own answer. */
const digestSchema = z.string().length(28)

/** The main process's requests to the cache process. */
const cacheRequestSchema = z.discriminatedUnion('op', [
  /**
   * Opens an environment's cache. A null `file` keeps it in memory only. `key` is 64 hexadecimal digits. A damaged
   * file, or one that the key can't open, is set aside and a new one is created. `service` identifies the service and account: a file with the content
   * of another account is removed and a new one is created.
   */
  z.strictObject({
    op: z.literal('open'),
    ...inEnvironment,
    file: z.string().nullable(),
    key: z.string().regex(/^[0-9a-f]{64}$/),
    service: z.string().min(1),
  }),
  z.strictObject({ op: z.literal('close'), ...inEnvironment }),
  /** Closes the cache, and removes its file and those that were set aside. */
  z.strictObject({ op: z.literal('remove'), ...inEnvironment, file: z.string() }),
  /**
   * A page of List deployments. `run` is the synchronisation that it belongs to, or null. Otherwise, `by` says what
   * requested it: by default, the list.
   */
  z.strictObject({
    op: z.literal('write-page'),
    ...inEnvironment,
    body,
    span: spanSchema,
    run: z.int().positive().nullable(),
    by: observerSchema.optional(),
  }),
  /** Whether a page that came earlier had a body with this digest, so that its body isn't needed again. */
  z.strictObject({ op: z.literal('knows-page'), ...inEnvironment, digest: digestSchema }),
  /**
   * The body of a page that a synchronisation will probably write. It is read in a thread meanwhile. It only makes
   * writing the page faster.
   */
  z.strictObject({ op: z.literal('read-ahead'), ...inEnvironment, digest: digestSchema, body }),
  /** A page of the synchronisation `run` that is known or was read ahead. The reply is null for any other. */
  z.strictObject({
    op: z.literal('write-read-page'),
    ...inEnvironment,
    digest: digestSchema,
    span: spanSchema,
    run: z.int().positive(),
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
  /** A deployment. `missingAt` is when the service answered that it doesn't have it (ISO 8601), if it did. */
  z.strictObject({
    op: z.literal('deployment'),
    ...inEnvironment,
    id: z.string(),
    missingAt: z.string().optional(),
  }),
  z.strictObject({ op: z.literal('repositories'), ...inEnvironment, integrationId: z.string() }),
  z.strictObject({ op: z.literal('state'), ...inEnvironment }),
  z.strictObject({ op: z.literal('statuses'), ...inEnvironment }),
  /** What the Overview shows: deployments by status, those that aren't settled, and the interval. */
  z.strictObject({ op: z.literal('overview'), ...inEnvironment }),
  /** The history of a deployment. */
  z.strictObject({ op: z.literal('history'), ...inEnvironment, request: deploymentHistoryRequestSchema }),
  /** What changed in the environment. */
  z.strictObject({ op: z.literal('changes'), ...inEnvironment, request: changesRequestSchema }),
  z.strictObject({ op: z.literal('status-history'), ...inEnvironment, request: statusHistoryRequestSchema }),
  /** A deployment as it was at an earlier point; null if that isn't kept. */
  z.strictObject({ op: z.literal('earlier'), ...inEnvironment, request: earlierRequestSchema }),
  z.strictObject({ op: z.literal('history-state'), ...inEnvironment }),
  /** For how many days the history is kept. */
  z.strictObject({ op: z.literal('keep-history'), ...inEnvironment, days: z.literal(historyDays) }),
  /** Agents after `after` in the order of their keys, or those of `only`, each with all of its deployments. */
  z.strictObject({
    op: z.literal('agents'),
    ...inEnvironment,
    search: z.string().max(200),
    after: agentKeySchema.nullable(),
    limit: z.int().positive().max(agentLimits.entries),
    only: z.array(agentKeySchema).max(agentLimits.only).nullable(),
  }),
  /** Places and versions of the deployments that were assigned to an agent by hand. */
  z.strictObject({
    op: z.literal('assigned-agents'),
    ...inEnvironment,
    ids: z.array(z.string()).max(agentLimits.assigned),
    search: z.string().max(200),
  }),
  /** The deployments at places that `agents` gave, without those that are gone by now. */
  z.strictObject({
    op: z.literal('agent-cells'),
    ...inEnvironment,
    places: z.array(z.int()).max(agentLimits.places),
  }),
  /** Prepares for many writes (`true`), or finishes them (`false`): updates the search index and tidies the file. */
  z.strictObject({ op: z.literal('bulk'), ...inEnvironment, on: z.boolean() }),
  /** Identifiers after `after` that aren't marked as gone and that `run` hasn't seen, in a stable order. */
  z.strictObject({
    op: z.literal('unseen'),
    ...inEnvironment,
    run: z.int().positive(),
    after: z.int().min(0),
    limit: z.int().positive(),
  }),
  /** Marks deployments as gone, unless an answer to a request after `span.sentAt` has shown them. */
  z.strictObject({
    op: z.literal('mark-gone'),
    ...inEnvironment,
    ids: z.array(z.string()),
    span: spanSchema,
  }),
  /**
   * Notes that a synchronisation has ended, if the cache has the pages of `run`, and not one that has replaced it since.
   * `complete`: it has read the whole list.
   */
  z.strictObject({
    op: z.literal('synchronised'),
    ...inEnvironment,
    run: z.int().positive(),
    span: spanSchema,
    complete: z.boolean(),
  }),
  /** Removes what was marked as gone before a time. */
  z.strictObject({ op: z.literal('clean-up'), ...inEnvironment, before: moment }),
  z.strictObject({ op: z.literal('read-note'), ...inEnvironment, key: z.string() }),
  z.strictObject({
    op: z.literal('write-note'),
    ...inEnvironment,
    key: z.string(),
    value: z.string().nullable(),
  }),
])

export type CacheRequest = z.infer<typeof cacheRequestSchema>
export type CacheOp = CacheRequest['op']

/** The largest body of a page that is read ahead, in bytes: so many larger ones would take too much memory. */
export const largestReadAhead = 2 * 1024 * 1024

/** Requests that the cache process may answer before earlier and after later ones. It answers all others in order. */
export const unorderedOps: readonly CacheOp[] = ['knows-page', 'read-ahead']

/** Requests that write what a service answered, if there is room for more. */
export const answerWriteOps: readonly CacheOp[] = [
  'write-page',
  'write-read-page',
  'write-deployment',
  'write-repositories',
]

export type CacheInput<Op extends CacheOp> = Omit<Extract<CacheRequest, { op: Op }>, 'op'>

/** A request as the main process sends it. */
export const cacheCallSchema = z.strictObject({ id: z.int(), request: cacheRequestSchema })

/**
 * Why a request failed. `damaged`: the file was set aside and a new one created. `too-large`: the file has reached its
 * limit.
 */
export type CacheFailureCode =
  'not-open' | 'damaged' | 'too-large' | 'disk-full' | 'unreadable-answer' | 'invalid-request' | 'internal'

/** A file that was set aside: what was wrong with it, and its new name. */
const setAsideSchema = z.object({
  reason: z.enum(['damaged', 'wrong-key']),
  file: z.string(),
})

export type SetAside = z.infer<typeof setAsideSchema>

/** A reply of the process. The value is JSON text, so that a page reaches the renderer without being parsed. */
export type CacheReply =
  | {
      id: number
      ok: true
      text: string
      /** Whether the request is one of `answerWriteOps` that changed rows, and nothing waits for a commit. */
      written?: true
    }
  | { id: number; ok: false; code: CacheFailureCode; message: string; setAside: SetAside | null }

/** The result of opening a cache. */
const openedSchema = z.object({
  setAside: setAsideSchema.nullable(),
  /** Whether the content was another service's or account's, and was removed. */
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
  /** How it compares with the cache: new, different, the same, or older than the cached one. */
  was: z.enum(['new', 'changed', 'same', 'older']),
})

export type WrittenItem = z.infer<typeof writtenItemSchema>

/** The result of writing a page. `received` counts all items, including unreadable ones. */
const writtenPageSchema = z.object({
  items: z.array(writtenItemSchema),
  received: z.int(),
  unreadable: z.int(),
  returnedOffset: z.number().nullable(),
})

export type WrittenPage = z.infer<typeof writtenPageSchema>

/** Identifiers that a run hasn't seen. `after` is where to continue; null at the end. */
const unseenSchema = z.object({ ids: z.array(z.string()), after: z.int().nullable() })

export type Unseen = z.infer<typeof unseenSchema>

/** The schema of each reply's value. */
export const cacheReplies = {
  open: openedSchema,
  close: z.null(),
  remove: z.null(),
  'write-page': writtenPageSchema,
  'knows-page': z.boolean(),
  /** Whether the thread has read it: not one that is large, or if the thread has ended. */
  'read-ahead': z.object({ read: z.boolean() }),
  /** Null, without an effect, for a page that isn't known and wasn't read ahead. */
  'write-read-page': writtenPageSchema.nullable(),
  'write-deployment': z.null(),
  'write-repositories': z.null(),
  bulk: z.null(),
  unseen: unseenSchema,
  synchronised: z.object({ noted: z.boolean() }),
  'mark-gone': z.object({ marked: z.int() }),
  'clean-up': z.object({ removed: z.int() }),
  'read-note': z.string().nullable(),
  'write-note': z.null(),
  deployment: cachedDetailSchema.nullable(),
  repositories: cachedRepositoryListSchema.nullable(),
  page: cachedPageSchema,
  state: cacheStateSchema,
  statuses: statusCountsSchema,
  overview: cacheOverviewSchema,
  history: deploymentHistorySchema,
  changes: environmentChangesSchema,
  'status-history': statusHistorySchema,
  earlier: cachedDetailSchema.nullable(),
  'history-state': historyStateSchema,
  'keep-history': historyStateSchema,
  agents: agentEntriesSchema,
  'assigned-agents': foundDeploymentsSchema,
  'agent-cells': z.array(cellDeploymentSchema),
} satisfies Record<CacheOp, z.ZodType>

export type CacheOutput<Op extends CacheOp> = z.output<(typeof cacheReplies)[Op]>
