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
