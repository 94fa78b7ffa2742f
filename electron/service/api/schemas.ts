import { z } from '@hono/zod-openapi'
import {
  acceptedRequestSchemas,
  deploymentStatuses,
  deploymentTypeSchema,
  listQuerySchema,
  sourceSchema,
  splitIds,
} from '@contract'
import { invisible, trimBlanks } from '@contract/core/text'
import { bounded, requestParts } from './request-parts'

const uuid = z.guid()

/** A query parameter of digits, which is read as a number. Any other text stays as it is, and `schema` refuses it. */
export const digits = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value), schema)

/** A filter. An empty one means none, because known clients always send `name_contains=`. */
export const filter = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? null : value), schema).optional()

const flags: Record<string, boolean | null> = { true: true, '1': true, false: false, '0': false, '': null }

/** A query parameter that is true, false or missing. */
export const flag = z.preprocess(
  (value) =>
    typeof value === 'string' && Object.hasOwn(flags, value.toLowerCase())
      ? flags[value.toLowerCase()]
      : value,
  z.boolean().nullish(),
)

/** Whether a text is a list of at least one identifier. An empty text is no filter, but `,` doesn't mean all. */
const areUuids = (ids: string | null | undefined): boolean => {
  const listed = splitIds(ids)
  return listed.length === 0 ? !ids : listed.every((id) => uuid.safeParse(id).success)
}
const notUuids = { message: 'Input should be a comma-separated list of UUIDs' }

const members = listQuerySchema.shape

/**
 * The query of List deployments, as texts. Unknown parameters are ignored. The interface leaves three points open.
 * Here, an empty filter means no filter, `name_contains` ignores case, and one match among several `tag_value_ids` is
 * enough.
 */
export const listParametersSchema = z.object({
  limit: digits(members.limit).describe('Maximum number of resources to return.'),
  offset: digits(members.offset).describe(
    'Pagination offset. Pass the returned offset to fetch the next page.',
  ),
  name_contains: filter(members.name_contains).describe(
    'Filter by deployment name: a part of it, in upper or lower case.',
  ),
  status: filter(members.status).describe('Filter by deployment status.'),
  remote_reconciled: flag.describe(
    'Filter by remote reconciled deployments: here, those that a listener deploys.',
  ),
  tag_value_ids: filter(members.tag_value_ids.refine(areUuids, notUuids)).describe(
    'Comma-separated list of tag value identifiers, of which a deployment carries at least one.',
  ),
  image_version: filter(members.image_version).describe('Filter by image version.'),
  deployment_type: filter(deploymentTypeSchema.nullish()).describe('Filter by deployment type.'),
  deployment_ids: filter(members.deployment_ids.refine(areUuids, notUuids)).describe(
    'Comma-separated list of deployment identifiers.',
  ),
  agent_id: filter(z.string().nullish()).describe('An extension: filter by agent.'),
  agent_environment: filter(z.string().nullish()).describe(
    "An extension: filter by the agent's environment.",
  ),
  is_preview: flag.describe('An extension: filter by previews.'),
})

const control = /\p{Cc}/u

const isBlank = (name: string): boolean => name !== '' && name.replace(invisible, '').trim() === ''

const { shape } = acceptedRequestSchemas.createRequest

/** Refuses names that no list or log could show, although the interface has no rule for names. */
const nameSchema = shape.name
  // One reason is enough: controls at the ends would count as blanks there too.
  .refine((name) => !control.test(name), { error: 'Input should have no control characters', abort: true })
  .refine((name) => !isBlank(name), 'Input should not be blank')
  .refine((name) => isBlank(name) || name === trimBlanks(name), 'Input should have no blanks at its ends')
  .describe(
    'Immutable. Also names the tracing project. Not blank, without blanks at its ends, and without control characters.',
  )

const agentSchema = z
  .object({ agent_id: z.string().min(1).max(200), environment: z.string().min(1).max(200) })
  .describe('An extension: what the deployment is of. Without a name, that is AGENT_ID-ENVIRONMENT.')
  .openapi('Agent')

const isPreview = z.boolean().describe('An extension: whether it is a preview.')

/** A body with the name that its agent gives it. */
function named(body: unknown): unknown {
  const { name, agent } = (body ?? {}) as { name?: unknown; agent?: unknown }
  const parsed = agentSchema.safeParse(agent)
  if (!parsed.success || (name !== undefined && name !== null)) return body
  return { ...(body as object), name: `${parsed.data.agent_id}-${parsed.data.environment}` }
}

/** The body of Create a deployment. Unknown members are ignored, and values of secrets aren't stored. */
export const createBodySchema = bounded(
  acceptedRequestSchemas.createRequest
    .extend({
      name: nameSchema,
      source_config: requestParts.sourceConfig,
      source_revision_config: requestParts.sourceRevisionConfig,
      secrets: requestParts.secrets,
      secret_references: requestParts.secretReferences,
      agent: agentSchema.nullish(),
      is_preview: isPreview.nullish(),
    })
    .openapi('DeploymentInput'),
  named,
)

export type CreateBody = z.infer<typeof createBodySchema>

/** SourceConfig as this service answers it. Members that weren't sent are null. */
const sourceConfigAnswerSchema = z
  .object({
    integration_id: uuid.nullable(),
    repo_url: z.string().nullable(),
    build_on_push: z.boolean().nullable(),
    custom_url: z.string().nullable(),
    resource_spec: requestParts.resourceSpec.nullable(),
    listener_id: uuid.nullable(),
    listener_config: z.object({ k8s_namespace: z.string().nullable() }).nullable(),
    install_command: z.string().nullable(),
    build_command: z.string().nullable(),
    deployment_type: deploymentTypeSchema.optional().describe('As given at creation; left out otherwise.'),
  })
  .openapi('SourceConfig')

export const sourceRevisionConfigAnswerSchema = z
  .object({
    repo_ref: z.string().nullable(),
    graph_config_path: z.string().nullable(),
    image_uri: z.string().nullable(),
    source_tarball_path: z.string().nullable(),
    repo_commit_sha: z.string().nullable(),
  })
  .describe('Values refer to the latest revision of the deployment.')
  .openapi('SourceRevisionConfig')

const secretAnswerSchema = z
  .object({
    name: z.string(),
    value: z.literal('').describe('Always empty: values of secrets are never answered.'),
  })
  .openapi('Secret')

/** Deployment as this service answers it (interface: Deployment). */
export const deploymentAnswerSchema = z
  .object({
    id: uuid,
    name: z.string().describe('Immutable after creation. Also names the tracing project.'),
    source: sourceSchema.describe('Immutable after creation.'),
    source_config: sourceConfigAnswerSchema,
    source_revision_config: sourceRevisionConfigAnswerSchema,
    secrets: z.array(secretAnswerSchema),
    secret_references: z
      .array(requestParts.secretReference)
      .nullable()
      .describe('Only applicable for source external_docker.'),
    tenant_id: uuid.describe('Owning tenant.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    status: z.enum(deploymentStatuses),
    latest_revision_id: uuid.nullable(),
    active_revision_id: uuid.nullable().describe('Currently deployed revision.'),
    image_version: z.string().nullable(),
    agent: agentSchema.optional(),
    is_preview: isPreview.optional(),
  })
  .openapi('Deployment')

export type DeploymentAnswer = z.infer<typeof deploymentAnswerSchema>

export type SourceRevisionConfigAnswer = z.infer<typeof sourceRevisionConfigAnswerSchema>

export const pageAnswerSchema = z
  .object({
    resources: z.array(deploymentAnswerSchema),
    offset: z.int().min(0).describe('The offset to pass in the next request for the next page.'),
  })
  .openapi('DeploymentPage')

/** The path parameters of a single deployment. */
export const deploymentParametersSchema = z.object({
  deployment_id: uuid.describe('Identifier of the deployment.'),
})

/** The path parameters of List repositories. */
export const repositoriesParametersSchema = z.object({
  integration_id: uuid.describe('Identifier of the forge integration.'),
})

/** Repository as this service answers it (interface: Repository). */
export const repositoryAnswerSchema = z
  .object({
    host_integration_id: uuid.describe('Used as source_config.integration_id in a creation.'),
    id: z.int(),
    name: z.string(),
    owner: z.string(),
    url: z.string().describe('Used as source_config.repo_url in a creation.'),
    default_branch: z.string().describe('Used as source_revision_config.repo_ref in a creation.'),
  })
  .openapi('Repository')

export type RepositoryAnswer = z.infer<typeof repositoryAnswerSchema>

/** How many repositories can be imported at once. */
export const mostRepositories = 20_000

/** Excludes characters that move a terminal's cursor, and lone surrogates, which a database can't store. */
export const plainText = /^[^\p{Cc}\p{Cs}]*$/u

const text = z
  .string()
  .trim()
  .min(1)
  .max(1_000)
  .regex(plainText, 'It has control characters or halves of characters')

/** An imported repository, in the interface's form. */
export const importedRepositorySchema = z.strictObject({
  ...repositoryAnswerSchema.shape,
  host_integration_id: z.guid().toLowerCase(),
  id: z.int().min(0),
  name: text,
  owner: text,
  url: text,
  default_branch: text,
})

/** The commits of a repository's branches and tags, by their full names, such as `refs/heads/main`. */
export type Refs = Readonly<Record<string, string>>

/** A repository and its known refs; null if they aren't known. */
export interface KnownRepository {
  answer: z.infer<typeof importedRepositorySchema>
  refs: Refs | null
}

/** An integration, in the form that public clients read. */
export const integrationAnswerSchema = z
  .object({ id: uuid, installation_id: z.int(), name: z.string() })
  .openapi('Integration')

/** The body of any error that isn't about the request's shape. */
export const errorAnswerSchema = z.object({ detail: z.string() }).openapi('Error')

/** The body of a 422: what is wrong with the request's shape, and where. At most `limits.findings` are listed. */
export const invalidAnswerSchema = z
  .object({
    detail: z.array(
      z.object({
        loc: z
          .array(z.union([z.string(), z.int()]))
          .describe('Where: body, query or path, then the members.'),
        msg: z.string(),
        type: z.string(),
      }),
    ),
  })
  .openapi('Invalid')

export type InvalidAnswer = z.infer<typeof invalidAnswerSchema>
