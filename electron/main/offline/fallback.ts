import { type DeploymentDetail, type Failure, type Outcome, type RepositoryList, succeed } from '@contract'
import { readText } from '../answers'
import type { Deployments } from '../deployments'
import { isUnreachable } from '../http/connections'
import type { Repositories } from '../repositories'
import type { Cache } from '../cache-client'

/** Answers from the cache if the service can't be reached. If the cache has nothing, the failure stays. */
export function withFallback(
  parts: { deployments: Deployments; repositories: Repositories },
  cache: Cache,
): { deployments: Deployments; repositories: Repositories } {
  const { deployments, repositories } = parts
  return {
    deployments: {
      ...deployments,
      get: async (input, signal) =>
        orFromCache(await deployments.get(input, signal), () => cachedDetail(cache, input)),
    },
    repositories: {
      list: async (input, signal) =>
        orFromCache(await repositories.list(input, signal), () => cachedRepositories(cache, input)),
    },
  }
}

async function orFromCache<T>(outcome: Outcome<T>, fromCache: () => Promise<T | null>): Promise<Outcome<T>> {
  if (outcome.ok || !mayUseCache(outcome.failure)) return outcome
  const value = await fromCache()
  return value === null ? outcome : succeed(value)
}

/** Without a keychain, or if the built-in service doesn't start, the service can't be reached either. */
function mayUseCache(reason: Failure): boolean {
  return isUnreachable(reason) || reason.code.startsWith('keychain-') || reason.code === 'built-in-service'
}

async function cachedDetail(
  cache: Cache,
  { environmentId, id }: { environmentId: string; id: string },
): Promise<DeploymentDetail | null> {
  const found = await cache.ask(environmentId, 'deployment', { id })
  if (!found.ok || found.value === null) return null
  const { json, fetchedAt, goneAt } = found.value
  const read = await readText(json, { kind: 'detail' })
  return read && { environmentId, ...read, fetchedAt, fromCache: { goneAt } }
}

async function cachedRepositories(
  cache: Cache,
  { environmentId, integrationId }: { environmentId: string; integrationId: string },
): Promise<RepositoryList | null> {
  const found = await cache.ask(environmentId, 'repositories', { integrationId })
  if (!found.ok || found.value === null) return null
  const read = await readText(found.value.json, { kind: 'repositories' })
  return read && { environmentId, integrationId, ...read, fetchedAt: found.value.fetchedAt, fromCache: true }
}
