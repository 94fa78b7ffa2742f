import {
  type DeploymentDetail,
  type Failure,
  type Outcome,
  type ParsedCallInput,
  type RepositoryList,
  succeed,
} from '@contract'
import type { JsonText, OrText } from '../../processes/answers/json-text'
import type { Cache } from '../../processes/cache-client'
import type { Deployments } from '../deployments'
import { noSuchDeployment } from '../deployments/list/page'
import { isUnreachable } from '../../http/connections'
import type { Repositories } from '../repositories'

/**
 * Deployments and repositories, also while the service can't be reached, and deployments that it no longer has. What
 * the cache answers is the text that its process wrote.
 */
export interface Served {
  deployments: Omit<Deployments, 'get'> & {
    get: (input: ParsedCallInput<'deployments.get'>, signal: AbortSignal) => Promise<OrText<DeploymentDetail>>
  }
  repositories: {
    list: (
      input: ParsedCallInput<'repositories.list'>,
      signal: AbortSignal,
    ) => Promise<OrText<RepositoryList>>
  }
}

/**
 * Answers from the cache if the service can't be reached, or no longer has the deployment. If the cache has nothing,
 * the failure stays.
 */
export function withFallback(
  { deployments, repositories }: { deployments: Deployments; repositories: Repositories },
  cache: Pick<Cache, 'askText'>,
): Served {
  return {
    deployments: {
      ...deployments,
      async get({ environmentId, id }, signal) {
        const outcome = await deployments.get({ environmentId, id }, signal)
        const isMissing = !outcome.ok && outcome.failure === noSuchDeployment
        const cacheInput = isMissing ? { id, missingAt: new Date().toISOString() } : { id }
        const askCache = () => cache.askText(environmentId, 'deployment', cacheInput)
        return orFromCache<DeploymentDetail>(outcome, askCache)
      },
    },
    repositories: {
      list: async (input, signal) =>
        orFromCache<RepositoryList>(await repositories.list(input, signal), () =>
          cache.askText(input.environmentId, 'repositories', { integrationId: input.integrationId }),
        ),
    },
  }
}

async function orFromCache<T>(
  outcome: Outcome<T>,
  askCache: () => Promise<Outcome<JsonText<T | null>>>,
): Promise<OrText<T>> {
  if (outcome.ok || !mayUseCache(outcome.failure)) return outcome
  const cached = await askCache()
  return cached.ok && isThere(cached.value) ? succeed(cached.value) : outcome
}

/** Whether the cache has an answer: its process writes null if it doesn't. */
const isThere = <T>(cached: JsonText<T | null>): cached is JsonText<T> => cached.text !== 'null'

function mayUseCache(reason: Failure): boolean {
  // Without a keychain, or if the built-in service doesn't start, the service can't be reached either.
  const isOut =
    isUnreachable(reason) || reason.code.startsWith('keychain-') || reason.code === 'built-in-service'
  return isOut || reason === noSuchDeployment
}
