import type { Worker } from 'node:worker_threads'
import { type CacheReply, cacheCallSchema } from '@contract/cache'
import { createRequestHandler, reply } from './request-handler'

/** Answers a message of the main process. One that isn't a request is answered with `invalid-request`. */
export type AnswerRequest = (message: unknown) => Promise<CacheReply>

/** `startThread` starts the thread that reads pages ahead. */
export function createAnswerRequest(startThread: () => Worker): AnswerRequest {
  const yieldToOthers = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  const handler = createRequestHandler(yieldToOthers, { startThread })
  return async (message) => {
    const call = cacheCallSchema.safeParse(message)
    if (!call.success) {
      const id = typeof message === 'object' && message !== null && 'id' in message ? Number(message.id) : 0
      return reply(id, { ok: false, code: 'invalid-request', message: call.error.message, setAside: null })
    }
    const { id, request } = call.data
    return reply(id, await handler.answer(request))
  }
}
