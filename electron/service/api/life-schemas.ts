import { z } from '@hono/zod-openapi'
import { splitIds } from '@contract'
import { limits } from '../base/limits'
import { bounded, requestParts } from './request-parts'
import { deploymentAnswerSchema, digits, filter, flag, sourceRevisionConfigAnswerSchema } from './schemas'

/** Operations that the interface doesn't have, in the form that public clients of such services send and read. */

const { id: uuid, source } = deploymentAnswerSchema.shape

/** The body of Change a deployment. Unknown members are ignored. */
export const changeBodySchema = bounded(
  z
    .object({
      name: z.string().nullish().describe('Only as it is.'),
      source: source.nullish().describe('Only as it is.'),
      revision_source: source.nullish().describe("Only the deployment's source."),
      source_config: requestParts.sourceConfig
        .nullish()
        .describe(
          'Null members stay as they are. Repository, type, listener and namespace only as they are.',
        ),
      source_revision_config: requestParts.sourceRevisionConfig
        .nullish()
        .describe('Null members stay as they are. Any other makes a revision.'),
      secrets: requestParts.secrets
        .nullish()
        .describe('Replaces all, and makes a revision. An empty list changes nothing.'),
      secret_references: requestParts.secretReferences.describe('Replaces all.'),
    })
    .openapi('DeploymentChange'),
)

export type ChangeBody = z.infer<typeof changeBodySchema>

/** The statuses of a revision that is rolling out, each for a quarter of the time between its start and its end. */
export const revisionSteps = ['AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING'] as const

/** The statuses that a revision of this service can have. */
const revisionStatuses = ['QUEUED', ...revisionSteps, 'DEPLOYED', 'BUILD_FAILED', 'INTERRUPTED'] as const

export type RevisionStatus = (typeof revisionStatuses)[number]

/** The body of Create a revision. Unknown members are ignored. */
export const revisionBodySchema = bounded(
  z
    .object({
      source_revision_config: requestParts.sourceRevisionConfig
        .nullish()
        .describe('Null members are as in the latest revision.'),
    })
    .openapi('RevisionInput'),
)

export type RevisionBody = z.infer<typeof revisionBodySchema>

/** Revision as this service answers it. */
export const revisionAnswerSchema = z
  .object({
    id: uuid,
    status: z
      .enum(revisionStatuses)
      .describe(
        'One at a time is built and deployed; later ones are QUEUED. A superseded one stays DEPLOYED.',
      ),
    status_message: z.string().optional().describe('Why its build failed.'),
    source,
    source_revision_config: sourceRevisionConfigAnswerSchema,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime().describe('Since when it has its status.'),
  })
  .openapi('Revision')

export type RevisionAnswer = z.infer<typeof revisionAnswerSchema>

export const revisionPageSchema = z
  .object({ resources: z.array(revisionAnswerSchema), offset: z.int().min(0) })
  .openapi('RevisionPage')

const areStatuses = (text: string | null | undefined): boolean =>
  splitIds(text).every((status) => revisionStatuses.some((known) => known === status))

/** The query of List revisions, as texts. */
export const revisionParametersSchema = z.object({
  limit: digits(z.int().min(1).max(100).default(20)),
  offset: digits(z.int().min(0).default(0)),
  status: filter(
    z
      .string()
      .nullish()
      .refine(areStatuses, { message: 'Input should be a comma-separated list of statuses of a revision' })
      .describe('Comma-separated list of statuses.'),
  ),
})

/** The query of Delete a deployment, as texts. */
export const deletionParametersSchema = z.object({
  delete_tracing_project: flag.describe('Whether its tracing project goes with it.'),
  force: flag.describe('Whether it is gone at once. Only for one that is AWAITING_DELETE.'),
})

/** The query of Delete deployments, as texts. */
export const bulkParametersSchema = z.object({
  deployment_ids: z.preprocess(
    (value) => (typeof value === 'string' ? [value] : value),
    z.array(uuid).min(1).max(limits.deletions).describe('Repeated for each deployment.'),
  ),
})

/** The result of a change to several deployments. */
export const bulkAnswerSchema = z
  .object({
    deleted: z.array(uuid),
    failed: z.array(z.object({ deployment_id: uuid, detail: z.string() })),
  })
  .openapi('Deletions')

export const revisionPathSchema = z.object({
  deployment_id: uuid.describe('Identifier of the deployment.'),
  revision_id: uuid.describe('Identifier of the revision.'),
})

/** The address for uploading an archive, and the path that then names the archive. */
export const uploadAddressSchema = z
  .object({
    upload_url: z.url().describe('Where to PUT the archive.'),
    object_path: z.string().describe('Its `source_revision_config.source_tarball_path`.'),
  })
  .openapi('UploadAddress')

/** The path parameters of an upload. */
export const uploadPathSchema = z.object({ tenant_id: uuid, deployment_id: uuid, archive_id: uuid })

/** The query of an upload: the signed ticket, as texts. */
export const uploadParametersSchema = z.object({
  expires: digits(z.int().min(0)),
  signature: z.string().max(100),
})

/** A stored archive. */
export const uploadedSchema = z.object({ object_path: z.string(), bytes: z.int().min(0) }).openapi('Upload')

/** Logs, in the form that public clients of such services send and read. */

const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'] as const

export type LogLevel = (typeof levels)[number]

const upperCase = (value: unknown): unknown =>
  typeof value === 'string' ? value.toUpperCase() || null : value

const time = filter(z.iso.datetime({ offset: true, local: true }).nullish())

const members = {
  order: z.enum(['asc', 'desc']).default('asc').describe('The oldest first, or the newest.'),
  offset: filter(
    z
      .string()
      .regex(/^\d{1,9}$/, 'Input should be an offset that was answered')
      .nullish()
      .describe('The `next_offset` of the page before.'),
  ),
  query: z.string().max(1_000).nullish().describe('A part of the message, in upper or lower case.'),
  level: z.preprocess(upperCase, z.enum(levels).nullish()),
  start_time: time.describe('From this time on.'),
  end_time: time.describe('Before this time.'),
}

const limit = z.int().min(1).max(1_000).default(50)

/** The body of older operations about logs. Unknown members are ignored. */
export const logBodySchema = z.object({ ...members, limit }).openapi('LogQuery')

export type LogQuery = z.infer<typeof logBodySchema>

/** The query of Read logs, as texts. */
export const logParametersSchema = z.object({
  ...members,
  limit: digits(limit),
  type: z.enum(['build', 'deploy']).describe('What wrote it: the build, or the servers.'),
})

const logEntrySchema = z
  .object({
    id: z.string(),
    timestamp: z.iso.datetime(),
    level: z.enum(levels),
    message: z.string(),
  })
  .openapi('LogEntry')

export type LogEntry = z.infer<typeof logEntrySchema>

export const logPageSchema = z
  .object({
    logs: z.array(logEntrySchema),
    next_offset: z
      .string()
      .nullable()
      .describe('Null at the end. While a revision is on its way, a log in ascending order has no end yet.'),
  })
  .openapi('LogPage')

/** The same as services with a cursor answer it. */
export const itemPageSchema = z
  .object({ items: z.array(logEntrySchema), next_cursor: logPageSchema.shape.next_offset })
  .openapi('LogItems')

const { offset: cursor, ...filters } = members

/** The query of Read deployment logs, as texts. */
export const deploymentLogParametersSchema = z.object({
  ...filters,
  limit: digits(limit),
  cursor: cursor.describe('The `next_cursor` of the page before.'),
  deployment_id: uuid.describe('Identifier of the deployment.'),
  revision_id: filter(uuid.nullish()).describe(
    'Identifier of the revision: by default the latest that has a log.',
  ),
  log_type: z
    .enum(['build', 'deploy'])
    .default('deploy')
    .describe('What wrote it: the build, or the servers.'),
})
