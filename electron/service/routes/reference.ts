import type { CreateRequest, Finding } from '@contract'
import type { Store } from '../database/store'

/** What refers to a repository: a creation, or a new revision of a deployment. */
type Referring = Pick<CreateRequest, 'source'> & {
  source_config: Pick<CreateRequest['source_config'], 'integration_id' | 'repo_url'>
  source_revision_config: Pick<CreateRequest['source_revision_config'], 'repo_ref'>
}

/** The result of looking up the repository. `commit` is that of its ref, if known. */
export type CheckedReference = { ok: true; commit: string | null } | { ok: false; finding: Finding }

/** A ref may be a commit itself. Nothing tells whether it exists. */
const commitSha = /^(?:[\da-f]{40}|[\da-f]{64})$/i

/**
 * Looks up the repository of a deployment and its ref among the known ones (interface: Create a deployment, rule 1).
 * Other sources have no repository. If a repository's refs aren't known, any ref is accepted.
 */
export async function checkReference(
  repositories: Pick<Store['repositories'], 'find'>,
  { source, source_config: config, source_revision_config: revision }: Referring,
  tenantId: string,
): Promise<CheckedReference> {
  const [integrationId, url, ref] = [config.integration_id, config.repo_url, revision.repo_ref]
  if (source !== 'repohost' || !integrationId || !url || !ref) return { ok: true, commit: null }
  if (url.includes('\0')) return unknownRepository
  const { hasIntegration, hasRepository, refs } = await repositories.find(integrationId, url, tenantId)
  if (!hasIntegration) {
    return unknown(['source_config', 'integration_id'], `There is no integration ${integrationId}.`)
  }
  if (!hasRepository) return unknownRepository
  if (ref.includes('\0')) return unknownRef
  if (refs === null) return { ok: true, commit: null }
  // A branch takes precedence over a tag of the same name.
  const names = ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`]
  const found = names.find((name) => Object.hasOwn(refs, name))
  if (found !== undefined) return { ok: true, commit: refs[found]! }
  return commitSha.test(ref) ? { ok: true, commit: ref.toLowerCase() } : unknownRef
}

const unknown = (path: string[], message: string): CheckedReference => ({
  ok: false,
  finding: { level: 'certain', path, message },
})

const unknownRepository = unknown(
  ['source_config', 'repo_url'],
  'The integration has no repository of this URL. List its repositories.',
)

const unknownRef = unknown(
  ['source_revision_config', 'repo_ref'],
  'The repository has no such branch or tag.',
)
