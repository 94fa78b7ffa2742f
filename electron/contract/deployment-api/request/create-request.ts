import { z } from 'zod'
import {
  type EnvironmentMode,
  modeLabels,
  type Source,
  sourceLabels,
  sources,
  deploymentTypes,
} from '../../core/labels'
import { isWellFormed } from '../../core/text'
import { longestDeploymentName, secretLimits, tooManySecrets } from './limits'

/** Creates an object schema, and decides what happens to members that the interface doesn't name. */
export type ObjectKind = <Shape extends z.ZodRawShape>(shape: Shape) => z.ZodObject<Shape>

/** Refuses unknown members. For requests that Slipway writes. */
const strict = z.strictObject

/** Drops unknown members, as a service does. */
const ignoring: ObjectKind = (shape) => z.object(shape)

export * from '../../core/labels'

export const sourceSchema = z.enum(sources)

const modeOfSource: Record<Source, EnvironmentMode> = {
  repohost: 'cloud',
  external_docker: 'self-hosted',
  internal_docker: 'cloud',
  internal_source: 'cloud',
  internal_template: 'cloud',
}

/** Whether a source is available; if it isn't, why, and which mode has it. */
export type Availability = { available: true } | { available: false; reason: string; mode: EnvironmentMode }

/** Whether a deployment with `source` can be created in an environment of `mode` (interface: Source availability). */
export function sourceAvailability(source: Source, mode: EnvironmentMode): Availability {
  const needed = modeOfSource[source]
  if (needed === mode) return { available: true }
  return {
    available: false,
    mode: needed,
    reason:
      `Source "${sourceLabels[source]}" is available only in ${modeLabels[needed].toLowerCase()} environments; ` +
      `this one is ${modeLabels[mode].toLowerCase()}.`,
  }
}

/** The sources that an environment of `mode` allows, in the order of the form. */
export function availableSources(mode: EnvironmentMode): Source[] {
  return sources.filter((source) => modeOfSource[source] === mode)
}

/** CPU in cores. The interface has no range, but a negative number makes no sense. */
const cores = z.number().nonnegative().nullish()

/** Memory in MB, storage in Gi, replicas, connections: whole numbers. */
const whole = z.int().nonnegative().nullish()

const text = z.string().nullish()
const freeObject = z.record(z.string(), z.unknown()).nullish()

/** The numeric members of each workload group, in the interface's order. */
export const workloadGroups = {
  api: ['min_scale', 'max_scale', 'cpu', 'cpu_limit', 'memory_mb', 'memory_limit_mb'],
  queue: [
    'queue_min_scale',
    'queue_max_scale',
    'queue_cpu',
    'queue_cpu_limit',
    'queue_memory_mb',
    'queue_memory_limit_mb',
  ],
  orchestrator: [
    'orchestrator_cpu',
    'orchestrator_cpu_limit',
    'orchestrator_memory_mb',
    'orchestrator_memory_limit_mb',
    'orchestrator_min_scale',
    'orchestrator_max_scale',
  ],
  executor: ['executor_cpu', 'executor_cpu_limit', 'executor_memory_mb', 'executor_memory_limit_mb'],
  redis: ['redis_cpu', 'redis_cpu_limit', 'redis_memory_mb', 'redis_memory_limit_mb'],
  database: [
    'db_cpu',
    'db_cpu_limit',
    'db_memory_mb',
    'db_memory_limit_mb',
    'db_storage_gi',
    'db_max_connections',
  ],
} as const

/** The kinds of volume. Each is a free-form object (interface: Volume). */
export const volumeKinds = [
  'configMap',
  'secret',
  'emptyDir',
  'persistentVolumeClaim',
  'nfs',
  'projected',
  'downwardAPI',
  'csi',
] as const

type SpecNumber = (typeof workloadGroups)[keyof typeof workloadGroups][number]

const specNumbers: readonly SpecNumber[] = Object.values(workloadGroups).flat()

/** Pairs whose first member may not exceed the second: requests and limits, minimum and maximum. */
export const orderedPairs = specNumbers.flatMap((high): [low: SpecNumber, high: SpecNumber][] => {
  const low = high.replace('max_scale', 'min_scale').replace('_limit', '') as SpecNumber
  return low === high ? [] : [[low, high]]
})

/** A pair whose first member exceeds the second. */
export interface ExceedingPair {
  low: SpecNumber
  high: SpecNumber
  lower: number
  upper: number
}

/** The pairs of a resource spec or its draft whose first member exceeds the second. */
export function exceedingPairs(spec: Readonly<Record<string, unknown>>): ExceedingPair[] {
  return orderedPairs.flatMap(([low, high]) => {
    const lower = spec[low]
    const upper = spec[high]
    return typeof lower === 'number' && typeof upper === 'number' && lower > upper
      ? [{ low, high, lower, upper }]
      : []
  })
}

/**
 * The schemas of a request's resource spec and its parts.
 *
 * @param object decides what happens to unknown members
 */
function resourceSpecSchemas(object: ObjectKind) {
  const volume = object({
    name: text,
    ...(Object.fromEntries(volumeKinds.map((kind) => [kind, freeObject])) as Record<
      (typeof volumeKinds)[number],
      typeof freeObject
    >),
  })

  const volumeMount = object({
    name: text,
    mountPath: text,
    subPath: text,
    mountPropagation: text,
    subPathExpr: text,
    readOnly: z.boolean().nullish(),
  })

  const container = object({
    name: text,
    image: text,
    imagePullPolicy: text,
    workingDir: text,
    restartPolicy: text,
    command: z.array(z.string()).nullish(),
    args: z.array(z.string()).nullish(),
    env: z.array(object({ name: text, value: text, valueFrom: freeObject })).nullish(),
    envFrom: z.array(z.record(z.string(), z.unknown())).nullish(),
    resources: object({ limits: freeObject, requests: freeObject }).nullish(),
    volumeMounts: z.array(volumeMount).nullish(),
    securityContext: freeObject,
  })

  const resourceSpec = object({
    ...(Object.fromEntries(specNumbers.map((name) => [name, name.includes('cpu') ? cores : whole])) as Record<
      SpecNumber,
      typeof cores
    >),
    labels: freeObject,
    annotations: freeObject,
    service_account_name: text,
    image_pull_secrets: z.array(object({ name: text })).nullish(),
    volumes: z.array(volume).nullish(),
    volume_mounts: z.array(volumeMount).nullish(),
    init_containers: z.array(container).nullish(),
    sidecars: z.array(container).nullish(),
  }).superRefine((spec, context) => {
    for (const { low, high, lower, upper } of exceedingPairs(spec)) {
      context.addIssue({
        code: 'custom',
        path: [low],
        message: `${low} (${lower}) may not be more than ${high} (${upper})`,
      })
    }
  })

  return { resourceSpec, volume, volumeMount, container }
}

export * from './limits'

export const deploymentTypeSchema = z.enum(deploymentTypes)

const uuid = z.guid()

/**
 * The schemas of a creation request (interface: Create a deployment). They check shapes. `checkRequest` has the rules
 * that depend on source and mode.
 *
 * @param object decides what happens to unknown members
 */
function createRequestSchemas(object: ObjectKind) {
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

  const reference = z.string().min(1)
  const secretReference = object({ name: reference, secret_name: reference, secret_key: reference })

  const sourceConfig = object({
    integration_id: uuid.nullish(),
    repo_url: text,
    build_on_push: z.boolean().nullish(),
    custom_url: text,
    resource_spec: resourceSpec.nullish(),
    listener_id: uuid.nullish(),
    listener_config: object({ k8s_namespace: text }).nullish(),
    install_command: text,
    build_command: text,
    // Not in the interface's table, but the list filters by it.
    deployment_type: deploymentTypeSchema.nullish(),
  })

  const sourceRevisionConfig = object({
    repo_ref: text,
    graph_config_path: text,
    image_uri: text,
    source_tarball_path: text,
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

/** The schemas for a service that reads requests: they ignore unknown members. Only the built-in service needs them. */
export const acceptedRequestSchemas = createRequestSchemas(ignoring)
