import type { Deployment, DeploymentSummary } from '@contract'
import { shortText } from '@contract/deployment-api/list'
import { summariseInFull } from '@contract/deployment-api/reading/summarise'
import { type Field, filled } from '@/components/deployment/field'
import { sourceLabel } from '@/format/deployment/source'
import { type CopiedMember, wholeText } from '@/domain/list/copied-texts'

/**
 * The latest data of a deployment, from the list or from its own read; null if neither has it. The list has only the
 * beginning of a long text, so the full text replaces it if it begins alike.
 *
 * @param row the list's row
 * @param read the deployment from its own read
 * @param isRowNewer whether the list was read later
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
 * A text of a deployment; null if there is none, or if only its beginning is known. Takes the parameters of
 * `panelFields`.
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
 * The fields of a deployment that have a value. Those that only its own read returns come last, so that nothing moves
 * when it arrives. A text that was cut off has no link and no copy button.
 *
 * @param shown the result of `newestOf`
 * @param read the deployment from its own read; null until then
 */
export function panelFields(shown: DeploymentSummary, read: Deployment | null): Field[] {
  const isWhole = (member: CopiedMember): boolean => wholeMember(shown, read, member) !== null
  const { source, latest_revision_id: latest, active_revision_id: active } = shown
  // A later revision may have another commit.
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
