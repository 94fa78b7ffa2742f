import type { Worker } from 'node:worker_threads'
import { type CacheReply, cacheCallSchema } from '@contract/cache'
import type { StateReply, StateRequest } from '@contract/app/processes'
import { createRequestHandler, reply } from './request-handler'
import { createStateHandler } from './state'

/** Answers a message of the main process. One that isn't a request is answered with `invalid-request`. */
export type AnswerRequest = (message: unknown) => Promise<CacheReply | { id: number; state: StateReply }>

/** `startThread` starts the thread that reads pages ahead. */
export function createAnswerRequest(startThread: () => Worker): AnswerRequest {
  const handler = createRequestHandler({ startThread })
  const answerState = createStateHandler()
  return async (message) => {
    if (isStateCall(message)) return { id: message.id, state: answerState(message.state) }
    const call = cacheCallSchema.safeParse(message)
    if (!call.success) {
      const id = typeof message === 'object' && message !== null && 'id' in message ? Number(message.id) : 0
      return reply(id, { ok: false, code: 'invalid-request', message: call.error.message, setAside: null })
    }
    const { id, request } = call.data
    return reply(id, await handler.answer(request))
  }
}

const isStateCall = (message: unknown): message is { id: number; state: StateRequest } =>
  typeof message === 'object' && message !== null && 'state' in message
