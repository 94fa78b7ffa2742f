import type { ResourceSpec } from '@contract'
import type { Random } from './random'
import { namespaces } from './words'

/** A resource spec with the few numbers that most people set. */
export function smallResourceSpec(random: Random): ResourceSpec {
  const cpu = random.pick([0.5, 1, 2])
  const memory = random.pick([512, 1024, 2048])
  return {
    min_scale: 1,
    max_scale: random.between(1, 10),
    cpu,
    cpu_limit: cpu * 2,
    memory_mb: memory,
    memory_limit_mb: memory * 2,
  }
}

/** A resource spec with all groups of the interface. */
export function fullResourceSpec(random: Random, name: string): ResourceSpec {
  const team = random.pick(namespaces)
  return {
    ...smallResourceSpec(random),
    queue_min_scale: 1,
    queue_max_scale: random.between(2, 6),
    queue_cpu: 0.5,
    queue_cpu_limit: 1,
    queue_memory_mb: 1024,
    queue_memory_limit_mb: 2048,
    orchestrator_cpu: 0.2,
    orchestrator_cpu_limit: 0.4,
    orchestrator_memory_mb: 256,
    orchestrator_memory_limit_mb: 512,
    orchestrator_min_scale: 1,
    orchestrator_max_scale: 2,
    executor_cpu: 1,
    executor_cpu_limit: 2,
    executor_memory_mb: 1024,
    executor_memory_limit_mb: 2048,
    redis_cpu: 0.2,
    redis_cpu_limit: 0.5,
    redis_memory_mb: 256,
    redis_memory_limit_mb: 512,
    db_cpu: 1,
    db_cpu_limit: 2,
    db_memory_mb: 2048,
    db_memory_limit_mb: 4096,
    db_storage_gi: random.pick([10, 20, 50]),
    db_max_connections: random.pick([100, 200]),
    labels: { team, 'app.kubernetes.io/name': name },
    annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false', owner: `${team}@example.com` },
    service_account_name: `${team}-runner`,
    image_pull_secrets: [{ name: 'registry-credentials' }],
    volumes: [
      { name: 'settings', configMap: { name: `${team}-settings`, optional: true } },
      { name: 'certificates', secret: { secretName: `${team}-tls` } },
      { name: 'scratch', emptyDir: { sizeLimit: '2Gi' } },
      { name: 'models', persistentVolumeClaim: { claimName: 'shared-models', readOnly: true } },
    ],
    volume_mounts: [
      { name: 'settings', mountPath: '/etc/agent', readOnly: true },
      { name: 'certificates', mountPath: '/etc/tls', readOnly: true },
      { name: 'scratch', mountPath: '/tmp/agent' },
      { name: 'models', mountPath: '/models', subPath: 'embeddings', readOnly: true },
    ],
    init_containers: [
      {
        name: 'fetch-prompts',
        image: 'registry.internal.example/tools/prompt-sync:2.3.1',
        imagePullPolicy: 'IfNotPresent',
        command: ['prompt-sync'],
        args: ['--target', '/tmp/agent/prompts'],
        env: [
          { name: 'PROMPT_SET', value: name },
          { name: 'TOKEN', valueFrom: { secretKeyRef: { name: `${team}-tokens`, key: 'prompts' } } },
        ],
        volumeMounts: [{ name: 'scratch', mountPath: '/tmp/agent' }],
      },
    ],
    sidecars: [
      {
        name: 'telemetry',
        image: 'otel/opentelemetry-collector:0.115.1',
        args: ['--config=/etc/agent/telemetry.yaml'],
        envFrom: [{ configMapRef: { name: `${team}-telemetry` } }],
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '200m', memory: '256Mi' } },
        volumeMounts: [{ name: 'settings', mountPath: '/etc/agent', readOnly: true }],
        securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true },
      },
    ],
  }
}
