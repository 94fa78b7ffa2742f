import { z } from 'zod'
import { isWellFormed } from '../core/untrusted-text'
import { answerLimits, shortText } from './list/list-limits'

export * from './statuses'

/**
 * Reading is tolerant: a member that is missing or of another type than the interface says reads as null, so
 * that one odd field never hides a deployment; unknown members are kept. The raw JSON shows what was answered.
 *
 * `catch` alone would do, but it words an error before it is forgotten, and most deployments lack many members:
 * with `default` before it, reading takes a fifth of the time.
 */
const text = z.string().nullable().default(null).catch(null)
const flag = z.boolean().nullable().default(null).catch(null)
const freeObject = z.record(z.string(), z.unknown()).nullable().default(null).catch(null)

/** Secret in an answer. Its value is never read: see `withoutSecretValues`. */
const secretSchema = z.looseObject({ name: text, value: text })

const secretReferenceSchema = z.looseObject({ name: text, secret_name: text, secret_key: text })

/** SourceConfig in an answer; `resource_spec` stays as it came and is shown member by member. */
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

const emptySourceConfig = sourceConfigSchema.parse({})
const emptySourceRevisionConfig = sourceRevisionConfigSchema.parse({})

/** One that is not well formed would be a row that leads nowhere. */
const identifier = z
  .string()
  .min(1)
  .max(answerLimits.identifierLength)
  .refine(isWellFormed, 'expected well-formed Unicode')

/** Deployment in an answer (interface: Deployment). Only `id` and `name` are indispensable. */
export const deploymentSchema = z.looseObject({
  id: identifier,
  name: z.string(),
  source: z.string().catch('unknown'),
  source_config: sourceConfigSchema.catch(emptySourceConfig),
  source_revision_config: sourceRevisionConfigSchema.catch(emptySourceRevisionConfig),
  secrets: z.array(secretSchema).catch([]),
  secret_references: z.array(secretReferenceSchema).nullable().default(null).catch(null),
  tenant_id: text,
  created_at: text,
  updated_at: text,
  status: z.string().catch('UNKNOWN'),
  latest_revision_id: text,
  active_revision_id: text,
  image_version: text,
})

export type Deployment = z.infer<typeof deploymentSchema>

/** Where what a list needs is in a source's members; nothing is read of the others. */
const listedSourceSchema = z.object({
  repo_url: text,
  integration_id: text,
  deployment_type: text,
  listener_id: text,
})
const listedRevisionSchema = z.object({
  repo_ref: text,
  image_uri: text,
  source_tarball_path: text,
  repo_commit_sha: text,
})

/**
 * A deployment as far as a list needs it: reading one costs the same, however much more its members hold. Reads
 * everything that it has as `deploymentSchema` does.
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

/** What the list shows of a deployment; only this travels to the renderer, a page at a time. */
export const deploymentSummarySchema = z.object({
  id: z.string(),
  name: z.string(),
  source: z.string(),
  status: z.string(),
  repo_url: z.string().nullable(),
  repo_ref: z.string().nullable(),
  image_uri: z.string().nullable(),
  source_tarball_path: z.string().nullable(),
  integration_id: z.string().nullable(),
  latest_revision_id: z.string().nullable(),
  active_revision_id: z.string().nullable(),
  image_version: z.string().nullable(),
  created_at: z.string().nullable(),
  updated_at: z.string().nullable(),
})

export type DeploymentSummary = z.infer<typeof deploymentSummarySchema>

/** Takes out of a deployment what the list shows, long texts cut: a thousand of them must not weigh much. */
export function summarise(deployment: ListedDeployment): DeploymentSummary {
  const { source_config, source_revision_config } = deployment
  return {
    id: deployment.id,
    name: shortText(deployment.name),
    source: shortText(deployment.source),
    status: shortText(deployment.status),
    repo_url: shortText(source_config.repo_url),
    repo_ref: shortText(source_revision_config.repo_ref),
    image_uri: shortText(source_revision_config.image_uri),
    source_tarball_path: shortText(source_revision_config.source_tarball_path),
    integration_id: shortText(source_config.integration_id),
    latest_revision_id: shortText(deployment.latest_revision_id),
    active_revision_id: shortText(deployment.active_revision_id),
    image_version: shortText(deployment.image_version),
    created_at: shortText(deployment.created_at),
    updated_at: shortText(deployment.updated_at),
  }
}
