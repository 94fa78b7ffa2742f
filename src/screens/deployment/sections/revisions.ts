import type { Revision } from '@contract/life/revisions'

/** What a revision runs, in one line: its image, or its ref and commit. */
export function runsOf({ source_revision_config: config }: Pick<Revision, 'source_revision_config'>): string {
  const { image_uri, repo_ref, repo_commit_sha, source_tarball_path } = config
  const code = [repo_ref, repo_commit_sha?.slice(0, 12)].filter(Boolean).join(' ')
  return image_uri ?? (code || source_tarball_path || 'not said')
}
