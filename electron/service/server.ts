import { createServer, type Server, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { hostInUrl } from './base/loopback'
import { Refusal } from './base/refusal'
import { logRequest } from './request-log'

/** Milliseconds that an unused connection stays open: longer than clients keep theirs, so that they close first. */
const keepAliveTimeout = 65_000

/** Milliseconds that a client may take to send a whole request. */
const requestTimeout = 30_000

/** Milliseconds between two looks at which clients have taken too long. */
const connectionsCheckingInterval = 5_000

/** Milliseconds that requests under way have to finish when the service ends. */
const grace = 1_000

/** A server that listens. */
export interface ListeningServer {
  url: string
  /** Takes no new requests, lets those under way finish for a second, then closes every connection. */
  close(): Promise<void>
}

/** Serves `app` on a host and a port (0: any free one). Throws a Refusal when it cannot listen there. */
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

/** The answer to a request whose address cannot be read, such as one with a Host header that is none. */
function answerUnreadable(): Response {
  const body = JSON.stringify({ detail: 'The request cannot be read.' })
  return new Response(body, { status: 400, headers: { 'content-type': 'application/json' } })
}

/** Answers what is no HTTP at all, or too long a header, and gives the connection up. */
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
