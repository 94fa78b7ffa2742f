import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * How many requests of a connection may wait for their answers. Clients that pipeline send a few, and Node starts to
 * answer every one that arrives, however large the answers are.
 */
const mostWaiting = 50

/** The requests of each connection that wait for their answers. */
const waiting = new WeakMap<Duplex, Map<IncomingMessage, ServerResponse>>()

/** Closes a request's connection and gives false if too many of its requests wait for their answers. */
export function limitPipelining(request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request
  // Requests that arrived together with the one that was too many.
  if (socket.destroyed) return false
  const requests = waiting.get(socket) ?? new Map<IncomingMessage, ServerResponse>()
  if (requests.size >= mostWaiting) {
    socket.destroy()
    return false
  }
  waiting.set(socket, requests.set(request, response))
  response.once('close', () => requests.delete(request))
  return true
}

/** The response to the request that a connection is still receiving, unless it is answered. */
export function unfinishedOn(socket: Duplex): ServerResponse | undefined {
  const last = [...(waiting.get(socket) ?? [])].at(-1)
  return last === undefined || last[0].complete || last[1].headersSent ? undefined : last[1]
}

/**
 * Calls `then` once all requests that a connection has received are answered. An answer before that would be taken for
 * the answer to one of them.
 */
export function afterAnswers(socket: Duplex, then: () => void): void {
  const responses = [...(waiting.get(socket) ?? [])].flatMap(([request, response]) =>
    request.complete ? [response] : [],
  )
  let left = responses.length
  if (left === 0) return then()
  for (const response of responses) {
    response.once('close', () => {
      left -= 1
      if (left === 0) then()
    })
  }
}
