import type { MemberLabels } from './resource-spec-labels'

/** The labels of deployments' and requests' members, by path (interface: Deployment), except for the resource spec's. */
export const memberLabels = {
  name: 'Name',
  source: 'Source',
  'source_config.deployment_type': 'Deployment type',
  'source_config.integration_id': 'Integration ID',
  'source_config.repo_url': 'Repository URL',
  'source_config.build_on_push': 'Build on push',
  'source_config.custom_url': 'Custom URL',
  'source_config.install_command': 'Install command',
  'source_config.build_command': 'Build command',
  'source_config.listener_id': 'Listener ID',
  'source_config.listener_config': 'Listener',
  'source_revision_config.repo_ref': 'Git ref',
  'source_revision_config.repo_commit_sha': 'Commit',
  'source_revision_config.graph_config_path': 'Config path',
  'source_revision_config.image_uri': 'Image URI',
  'source_revision_config.source_tarball_path': 'Source tarball path',
  image_version: 'Image version',
  secrets: 'Secret',
  secret_references: 'Secret reference',
  status: 'Status',
  id: 'ID',
  tenant_id: 'Tenant ID',
  created_at: 'Created',
  updated_at: 'Updated',
  latest_revision_id: 'Latest revision',
  active_revision_id: 'Active revision',
} as const

/** The path of a member with a label. */
export type LabelledMember = keyof typeof memberLabels

/** Whether a member has a label. */
export const isLabelled = (path: string): path is LabelledMember => Object.hasOwn(memberLabels, path)

/** The labels inside a listener's configuration (interface: listener_config). */
export const listenerLabels: MemberLabels = (name) => ({
  label: name === 'k8s_namespace' ? 'Kubernetes namespace' : name,
  members: undefined,
})
