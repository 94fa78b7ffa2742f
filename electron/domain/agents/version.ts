/** The facts that decide which version a deployment has. */
export interface VersionFacts {
  repo_url: string | null
  repo_ref: string | null
  repo_commit_sha: string | null
  image_uri: string | null
  image_version: string | null
  source_tarball_path: string | null
}

/** A version for people: the requested one, such as a branch, and the exact one, such as a commit. */
export interface Version {
  kind: 'repository' | 'image' | 'archive'
  /** A branch, tag or path; null if it isn't known. */
  name: string | null
  /** A commit or an image's digest; null if it isn't known. */
  exact: string | null
}

/** The version that a deployment runs; null if it doesn't say. */
export function versionOf(facts: VersionFacts): Version | null {
  const { repo_url, repo_ref, repo_commit_sha, image_uri, image_version, source_tarball_path } = facts
  if (repo_url?.trim()) {
    return { kind: 'repository', name: shortRef(repo_ref), exact: repo_commit_sha?.trim() || null }
  }
  if (image_uri?.trim()) {
    const [named = '', digest = null] = image_uri.trim().split('@', 2)
    const tag = /:([^/:]*)$/.exec(named)?.[1]
    return { kind: 'image', name: tag || image_version?.trim() || null, exact: digest }
  }
  return source_tarball_path?.trim()
    ? { kind: 'archive', name: source_tarball_path.trim(), exact: null }
    : null
}

/**
 * Whether any two of several versions differ. If both have a commit or digest, those are compared, otherwise branch or
 * tag. An unknown version differs from none.
 */
export function versionsDiffer(versions: Iterable<Version | null>): boolean {
  const kinds = new Set<string>()
  const exact = new Set<string>()
  const names = new Set<string>()
  let isNameNeeded = false
  for (const version of versions) {
    if (version === null || (version.name === null && version.exact === null)) continue
    kinds.add(version.kind)
    if (version.exact === null) isNameNeeded = true
    else exact.add(version.exact)
    if (version.name !== null) names.add(version.name)
    if (kinds.size > 1 || exact.size > 1) return true
  }
  return isNameNeeded && names.size > 1
}

/** A version as a short text. */
export const versionKey = (version: Version | null): string =>
  version === null ? '' : [version.kind, version.name ?? '', version.exact ?? ''].map(part).join(' ')

/** The version of a text that `versionKey` made. */
export function versionFrom(key: string): Version | null {
  const [kind, name = '', exact = ''] = key.split(' ')
  if (kind !== 'repository' && kind !== 'image' && kind !== 'archive') return null
  return { kind, name: decodeURIComponent(name) || null, exact: decodeURIComponent(exact) || null }
}

/** Whether versions of deployments differ, by their keys. Most keys are identical, which is checked first. */
export function keysDiffer(
  columns: Iterable<readonly (readonly [place: number, version: string])[]>,
): boolean {
  const keys = new Set<string>()
  for (const members of columns) for (const [, key] of members) keys.add(key)
  return keys.size > 1 && versionsDiffer([...keys].map(versionFrom))
}

const maxPartLength = 200

const part = (text: string): string => encodeURIComponent(text.slice(0, maxPartLength).toWellFormed())

function shortRef(ref: string | null): string | null {
  return ref?.trim().replace(/^refs\/(?:heads|tags)\//, '') || null
}
