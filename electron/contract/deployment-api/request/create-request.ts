import { z } from 'zod'
import { isWellFormed } from '../../core/untrusted-text'
import { deploymentTypes } from './deployment-types'
import { type ObjectKind, strict } from './object-kind'
import { longestDeploymentName, secretLimits, tooManySecrets } from './request-limits'
import { resourceSpecSchemas } from './resource-spec'
import { sourceSchema } from './source'

export * from './deployment-types'
export * from './request-limits'

export const deploymentTypeSchema = z.enum(deploymentTypes)

const uuid = z.guid()

/**
 * The schemas of a creation request (interface: Create a deployment). They check shapes. `checkRequest` has the rules
 * that depend on source and mode.
 *
 * @param object decides what happens to unknown members
 */
export function createRequestSchemas(object: ObjectKind) {
  const { resourceSpec, volume, volumeMount, container } = resourceSpecSchemas(object)

  const secret = object({
    name: z.string().min(1),
    value: z
      .string()
      .max(
        secretLimits.valueLength,
        'Use at most 131,072 characters: an environment variable takes no more.',
      ),
  })

  const secrets = z
    .array(secret)
    .max(secretLimits.count, tooManySecrets)
    .refine(
      (all) => all.reduce((sum, { value }) => sum + value.length, 0) <= secretLimits.allValuesLength,
      'Use at most 1,048,576 characters for the values of all secrets together.',
    )

  const secretReference = object({
    name: z.string().min(1),
    secret_name: z.string().min(1),
    secret_key: z.string().min(1),
  })

  const sourceConfig = object({
    integration_id: uuid.nullish(),
    repo_url: z.string().nullish(),
    build_on_push: z.boolean().nullish(),
    custom_url: z.string().nullish(),
    resource_spec: resourceSpec.nullish(),
    listener_id: uuid.nullish(),
    listener_config: object({ k8s_namespace: z.string().nullish() }).nullish(),
    install_command: z.string().nullish(),
    build_command: z.string().nullish(),
    // Not in the interface's table, but the list filters by it.
    deployment_type: deploymentTypeSchema.nullish(),
  })

  const sourceRevisionConfig = object({
    repo_ref: z.string().nullish(),
    graph_config_path: z.string().nullish(),
    image_uri: z.string().nullish(),
    source_tarball_path: z.string().nullish(),
  })

  const createRequest = object({
    name: z
      .string()
      .min(1)
      .max(longestDeploymentName, 'Use at most 1,000 characters.')
      // A query can't contain anything else, so a lookup couldn't find the deployment in the list.
      .refine(isWellFormed, 'Remove the characters that are not valid Unicode.'),
    source: sourceSchema,
    source_config: sourceConfig,
    source_revision_config: sourceRevisionConfig,
    secrets,
    secret_references: z.array(secretReference).nullish(),
  })

  return {
    createRequest,
    sourceConfig,
    sourceRevisionConfig,
    resourceSpec,
    volume,
    volumeMount,
    container,
    secret,
    secretReference,
  }
}

/** The schemas for requests that Slipway writes. They refuse members that the interface doesn't name. */
export const requestSchemas = createRequestSchemas(strict)

export const createRequestSchema = requestSchemas.createRequest

export type CreateRequest = z.infer<typeof createRequestSchema>
export type ResourceSpec = z.infer<typeof requestSchemas.resourceSpec>
export type Volume = z.infer<typeof requestSchemas.volume>
export type VolumeMount = z.infer<typeof requestSchemas.volumeMount>
export type Container = z.infer<typeof requestSchemas.container>
export type Secret = z.infer<typeof requestSchemas.secret>
