import { type Outcome, succeed } from '@contract'
import type { CachedSummary } from '@contract/cache'
import type {
  CacheCall,
  CacheFailureCode,
  CacheInput,
  CacheOp,
  CacheOutput,
  CacheRequest,
} from '../../../electron/cache/protocol'
import { createRequestHandler } from '../../../electron/cache/request-handler'
import type { Seen } from '../../../electron/main/features/watches/rules'
import type { Cache } from '../../../electron/main/processes/cache-client'
import type { ForkedStore } from '../../../electron/main/processes/store-process'

interface CacheHereOptions {
  /** Called with each request that arrives. */
  received?: (op: CacheRequest['op']) => void
  /** The reply to a request waits for this. */
  beforeReply?: (op: CacheRequest['op']) => Promise<void>
  /** Why a request of this kind fails instead of being carried out; null if it doesn't. */
  refuses?: (op: CacheRequest['op']) => CacheFailureCode | null
  /** Gets a function that ends the process. */
  started?: (end: () => void) => void
}

/** A cache process inside the test's own process. It answers requests in order. */
export function forkCacheHere({
  received = () => undefined,
  beforeReply = () => Promise.resolve(),
  refuses = () => null,
  started = () => undefined,
}: CacheHereOptions = {}): ForkedStore {
  const handler = createRequestHandler()
  let listener: (message: unknown) => void = () => undefined
  let work = Promise.resolve()
  return {
    postMessage(message) {
      const { id, request } = message as CacheCall
      received(request.op)
      work = work.then(async () => {
        const code = refuses(request.op)
        const answer = code
          ? { ok: false, code, message: 'disk I/O error', setAside: null }
          : handler.answer(request)
        void beforeReply(request.op).then(() => listener({ id, ...answer }))
      })
    },
    onMessage: (own) => (listener = own),
    onExit: (ended) =>
      started(() => {
        listener = () => undefined
        ended()
      }),
    kill: () => undefined,
  }
}

/** A cache with the deployments that `all` gives, for the reads of watches. */
export function cachedFromSeen(
  all: () => readonly Seen[],
  synchronisedAt: () => string | null = () => null,
): Pick<Cache, 'ask' | 'service'> {
  const answer = (op: CacheOp, input: object): unknown => {
    if (op === 'state')
      return { deployments: all().length, gone: 0, synchronisedAt: synchronisedAt(), newestAt: null }
    const { request } = input as CacheInput<'page'>
    const ids = request.query.filters.ids
    const found = ids ? all().filter(({ id }) => ids.includes(id)) : all()
    return {
      snapshot: 'snapshot',
      total: found.length,
      offset: request.offset,
      deployments: found.slice(request.offset, request.offset + request.limit).map(rowOf),
      cache: { deployments: found.length, gone: 0, synchronisedAt: null, newestAt: null },
    } satisfies CacheOutput<'page'>
  }
  return {
    ask: <Op extends CacheOp>(_environmentId: string, op: Op, input: object) =>
      Promise.resolve(succeed(answer(op, input)) as Outcome<CacheOutput<Op>>),
    service: () => Promise.resolve(succeed('service')),
  }
}

const rowOf = ({ id, name, status, latest, active, runs, isGone }: Seen): CachedSummary => ({
  id,
  name,
  source: 'repohost',
  status,
  repo_url: null,
  repo_ref: null,
  image_uri: null,
  source_tarball_path: null,
  integration_id: null,
  latest_revision_id: latest,
  active_revision_id: active,
  image_version: runs,
  created_at: null,
  updated_at: null,
  deployment_type: null,
  fetched_at: '2026-11-24T08:00:00Z',
  gone_at: isGone ? '2026-11-24T08:00:00Z' : null,
})
