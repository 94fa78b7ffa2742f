import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { hostInUrl } from './base/loopback'
import { Refusal } from './base/refusal'
import { logRequest } from './request-log'

/** How long an unused connection stays open, in milliseconds: longer than in clients, so that they close first. */
const keepAliveTimeout = 65_000

/** How long a client may take to send a whole request, in milliseconds. */
const requestTimeout = 30_000

/** How often the server checks for clients that took too long, in milliseconds. */
const connectionsCheckingInterval = 5_000

/** How long running requests may take to finish when the service ends, in milliseconds. */
const grace = 1_000

/** A server that is listening. */
export interface ListeningServer {
  url: string
  /** Accepts no new requests, lets running ones finish for a second, then closes all connections. */
  close(): Promise<void>
}

/** Serves `app` on a host and port (0 means any free one). Throws a Refusal if it can't listen there. */
export function listen(app: OpenAPIHono, host: string, port: number): Promise<ListeningServer> {
  const answer = getRequestListener(app.fetch, { hostname: hostInUrl(host), errorHandler: answerUnreadable })
  const server = createServer(
    { keepAliveTimeout, requestTimeout, connectionsCheckingInterval },
    (request, response) => {
      logRequest(request, response)
      void answer(request, response)
    },
  )
  server.on('clientError', answerBrokenHttp)
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(error, host, port)))
    server.listen(port, host, () => {
      const { port: chosen } = server.address() as AddressInfo
      resolve({ url: `http://${hostInUrl(host)}:${chosen}`, close: () => close(server) })
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), grace)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/** Answers a request with an invalid address, such as one with an invalid Host header. */
function answerUnreadable(): Response {
  const body = JSON.stringify({ detail: 'The request cannot be read.' })
  return new Response(body, { status: 400, headers: { 'content-type': 'application/json' } })
}

/** Answers data that isn't HTTP, or a header that is too long, and closes the connection. */
function answerBrokenHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const statuses: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }
  const status = statuses[error.code ?? ''] ?? 400
  const body = JSON.stringify({ detail: 'The request cannot be read.' })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): Refusal {
  if (error.code === 'EADDRINUSE') {
    return new Refusal(
      `Port ${port} of ${host} is in use. End what uses it, or choose another with --port (0: any).`,
    )
  }
  return new Refusal(`Cannot listen on ${host}, port ${port}: ${error.message}`)
}
