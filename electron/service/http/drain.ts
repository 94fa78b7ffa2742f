import type { IncomingMessage, Server, ServerResponse } from 'node:http'

/** How long clients may take to send the rest of their requests when the service ends, in milliseconds. */
const sendingMs = 1_000

/** How long answers may take then, in milliseconds: longer than any statement. */
const answeringMs = 15_000

/** Lets a server end without breaking off what it answers. */
export interface Drain {
  /** Takes note of a request. Call it before the request is answered. */
  watch(request: IncomingMessage, response: ServerResponse): void
  /**
   * Accepts no further connections, and lets running requests finish: those that are still being sent for a second,
   * those that are being answered for fifteen. Then closes all connections.
   */
  close(): Promise<void>
}

/** Prepares the end of a server. */
export function drainOf(server: Server): Drain {
  const running = new Map<ServerResponse, IncomingMessage>()
  let isClosing = false
  let isLate = false

  /** Closes connections that nothing is answered on. */
  function closeOthers(): void {
    server.closeIdleConnections()
    if (!isLate) return
    for (const { complete, socket } of running.values()) if (!complete) socket.destroy()
    if (running.size === 0) server.closeAllConnections()
  }

  return {
    watch(request, response) {
      running.set(response, request)
      if (isClosing) response.shouldKeepAlive = false
      response.once('close', () => {
        running.delete(response)
        // Its connection counts as idle after this event.
        if (isClosing) setImmediate(closeOthers)
      })
    },
    close: () =>
      new Promise((resolve) => {
        isClosing = true
        const timers = [
          setTimeout(() => {
            isLate = true
            closeOthers()
          }, sendingMs),
          setTimeout(() => server.closeAllConnections(), answeringMs),
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
