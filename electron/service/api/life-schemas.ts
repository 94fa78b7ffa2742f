import { z } from '@hono/zod-openapi'
import { splitIds } from '@contract'
import { limits } from '../base/limits'
import { bounded } from './bounded'
import { requestParts } from './request-parts'
import { revisionStatuses } from './revision-statuses'
import {
  deploymentAnswerSchema,
  digits,
  emptyIsNull,
  flag,
  sourceRevisionConfigAnswerSchema,
} from './schemas'

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
  limit: z.preprocess(digits, z.int().min(1).max(100).default(20)),
  offset: z.preprocess(digits, z.int().min(0).default(0)),
  status: z.preprocess(
    emptyIsNull,
    z
      .string()
      .nullish()
      .refine(areStatuses, { message: 'Input should be a comma-separated list of statuses of a revision' })
      .describe('Comma-separated list of statuses.'),
  ),
})

/** The query of Delete a deployment, as texts. */
export const deletionParametersSchema = z.object({
  delete_tracing_project: z
    .preprocess(flag, z.boolean().nullish())
    .describe('Whether its tracing project goes with it.'),
  force: z
    .preprocess(flag, z.boolean().nullish())
    .describe('Whether it is gone at once. Only for one that is AWAITING_DELETE.'),
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
  expires: z.preprocess(digits, z.int().min(0)),
  signature: z.string().max(100),
})

/** A stored archive. */
export const uploadedSchema = z.object({ object_path: z.string(), bytes: z.int().min(0) }).openapi('Upload')
