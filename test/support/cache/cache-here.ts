import { cacheCallSchema, type CacheFailureCode, type CacheRequest } from '@contract/cache'
import { createRequestHandler } from '../../../electron/cache/request-handler'
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
      const { id, request } = cacheCallSchema.parse(message)
      received(request.op)
      work = work.then(async () => {
        const code = refuses(request.op)
        const answer = code
          ? { ok: false, code, message: 'disk I/O error', setAside: null }
          : await handler.answer(request)
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
