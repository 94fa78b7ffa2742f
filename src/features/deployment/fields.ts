import type { MemberLabels } from '@domain/labels/resource-spec-labels'
import type { Deployment } from '@contract'
import type { Revision } from '@contract/life/revisions'
import type { SeenRevision } from './deployment'
import {
  deploymentSchema,
  sourceConfigSchema,
  sourceRevisionConfigSchema,
} from '@contract/deployment-api/deployment'
import { deploymentTypeLabel, sourceLabel } from '@/ui/format/deployment'

/** A field of a deployment, ready to show. */
export interface Field {
  label: string
  value: unknown
  /** Shown in a fixed-width font, as identifiers and paths are. */
  mono?: boolean
  /** On one line: a text is cut, and a time shows only its age. Its title has the full value. */
  oneLine?: boolean
  /** A time (ISO 8601). */
  time?: boolean
  /** A URL, which may be opened in a browser. */
  link?: boolean
  /** The operator's nickname for the value, shown before it. */
  nickname?: string | null
  /** The labels of its value's members; without them, members are labelled with their names. */
  members?: MemberLabels | undefined
  /** The accessible name of the button that copies the value; without it there is no button. */
  copy?: string
}

/** The members of an object that the interface doesn't define. */
export function otherMembers(object: Record<string, unknown>, known: readonly string[]): [string, unknown][] {
  return Object.entries(object).filter(([name]) => !known.includes(name))
}

/** Whether there is nothing to show: null, undefined, an empty text, list or object. */
export function isBlank(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** The fields that have a value. */
export const filled = (fields: readonly Field[]): Field[] => fields.filter(({ value }) => !isBlank(value))

/** Whether a revision other than the latest is active. */
export const isOtherActive = ({
  latest_revision_id: latest,
  active_revision_id: active,
}: Pick<Deployment, 'latest_revision_id' | 'active_revision_id'>): boolean =>
  active !== null && latest !== active

/** The identifier of a deployment's latest or active revision. */
const idField = (which: 'latest' | 'active', value: string | null): Field => ({
  label: 'ID',
  value,
  mono: true,
  oneLine: true,
  copy: `Copy ${which} revision ID`,
})

/** The latest revision, and what it runs: a service returns that for no other one (interface: SourceRevisionConfig). */
export function latestRevisionFields(deployment: Deployment): Field[] {
  const { source_config, source_revision_config: config } = deployment
  return [
    idField('latest', deployment.latest_revision_id),
    { label: 'Repository URL', value: source_config.repo_url, link: true, copy: 'Copy repository URL' },
    { label: 'Git ref', value: config.repo_ref, mono: true, copy: 'Copy git ref' },
    { label: 'Commit', value: config.repo_commit_sha, mono: true, oneLine: true, copy: 'Copy commit' },
    { label: 'Image URI', value: config.image_uri, mono: true, copy: 'Copy image URI' },
    { label: 'Image version', value: deployment.image_version },
    { label: 'Source tarball path', value: config.source_tarball_path, mono: true },
  ]
}

/**
 * The active revision, if it isn't the latest: as the service lists it, otherwise what this session has seen of it.
 *
 * @param listed the revision of the service's list; undefined without one
 */
export function activeRevisionFields(
  { active_revision_id: id }: Deployment,
  listed: Revision | undefined,
  seen: SeenRevision | null,
): Field[] {
  const { repo_ref, repo_commit_sha, image_uri } = listed?.source_revision_config ?? {}
  return [
    idField('active', id),
    { label: 'Git ref', value: repo_ref, mono: true },
    { label: 'Commit', value: repo_commit_sha, mono: true, oneLine: true },
    { label: 'Image URI', value: image_uri, mono: true },
    { label: 'Created', value: listed?.created_at, time: true, oneLine: true },
    ...(listed
      ? []
      : [
          { label: 'Runs', value: seen?.runs, mono: true, copy: 'Copy what it runs' },
          { label: 'Last seen as latest', value: seen?.at, time: true, oneLine: true },
        ]),
  ]
}

/**
 * What the page's overview shows in each of its columns. What newer services say a deployment is of is in it only where
 * a service does.
 *
 * @param nicknameOf what the operator calls an integration
 */
export function overviewGroups(
  deployment: Deployment,
  nicknameOf: (integrationId: string) => string | null,
): Group[][] {
  const { agent, is_preview } = deployment as { agent?: unknown; is_preview?: unknown }
  const { agent_id, environment } = (agent ?? {}) as { agent_id?: unknown; environment?: unknown }
  const ofAgent = [
    { label: 'Agent', value: agent_id },
    { label: 'Agent environment', value: environment },
    { label: 'Preview', value: is_preview },
  ]
  const references = deployment.secret_references ?? []
  const rows = references.map(({ name, secret_name, secret_key }) => [name, secret_name, secret_key])
  return [
    [
      { title: 'Source', fields: sourceFields(deployment, nicknameOf) },
      {
        title: 'Secrets',
        table: { label: 'Secret references', heads: ['Reference', 'Secret', 'Key'], rows },
      },
    ],
    [
      {
        title: 'Identifiers',
        fields: [
          ...ofAgent.filter(({ value }) => value !== undefined && value !== null),
          { label: 'ID', value: deployment.id, mono: true, copy: 'Copy deployment ID' },
          { label: 'Tenant ID', value: deployment.tenant_id, mono: true, copy: 'Copy tenant ID' },
        ],
      },
      {
        title: 'Times',
        fields: [
          { label: 'Created', value: deployment.created_at, time: true },
          { label: 'Updated', value: deployment.updated_at, time: true },
        ],
      },
      { title: 'Other fields', fields: otherFields(deployment) },
    ],
  ]
}

/**
 * The source and its configuration, except for what the latest revision runs, which is shown with that revision, and the
 * resource spec, which has its own section.
 */
function sourceFields(
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
function otherFields(deployment: Deployment): Field[] {
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

/** A titled part of a deployment: what it has of these is shown, in this order. */
export interface Group {
  title: string
  fields?: Field[]
  /** A value without a label, and the labels of its members. */
  value?: unknown
  members?: MemberLabels | undefined
  /** The rows of a small table, as texts. The first column names its row. */
  table?: { label: string; heads: readonly string[]; rows: readonly (string | null | undefined)[][] }
  /** Things of one kind, such as containers, each with a title. */
  items?: { title: string; fields: Field[] }[]
}
