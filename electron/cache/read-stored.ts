import { parseAnswer, type Read, readDetail, readRepositories } from '@contract'
import type { CachedDetail, CachedRepositoryList } from '@contract/cache'
import type { StoredDeployment, StoredRepositories } from './store'

/**
 * A stored deployment in the page's form; null if there is none, or it can't be read.
 *
 * @param missingAt when the service answered that it no longer has it (ISO 8601); otherwise null
 */
export function readStoredDeployment(
  environmentId: string,
  stored: StoredDeployment | null,
  missingAt?: string,
): CachedDetail | null {
  const read = stored && readJson(stored.json, readDetail)
  if (!read) return null
  const fromCache = { goneAt: stored.goneAt ?? missingAt ?? null, missingAt }
  return { environmentId, ...read, fetchedAt: stored.fetchedAt, fromCache }
}

/** A stored list of repositories as the page gets it; null if there is none, or it can't be read. */
export function readStoredRepositories(
  environmentId: string,
  integrationId: string,
  stored: StoredRepositories | null,
): CachedRepositoryList | null {
  const read = stored && readJson(stored.json, readRepositories)
  return read && { environmentId, integrationId, ...read, fetchedAt: stored.fetchedAt, fromCache: true }
}

function readJson<T>(json: string, readAs: (answer: unknown) => Read<T>): T | null {
  const parsed = parseAnswer(Buffer.from(json))
  const read = parsed.ok ? readAs(parsed.value) : null
  return read?.ok ? read.value : null
}
