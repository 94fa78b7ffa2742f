import type { Worker } from 'node:worker_threads'
import type { CacheCall, CacheReply } from '@contract/cache'
import type { StateReply, StateRequest } from '@contract/app/processes'
import { createRequestHandler, reply } from './request-handler'
import { createStateHandler } from './state'

/** A message of the main process about a cache or `state.db`. */
export type DiskCall = CacheCall | { id: number; state: StateRequest }

/** Answers a message of the main process. */
export type AnswerRequest = (message: DiskCall) => Promise<CacheReply | { id: number; state: StateReply }>

/** `startThread` starts the thread that reads pages ahead. */
export function createAnswerRequest(startThread: () => Worker): AnswerRequest {
  const handler = createRequestHandler({ startThread })
  const answerState = createStateHandler()
  return async (message) =>
    'state' in message
      ? { id: message.id, state: answerState(message.state) }
      : reply(message.id, await handler.answer(message.request))
}
