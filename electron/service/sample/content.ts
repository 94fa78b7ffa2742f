import type { ResourceSpec } from '@contract'
import type { Random } from './random'

/** Parts of the names of sample deployments. */
// prettier-ignore
export const subjects = [
  'invoice', 'claims', 'support', 'contract', 'order', 'returns', 'catalogue', 'payroll', 'travel', 'billing',
  'onboarding', 'compliance', 'fraud', 'inventory', 'logistics', 'marketing', 'research', 'meeting', 'release',
  'incident', 'security', 'data', 'pricing', 'recruiting', 'warranty', 'tender', 'loyalty', 'facility', 'fleet',
  'subscription', 'refund', 'survey', 'translation', 'training', 'procurement', 'tax', 'audit', 'policy', 'scheduling',
  'knowledge',
] as const

// prettier-ignore
export const tasks = [
  'triage', 'assistant', 'summariser', 'router', 'planner', 'reviewer', 'extractor', 'classifier', 'researcher',
  'coach', 'scheduler', 'matcher', 'monitor', 'writer', 'checker', 'analyst', 'concierge', 'agent', 'copilot',
  'forecaster',
] as const

export const stages = [
  '',
  '',
  '',
  'dev',
  'staging',
  'prod',
  'eu',
  'us',
  'canary',
  'pilot',
  'v2',
  'next',
] as const

export const owners = ['northwind', 'agent-platform', 'acme-labs'] as const

export const registries = [
  'registry.internal.example/agents',
  'ghcr.io/northwind',
  'europe-docker.pkg.dev/acme-labs/agents',
] as const

export const namespaces = ['agents', 'agents-prod', 'agents-staging', 'ml-serving', 'customer-care'] as const

// prettier-ignore
export const secretNames = [
  'OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'DATABASE_URL', 'SLACK_BOT_TOKEN', 'SALESFORCE_TOKEN', 'S3_SECRET_KEY',
  'JIRA_API_TOKEN', 'SENTRY_DSN', 'STRIPE_KEY', 'VECTOR_STORE_KEY', 'SMTP_PASSWORD', 'WEBHOOK_SIGNING_KEY',
] as const

export const imageVersions = [
  '0.2.74',
  '0.2.81',
  '0.3.0',
  '0.3.4',
  '0.4.1',
  '0.4.2',
  '1.0.0',
  '1.0.1',
] as const

export const failures = [
  'The build failed: the package "agents-toolkit" was not found in any index.',
  'The build failed: the file named by graph_config_path does not exist in this ref.',
  'The build failed: the image is larger than 10 GB.',
] as const

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
