import type { Deployment } from '@contract'
import {
  deploymentSchema,
  sourceConfigSchema,
  sourceRevisionConfigSchema,
} from '@contract/deployment-api/deployment'
import { type Field, otherMembers } from '../fields'
import { deploymentTypeLabel, sourceLabel } from '@/ui/format/labels'

export function identifierFields(deployment: Deployment): Field[] {
  return [
    { label: 'ID', value: deployment.id, mono: true, copy: 'Copy deployment ID' },
    { label: 'Tenant ID', value: deployment.tenant_id, mono: true, copy: 'Copy tenant ID' },
  ]
}

/** What newer services say a deployment is of. */
export function agentFields(deployment: Deployment): Field[] {
  const { agent, is_preview } = deployment as { agent?: unknown; is_preview?: unknown }
  const { agent_id, environment } = (agent ?? {}) as { agent_id?: unknown; environment?: unknown }
  return [
    { label: 'Agent', value: agent_id },
    { label: 'Agent environment', value: environment },
    { label: 'Preview', value: is_preview },
  ].filter(({ value }) => value !== undefined && value !== null)
}

export function timeFields(deployment: Deployment): Field[] {
  return [
    { label: 'Created', value: deployment.created_at, time: true },
    { label: 'Updated', value: deployment.updated_at, time: true },
  ]
}

/**
 * The source and its configuration, except for what the latest revision runs, which is shown with that revision. The
 * resource spec has its own section.
 *
 * @param nicknameOf what the operator calls an integration
 */
export function sourceFields(
  { source, source_config: config, source_revision_config: revision }: Deployment,
  nicknameOf: (integrationId: string) => string | null,
): Field[] {
  return [
    { label: 'Source', value: sourceLabel(source) },
    {
      label: 'Deployment type',
      value: config.deployment_type && deploymentTypeLabel(config.deployment_type),
    },
    { label: 'Config path', value: revision.graph_config_path, mono: true },
    { label: 'Custom URL', value: config.custom_url, link: true, copy: 'Copy custom URL' },
    { label: 'Build on push', value: config.build_on_push },
    { label: 'Install command', value: config.install_command, mono: true },
    { label: 'Build command', value: config.build_command, mono: true },
    {
      label: 'Integration ID',
      value: config.integration_id,
      nickname: config.integration_id ? nicknameOf(config.integration_id) : null,
      mono: true,
      copy: 'Copy integration ID',
    },
    { label: 'Listener ID', value: config.listener_id, mono: true, copy: 'Copy listener ID' },
    { label: 'Kubernetes namespace', value: config.listener_config?.k8s_namespace },
  ]
}

/** Members that the interface does not define, labelled with their paths. */
export function otherFields(deployment: Deployment): Field[] {
  const of = (
    prefix: string,
    object: Record<string, unknown> | null,
    schema: { shape: Record<string, unknown> },
  ): Field[] =>
    otherMembers(object ?? {}, Object.keys(schema.shape)).map(([name, value]) => ({
      label: prefix + name,
      value,
    }))
  const listener = otherMembers(deployment.source_config.listener_config ?? {}, ['k8s_namespace'])
  return [
    ...of('', deployment, deploymentSchema).filter(
      ({ label }) => label !== 'agent' && label !== 'is_preview',
    ),
    ...of('source_config.', deployment.source_config, sourceConfigSchema),
    ...listener.map(([name, value]) => ({ label: `source_config.listener_config.${name}`, value })),
    ...of('source_revision_config.', deployment.source_revision_config, sourceRevisionConfigSchema),
  ]
}
