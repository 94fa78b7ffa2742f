import type { DeploymentSummary } from '@contract'

/** What a deployment runs, in short, and in full for who looks closer. */
export interface RunningSource {
  /** Repository, image or archive: its short name. */
  name: string
  /** Branch, tag or commit of a repository. */
  ref: string | null
  full: string
}

/** Tells what a deployment runs: its repository and ref, its image, or its source archive; null where it is not said. */
export function runningSource(deployment: DeploymentSummary): RunningSource | null {
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

/** The last part of a repository's URL, without what says that it is git's. */
function shortRepository(url: string): string {
  const path = url
    .replace(/^[a-z+]+:\/\/[^/]*\//i, '')
    .replace(/^[^/@]*@[^:]*:/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  return lastPart(path)
}

/** The last part of a path, or the last few. */
function lastPart(path: string, count = 1): string {
  return path.split('/').filter(Boolean).slice(-count).join('/') || path
}
