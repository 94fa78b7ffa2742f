import type { Deployment } from '@contract'
import {
  deploymentSchema,
  sourceConfigSchema,
  sourceRevisionConfigSchema,
} from '@contract/deployment-api/deployment'
import { isKnownSource, sourceLabels } from '@contract/deployment-api/request/source'
import { deploymentTypeLabel } from '@/format/deployment-type'
import type { SeenRevision } from '@/stores/seen-revisions'
import { type Field, otherMembers } from './field'

/** The label of a source; an unknown one is shown as the service names it. */
export function sourceLabel(source: string): string {
  return isKnownSource(source) ? sourceLabels[source] : source
}

export function identifierFields(deployment: Deployment): Field[] {
  return [
    { label: 'ID', value: deployment.id, mono: true, copy: 'Copy deployment ID' },
    { label: 'Tenant ID', value: deployment.tenant_id, mono: true, copy: 'Copy tenant ID' },
    {
      label: 'Latest revision',
      value: deployment.latest_revision_id,
      mono: true,
      copy: 'Copy latest revision ID',
    },
    {
      label: 'Active revision',
      value: deployment.active_revision_id,
      mono: true,
      copy: 'Copy active revision ID',
    },
  ]
}

/** The active revision, where the latest is another one. `seen` is what this session knows of it. */
export function activeRevisionFields(deployment: Deployment, seen: SeenRevision | null): Field[] {
  const id = { label: 'ID', value: deployment.active_revision_id, mono: true }
  if (!seen) return [id]
  return [
    id,
    { label: 'Runs', value: seen.runs, mono: true },
    { label: 'Seen as latest', value: seen.at, time: true },
  ]
}

export function timeFields(deployment: Deployment): Field[] {
  return [
    { label: 'Created', value: deployment.created_at, time: true },
    { label: 'Updated', value: deployment.updated_at, time: true },
  ]
}

/**
 * The source configuration. Its resource spec has its own section.
 *
 * @param nicknameOf what the operator calls an integration
 */
export function sourceFields(
  { source, source_config: config }: Deployment,
  nicknameOf: (integrationId: string) => string | null,
): Field[] {
  return [
    { label: 'Source', value: sourceLabel(source) },
    {
      label: 'Deployment type',
      value: config.deployment_type && deploymentTypeLabel(config.deployment_type),
    },
    {
      label: 'Integration ID',
      value: config.integration_id,
      nickname: config.integration_id ? nicknameOf(config.integration_id) : null,
      mono: true,
      copy: 'Copy integration ID',
    },
    { label: 'Repository URL', value: config.repo_url, link: true, copy: 'Copy repository URL' },
    { label: 'Build on push', value: config.build_on_push },
    { label: 'Custom URL', value: config.custom_url, link: true, copy: 'Copy custom URL' },
    { label: 'Listener ID', value: config.listener_id, mono: true, copy: 'Copy listener ID' },
    { label: 'Kubernetes namespace', value: config.listener_config?.k8s_namespace },
    { label: 'Install command', value: config.install_command, mono: true },
    { label: 'Build command', value: config.build_command, mono: true },
  ]
}

export function revisionFields({ source_revision_config: config, image_version }: Deployment): Field[] {
  return [
    { label: 'Git ref', value: config.repo_ref, mono: true, copy: 'Copy git ref' },
    { label: 'Commit', value: config.repo_commit_sha, mono: true, copy: 'Copy commit' },
    { label: 'Config path', value: config.graph_config_path, mono: true },
    { label: 'Image URI', value: config.image_uri, mono: true, copy: 'Copy image URI' },
    { label: 'Image version', value: image_version },
    { label: 'Source tarball path', value: config.source_tarball_path, mono: true },
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
    ...of('', deployment, deploymentSchema),
    ...of('source_config.', deployment.source_config, sourceConfigSchema),
    ...listener.map(([name, value]) => ({ label: `source_config.listener_config.${name}`, value })),
    ...of('source_revision_config.', deployment.source_revision_config, sourceRevisionConfigSchema),
  ]
}
