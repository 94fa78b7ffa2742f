import { succeed } from '@contract'
import type { Cache } from '../../processes/cache-client/types'
import type { CachedDeployments } from '../../stored/personal/agents'

/** Reads which deployments a cache has, as the board does: without opening it for good. */
export const createCachedDeployments =
  (cache: Pick<Cache, 'visit'>): CachedDeployments =>
  (environmentId, ids) =>
    cache.visit(environmentId, async (reader) => {
      const found = await reader.ask('assigned-agents', { ids, search: '' })
      if (!found.ok) return found
      const state = await reader.ask('state', {})
      if (!state.ok) return state
      return succeed({
        found: new Set(found.value.map(([id]) => id)),
        isComplete: state.value.synchronisedAt !== null,
      })
    })
