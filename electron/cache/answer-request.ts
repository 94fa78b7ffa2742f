import { type CacheReply, cacheCallSchema } from '@contract/cache'
import { createRequestHandler, reply } from './request-handler'

const handler = createRequestHandler(() => new Promise((resolve) => setImmediate(resolve)))

/** Answers a message of the main process. One that isn't a request is answered with `invalid-request`. */
export async function answerRequest(message: unknown): Promise<CacheReply> {
  const call = cacheCallSchema.safeParse(message)
  if (!call.success) {
    const id = typeof message === 'object' && message !== null && 'id' in message ? Number(message.id) : 0
    return reply(id, { ok: false, code: 'invalid-request', message: call.error.message, setAside: null })
  }
  const { id, request } = call.data
  return reply(id, await handler.answer(request))
}
