import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long clients may take to send the rest of their requests once the service ends, in milliseconds. */
const sendingMs = 1_000

/** How long answers may then take, in milliseconds: longer than any statement. */
const answeringMs = 15_000

/** Ends a server without breaking off answers. */
export function drainOf(server: Server) {
  const running = new Map<ServerResponse, IncomingMessage>()
  /** With TLS, the server's own methods know a connection only once its handshake is done. */
  const connections = new Set<Socket>()
  let isClosing = false
  let isLate = false

  server.on('connection', (socket: Socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })

  function closeAll(): void {
    for (const socket of connections) socket.destroy()
  }

  /** Closes connections without a running request. */
  function closeOthers(): void {
    server.closeIdleConnections()
    if (!isLate) return
    for (const { complete, socket } of running.values()) if (!complete) socket.destroy()
    if (running.size === 0) closeAll()
  }

  return {
    /** Tracks a request. Call it before the request is answered. */
    watch(request: IncomingMessage, response: ServerResponse): void {
      running.set(response, request)
      if (isClosing) response.shouldKeepAlive = false
      response.once('close', () => {
        running.delete(response)
        // Its connection counts as idle after this event.
        if (isClosing) setImmediate(closeOthers)
      })
    },
    /**
     * Accepts no further connections, and lets running requests finish: one second for those that are still being
     * received, fifteen for those that are being answered. Then closes all connections.
     */
    close: () =>
      new Promise<void>((resolve) => {
        isClosing = true
        const timers = [
          setTimeout(() => {
            isLate = true
            closeOthers()
          }, sendingMs),
          setTimeout(closeAll, answeringMs),
        ]
        server.close(() => {
          timers.forEach(clearTimeout)
          resolve()
        })
        for (const response of running.keys()) {
          if (!response.headersSent) response.shouldKeepAlive = false
        }
        closeOthers()
      }),
  }
}
