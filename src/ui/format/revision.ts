import { isRollingOut, type RolloutMembers } from '@contract/deployment-api/statuses'
import type { FailedRevision, Revision } from '@contract/life/revisions'
import { shortRevision } from '@domain/labels/revisions'
import type { DeploymentSummary } from '@contract'

/** The latest revision, shortened, and what is to be said of its roll-out. */
export interface RevisionLabel {
  short: string | null
  rollout: 'failed' | 'rolling out' | null
  full: string
}

/** @param failed the latest revision, if it is known to have failed: then nothing is rolling out */
export function revisionLabel(
  deployment: RolloutMembers,
  failed: FailedRevision | null = null,
): RevisionLabel {
  const { latest_revision_id: latest, active_revision_id: active } = deployment
  const rollout = failed ? 'failed' : isRollingOut(deployment) ? 'rolling out' : null
  if (latest === null) {
    const full = active === null ? 'There is no revision yet.' : `Active revision ${active}`
    return { short: active === null ? null : shortRevision(active), rollout, full }
  }
  return {
    short: shortRevision(latest),
    rollout,
    full:
      latest === active
        ? `Revision ${latest}, latest and active`
        : `Latest revision ${latest}, active ${active ?? 'none yet'}${failed?.message ? `: ${failed.message}` : ''}`,
  }
}

/** What a deployment runs, shortened and in full. */
export interface RunningSource {
  /** The short name of the repository, image or archive. */
  name: string
  /** Branch, tag or commit of a repository. */
  ref: string | null
  full: string
}

/** The fields that say what a deployment runs. */
type RunningFields = Pick<DeploymentSummary, 'repo_url' | 'repo_ref' | 'image_uri' | 'source_tarball_path'>

/** What a deployment runs: repository and ref, image, or source archive; null where it doesn't say. */
export function runningSource(deployment: RunningFields): RunningSource | null {
  const { repo_url, repo_ref, image_uri, source_tarball_path } = deployment
  if (repo_url) {
    const ref = repo_ref?.replace(/^refs\/(?:heads|tags)\//, '') ?? null
    return { name: shortRepository(repo_url), ref, full: repo_ref ? `${repo_url} at ${repo_ref}` : repo_url }
  }
  if (image_uri) return { name: lastPart(image_uri), ref: null, full: image_uri }
  if (source_tarball_path) {
    return { name: lastPart(source_tarball_path, 2), ref: null, full: source_tarball_path }
  }
  return null
}

/** The last part of a repository's URL, without ".git". */
function shortRepository(url: string): string {
  const path = url
    .replace(/^[a-z+]+:\/\/[^/]*\//i, '')
    .replace(/^[^/@]*@[^:]*:/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  return lastPart(path)
}

/** The last parts of a path. */
function lastPart(path: string, count = 1): string {
  return path.split('/').filter(Boolean).slice(-count).join('/') || path
}

/** What a revision runs, in one line: its image, or its ref and commit. */
export function runsOf({ source_revision_config: config }: Pick<Revision, 'source_revision_config'>): string {
  const { image_uri, repo_ref, repo_commit_sha, source_tarball_path } = config
  const code = [repo_ref, repo_commit_sha?.slice(0, 12)].filter(Boolean).join(' ')
  return image_uri ?? (code || source_tarball_path || 'not said')
}
