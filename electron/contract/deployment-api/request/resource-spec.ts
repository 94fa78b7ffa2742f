import { z } from 'zod'
import type { ObjectKind } from './object-kind'

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

/** Pairs whose first member may not exceed the second: requests and limits, minimum and maximum. */
export const orderedPairs = [
  ['min_scale', 'max_scale'],
  ['cpu', 'cpu_limit'],
  ['memory_mb', 'memory_limit_mb'],
  ['queue_min_scale', 'queue_max_scale'],
  ['queue_cpu', 'queue_cpu_limit'],
  ['queue_memory_mb', 'queue_memory_limit_mb'],
  ['orchestrator_min_scale', 'orchestrator_max_scale'],
  ['orchestrator_cpu', 'orchestrator_cpu_limit'],
  ['orchestrator_memory_mb', 'orchestrator_memory_limit_mb'],
  ['executor_cpu', 'executor_cpu_limit'],
  ['executor_memory_mb', 'executor_memory_limit_mb'],
  ['redis_cpu', 'redis_cpu_limit'],
  ['redis_memory_mb', 'redis_memory_limit_mb'],
  ['db_cpu', 'db_cpu_limit'],
  ['db_memory_mb', 'db_memory_limit_mb'],
] as const

/** A pair whose first member exceeds the second. */
export interface ExceedingPair {
  low: (typeof orderedPairs)[number][0]
  high: (typeof orderedPairs)[number][1]
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
export function resourceSpecSchemas(object: ObjectKind) {
  const volume = object({
    name: text,
    configMap: freeObject,
    secret: freeObject,
    emptyDir: freeObject,
    persistentVolumeClaim: freeObject,
    nfs: freeObject,
    projected: freeObject,
    downwardAPI: freeObject,
    csi: freeObject,
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
    min_scale: whole,
    max_scale: whole,
    cpu: cores,
    cpu_limit: cores,
    memory_mb: whole,
    memory_limit_mb: whole,
    queue_min_scale: whole,
    queue_max_scale: whole,
    queue_cpu: cores,
    queue_cpu_limit: cores,
    queue_memory_mb: whole,
    queue_memory_limit_mb: whole,
    orchestrator_cpu: cores,
    orchestrator_cpu_limit: cores,
    orchestrator_memory_mb: whole,
    orchestrator_memory_limit_mb: whole,
    orchestrator_min_scale: whole,
    orchestrator_max_scale: whole,
    executor_cpu: cores,
    executor_cpu_limit: cores,
    executor_memory_mb: whole,
    executor_memory_limit_mb: whole,
    redis_cpu: cores,
    redis_cpu_limit: cores,
    redis_memory_mb: whole,
    redis_memory_limit_mb: whole,
    db_cpu: cores,
    db_cpu_limit: cores,
    db_memory_mb: whole,
    db_memory_limit_mb: whole,
    db_storage_gi: whole,
    db_max_connections: whole,
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
