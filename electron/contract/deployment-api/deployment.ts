import { z } from 'zod'
import { answerLimits, pageLimits } from './list'
import { isMarked } from '../core/exact-json'
import { utcTime } from '../core/time'
import { isWellFormed } from '../core/text'

export * from './statuses'
export * from './list'

/** The path of the list and of creations (interface: List deployments, Create a deployment). */
export const deploymentsPath = '/v2/deployments'

/** The query of the list (interface: List deployments). Absent and null mean no filter. */
export const listQuerySchema = z.strictObject({
  limit: z.int().min(pageLimits.min).max(pageLimits.max).default(pageLimits.default),
  offset: z.int().min(0).default(0),
  name_contains: z.string().nullish(),
  status: z.string().nullish(),
  remote_reconciled: z.boolean().nullish(),
  tag_value_ids: z.string().nullish(),
  image_version: z.string().nullish(),
  /** One of `deploymentTypes`, or another one that a service has. */
  deployment_type: z.string().nullish(),
  deployment_ids: z.string().nullish(),
})

export type ListQuery = z.infer<typeof listQuerySchema>

/** Characters of one filter. With more, no network accepts the URL. */
export const longestFilter = 20_000

/** Whether all filters of a query, to the service or the cache, are short enough. */
export const hasShortFilters = (filters: object): boolean =>
  Object.values(filters).every((value) => typeof value !== 'string' || value.length <= longestFilter)

export const tooLongFilter = 'Use at most 20,000 characters in a filter.'

/** The query's members without the paging. */
export type ListFilters = Omit<ListQuery, 'limit' | 'offset'>

/** A query as URL parameters, without absent, null and empty members. */
export function toSearchParams(query: ListQuery): URLSearchParams {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== '') params.set(name, String(value))
  }
  return params
}

const limitedText = z.string().max(answerLimits.repositoryTextLength).nullable().default(null).catch(null)

/** A repository in an answer (interface: Repository). Only `name` is required. Other members aren't read. */
export const repositorySchema = z.object({
  host_integration_id: limitedText,
  id: z
    .union([z.number(), z.string().max(answerLimits.repositoryTextLength)])
    .nullable()
    .catch(null),
  name: z.string().min(1).max(answerLimits.repositoryTextLength),
  owner: limitedText,
  url: limitedText,
  default_branch: limitedText,
})

export type Repository = z.infer<typeof repositorySchema>

/**
 * Reading is tolerant: a member that is missing, or not of the interface's type, reads as null, so that one odd member
 * never hides a deployment. Times become ISO 8601 in UTC. Unknown members stay. The raw JSON shows the answer itself.
 *
 * `catch` alone would work, but it creates an error message and drops it, and most deployments lack many members. With
 * `default` before it, reading takes a fifth of the time.
 */
const text = z.string().nullable().default(null).catch(null)
const flag = z.boolean().nullable().default(null).catch(null)
const time = z.union([z.string(), z.number()]).transform(utcTime).nullable().default(null).catch(null)
const freeObject = z.record(z.string(), z.unknown()).nullable().default(null).catch(null)

/** A secret in an answer. Its value is never read: see `withoutSecretValues`. */
const secretSchema = z.looseObject({ name: text, value: text })

const secretReferenceSchema = z.looseObject({ name: text, secret_name: text, secret_key: text })

/** SourceConfig in an answer. `resource_spec` stays as the service sent it, and is shown member by member. */
export const sourceConfigSchema = z.looseObject({
  integration_id: text,
  repo_url: text,
  build_on_push: flag,
  custom_url: text,
  resource_spec: freeObject,
  listener_id: text,
  listener_config: z.looseObject({ k8s_namespace: text }).nullable().default(null).catch(null),
  install_command: text,
  build_command: text,
  deployment_type: text,
})

/** SourceRevisionConfig in an answer: the request's members and `repo_commit_sha`. */
export const sourceRevisionConfigSchema = z.looseObject({
  repo_ref: text,
  graph_config_path: text,
  image_uri: text,
  source_tarball_path: text,
  repo_commit_sha: text,
})

// Parsed when needed: the first use of a schema takes longer than creating it, and each process creates these at its
// start.
const emptySourceConfig = () => sourceConfigSchema.parse({})
const emptySourceRevisionConfig = () => sourceRevisionConfigSchema.parse({})

/** An identifier that isn't valid Unicode is refused, because no link could lead to its row. */
const identifier = z
  .string()
  .min(1)
  .max(answerLimits.identifierLength)
  .refine((id) => isWellFormed(id) && !isMarked(id), 'expected well-formed Unicode')

/** A deployment in an answer (interface: Deployment). Only `id` and `name` are required. */
export const deploymentSchema = z.looseObject({
  id: identifier,
  name: z.string(),
  source: z.string().catch('unknown'),
  source_config: sourceConfigSchema.catch(emptySourceConfig),
  source_revision_config: sourceRevisionConfigSchema.catch(emptySourceRevisionConfig),
  secrets: z.array(secretSchema).catch([]),
  secret_references: z.array(secretReferenceSchema).nullable().default(null).catch(null),
  tenant_id: text,
  created_at: time,
  updated_at: time,
  status: z.string().catch('UNKNOWN'),
  latest_revision_id: text,
  active_revision_id: text,
  image_version: text,
})

export type Deployment = z.infer<typeof deploymentSchema>

/** The members of a source that a list needs. The others aren't read. */
const listedSourceSchema = z.object({
  repo_url: text,
  integration_id: text,
  deployment_type: text,
  listener_id: text,
})
const listedRevisionSchema = z.object({
  repo_ref: text,
  graph_config_path: text,
  image_uri: text,
  source_tarball_path: text,
  repo_commit_sha: text,
})

/**
 * A deployment with only the members that a list needs, so that large members cost nothing. It reads them as
 * `deploymentSchema` does.
 */
export const listedDeploymentSchema = z.object({
  ...deploymentSchema.pick({
    id: true,
    name: true,
    source: true,
    tenant_id: true,
    created_at: true,
    updated_at: true,
    status: true,
    latest_revision_id: true,
    active_revision_id: true,
    image_version: true,
  }).shape,
  source_config: listedSourceSchema.catch(listedSourceSchema.parse({})),
  source_revision_config: listedRevisionSchema.catch(listedRevisionSchema.parse({})),
})

export type ListedDeployment = z.infer<typeof listedDeploymentSchema>

/** The same with what newer services say a deployment is of, for the board. */
export const cachedDeploymentSchema = listedDeploymentSchema.extend({
  agent: z.object({ agent_id: text }).nullable().default(null).catch(null),
})
