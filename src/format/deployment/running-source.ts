import type { DeploymentSummary } from '@contract'

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
