import type { Deployment } from '@contract'
import type { Revision } from '@contract/life/revisions'
import type { SeenRevision } from '@/stores/deployment-detail/seen-revisions'
import type { Field } from './field'

type Revisions = Pick<Deployment, 'latest_revision_id' | 'active_revision_id'>

/** Whether the latest revision is the active one. */
export const isLatestActive = ({
  latest_revision_id: latest,
  active_revision_id: active,
}: Revisions): boolean => latest !== null && latest === active

/** Whether a revision other than the latest is active. */
export const isOtherActive = ({
  latest_revision_id: latest,
  active_revision_id: active,
}: Revisions): boolean => active !== null && latest !== active

/** The latest revision, and what it runs: a service returns that for no other one (interface: SourceRevisionConfig). */
export function latestRevisionFields(deployment: Deployment): Field[] {
  const { source_config, source_revision_config: config } = deployment
  return [
    {
      label: 'ID',
      value: deployment.latest_revision_id,
      mono: true,
      oneLine: true,
      copy: 'Copy latest revision ID',
    },
    { label: 'Repository URL', value: source_config.repo_url, link: true, copy: 'Copy repository URL' },
    { label: 'Git ref', value: config.repo_ref, mono: true, copy: 'Copy git ref' },
    {
      label: 'Commit',
      value: config.repo_commit_sha,
      mono: true,
      oneLine: true,
      copy: 'Copy commit',
    },
    { label: 'Image URI', value: config.image_uri, mono: true, copy: 'Copy image URI' },
    { label: 'Image version', value: deployment.image_version },
    { label: 'Source tarball path', value: config.source_tarball_path, mono: true },
  ]
}

/** The active revision, if it isn't the latest. `seen` is what this session knows about it. */
export function activeRevisionFields(deployment: Deployment, seen: SeenRevision | null): Field[] {
  return [
    {
      label: 'ID',
      value: deployment.active_revision_id,
      mono: true,
      oneLine: true,
      copy: 'Copy active revision ID',
    },
    { label: 'Runs', value: seen?.runs, mono: true, copy: 'Copy what it runs' },
    { label: 'Last seen as latest', value: seen?.at, time: true, oneLine: true },
  ]
}

/** A revision of the service's list. */
export function listedRevisionFields({ id, created_at, source_revision_config: config }: Revision): Field[] {
  return [
    { label: 'ID', value: id, mono: true, oneLine: true, copy: 'Copy active revision ID' },
    { label: 'Git ref', value: config.repo_ref, mono: true },
    { label: 'Commit', value: config.repo_commit_sha, mono: true, oneLine: true },
    { label: 'Image URI', value: config.image_uri, mono: true },
    { label: 'Created', value: created_at, time: true, oneLine: true },
  ]
}
