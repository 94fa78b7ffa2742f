import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * How many requests of a connection may wait for their answers. Clients that send several without waiting send a few,
 * and Node begins all that arrive, however large their answers are.
 */
const mostWaiting = 50

/** How many requests of each connection wait for their answers. */
const waiting = new WeakMap<Socket, number>()

/** Closes the connection of a request, and gives false, if too many requests wait there for their answers. */
export function limitPipelining({ socket }: IncomingMessage, response: ServerResponse): boolean {
  // Those that arrived together with the one that was too many.
  if (socket.destroyed) return false
  const before = waiting.get(socket) ?? 0
  if (before >= mostWaiting) {
    socket.destroy()
    return false
  }
  waiting.set(socket, before + 1)
  response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1))
  return true
}
