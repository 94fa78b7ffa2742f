import type { Deployment, DeploymentSummary } from '@contract'
import { shortText } from '@contract/deployment-api/list/list-limits'
import { summariseInFull } from '@contract/deployment-api/summarise'
import { type Field, filled } from '@/components/deployment/field'
import { sourceLabel } from '@/format/source'
import { type CopiedMember, wholeText } from '@/domain/list/copied-texts'

/**
 * A deployment as it was read last, by the list or by itself; null if neither has it. The list has only the beginning
 * of a long text, so the whole one is taken where it begins in the same way.
 *
 * @param row what the list has of it
 * @param read the deployment that was read by itself
 * @param isRowNewer whether the list was read after it
 */
export function newestOf(
  row: DeploymentSummary | null,
  read: Deployment | null,
  isRowNewer: boolean,
): DeploymentSummary | null {
  if (!read) return row
  const whole = summariseInFull(read)
  if (!row || !isRowNewer) return whole
  const texts = Object.entries(whole).map(([key, text]) => {
    const listed = row[key as keyof DeploymentSummary]
    return [key, shortText(text) === listed ? text : listed]
  })
  return Object.fromEntries(texts) as DeploymentSummary
}

/**
 * A text of a deployment; null if there is none, or if only its beginning is known. Parameters: those of `panelFields`.
 */
export function wholeMember(
  shown: DeploymentSummary,
  read: Deployment | null,
  member: CopiedMember,
): string | null {
  const isRead = read !== null && summariseInFull(read)[member] === shown[member]
  return isRead ? shown[member] : wholeText(shown, member)
}

/**
 * The lines about a deployment, without those that have no value. What only the whole deployment has comes last, so
 * that nothing moves when it arrives. A text that was cut off is neither a link nor copied.
 *
 * @param shown the result of `newestOf`
 * @param read the deployment that was read by itself; null until then
 */
export function panelFields(shown: DeploymentSummary, read: Deployment | null): Field[] {
  const isWhole = (member: CopiedMember): boolean => wholeMember(shown, read, member) !== null
  const { source, latest_revision_id: latest, active_revision_id: active } = shown
  // A later revision may be of another commit.
  const commit = read?.latest_revision_id === latest ? read.source_revision_config.repo_commit_sha : null
  return filled([
    { label: 'Source', value: sourceLabel(source) },
    {
      label: 'Repository URL',
      value: shown.repo_url,
      ...(isWhole('repo_url') && { link: true, copy: 'Copy repository URL' }),
    },
    { label: 'Git ref', value: shown.repo_ref, mono: true },
    {
      label: 'Image URI',
      value: shown.image_uri,
      mono: true,
      ...(isWhole('image_uri') && { copy: 'Copy image URI' }),
    },
    { label: 'Source tarball path', value: shown.source_tarball_path, mono: true },
    latest === null
      ? { label: 'Latest revision', value: 'None yet' }
      : { label: 'Latest revision', value: latest, mono: true, copy: 'Copy latest revision ID' },
    active === null
      ? { label: 'Active revision', value: 'None yet' }
      : active === latest
        ? { label: 'Active revision', value: 'Same as latest' }
        : { label: 'Active revision', value: active, mono: true, copy: 'Copy active revision ID' },
    { label: 'Updated', value: shown.updated_at, time: true },
    { label: 'Created', value: shown.created_at, time: true },
    { label: 'Commit', value: commit, mono: true, copy: 'Copy commit' },
    { label: 'Custom URL', value: read?.source_config.custom_url, link: true, copy: 'Copy custom URL' },
  ])
}
