import { type Failure, type Outcome, succeed } from '@contract'
import type { CacheState } from '@contract/cache'
import type { CacheOutput } from '../../cache/protocol'
import { Limiter } from '../async'
import type { Cache, CacheReader, Inputs, OpenCacheOp } from '../processes/cache-client'
import type { Environments } from '../environments'

/** What the cache of one environment answers. */
export type EnvironmentAnswer<Value> = { environmentId: string } & (
  | {
      state: 'cached'
      value: Value
      /** How old the cache is; `synchronisedAt` is null if it has only parts of the list. */
      cache: CacheState
    }
  /** Nothing of the environment's service is cached. That isn't the same as an empty list. */
  | { state: 'not-synchronised' }
  | { state: 'failed'; failure: Failure }
)

interface ReadOptions {
  /** The environments to read, in this order, without duplicates; by default all of them, in the order of the list. */
  environmentIds?: readonly string[]
  /** After it aborts, no further environment is read. */
  signal?: AbortSignal
}

export type AllCaches = ReturnType<typeof createAllCaches>

/** How many caches are read at a time. */
const maxRead = 4

/**
 * Reads the caches of environments, also of those that aren't the current one. Sends nothing to any service. An answer
 * belongs to the service that its environment led to when the answer was given. Environments that are removed meanwhile,
 * or don't exist, are left out.
 *
 * @param started resolves when the start no longer needs the keychain; until then, nothing is read
 */
export function createAllCaches(
  cache: Pick<Cache, 'visit'>,
  environments: Pick<Environments, 'state'>,
  started: Promise<unknown>,
) {
  // Shared by all readers.
  const limiter = new Limiter(maxRead)

  async function readOne<Value>(
    environmentId: string,
    read: (reader: CacheReader, environmentId: string) => Promise<Outcome<Value>>,
  ): Promise<EnvironmentAnswer<Value> | null> {
    const visited = await cache.visit(environmentId, async (reader) => {
      const state = await reader.ask('state', {})
      if (!state.ok) return state
      if (isEmpty(state.value)) return succeed(null)
      const value = await read(reader, environmentId)
      return value.ok ? succeed({ value: value.value, cache: state.value }) : value
    })
    if (visited.ok) {
      return visited.value === null
        ? { environmentId, state: 'not-synchronised' }
        : { environmentId, state: 'cached', ...visited.value }
    }
    const isThere = environments.state().environments.some(({ id }) => id === environmentId)
    return isThere ? { environmentId, state: 'failed', failure: visited.failure } : null
  }

  /**
   * The result of `read` for each cache. `read` may make several requests. It may run again if the environment is edited
   * meanwhile, and only the result for its present service counts.
   */
  async function readAll<Value>(
    read: (reader: CacheReader, environmentId: string) => Promise<Outcome<Value>>,
    { environmentIds, signal }: ReadOptions = {},
  ): Promise<EnvironmentAnswer<Value>[]> {
    await started
    const ids = environmentIds ?? environments.state().environments.map(({ id }) => id)
    const answers = await Promise.all(
      [...new Set(ids)].map((id) => limiter.queue(async () => (signal?.aborted ? null : readOne(id, read)))),
    )
    return answers.filter((answer) => answer !== null)
  }

  return {
    read: readAll,
    /** The reply of each cache to one request. */
    ask: <Op extends OpenCacheOp>(
      op: Op,
      input: Inputs<Op>,
      options?: ReadOptions,
    ): Promise<EnvironmentAnswer<CacheOutput<Op>>[]> => readAll((reader) => reader.ask(op, input), options),
  }
}

const isEmpty = ({ deployments, synchronisedAt }: CacheState): boolean =>
  deployments === 0 && synchronisedAt === null
