import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { createSecureContext } from 'node:tls'
import { getRequestListener } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { limits } from '../base/limits'
import type { Log } from '../base/log'
import { Refusal } from '../base/failures'
import { drainOf } from './drain'
import type { Metrics } from './metrics'
import { hostInUrl, type Network, type TlsFiles } from './network'
import { identify, logRequest } from './request-log'

/** How long an idle connection stays open, in milliseconds: longer than in clients, so that they close it first. */
const keepAliveTimeout = 65_000

/** How long a client may take to read a refusal and close its side, in milliseconds. Some never do. */
const refusedMs = 1_000

/** A server that is listening. */
export interface ListeningServer {
  url: string
  /** Accepts no new connections, lets running requests finish for a bounded time, then closes all connections. */
  close(): Promise<void>
}

/** Where to listen, and how requests are logged and counted. */
export interface ServerOptions extends Pick<Network, 'host' | 'basePath' | 'tls'> {
  /** 0 for any free one. */
  port: number
  log: Log
  /** Null for no metrics. */
  metrics: Metrics | null
}

/** Serves `app`. Throws a Refusal if it can't listen. */
export function listen(app: OpenAPIHono, options: ServerOptions): Promise<ListeningServer> {
  const { host, port, basePath, tls, log, metrics } = options
  const answer = getRequestListener(app.fetch, { hostname: hostInUrl(host), errorHandler: answerUnreadable })
  const settings = {
    keepAliveTimeout,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    maxHeaderSize: limits.headerBytes,
    // Node would answer without a body.
    requireHostHeader: false,
  }
  const note = (request: IncomingMessage, response: ServerResponse): void => {
    logRequest(log, identify(request, response), request, response)
    metrics?.observe(request, response)
    drain.watch(request, response)
  }
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    note(request, response)
    if (request.headers.host === undefined && request.httpVersion === '1.1')
      refuse(response, 400, 'The header Host is missing.')
    else void answer(request, response)
  }
  const server =
    tls === null
      ? createServer(settings, serve)
      : createTlsServer({ ...settings, handshakeTimeout: limits.headersMs, ...readTls(tls) }, serve)
  const drain = drainOf(server)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    note(request, response)
    refuse(response, 417, 'The header Expect asks for something else than 100-continue.')
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = answerBroken(error, socket, log)
    if (status !== null) metrics?.countUnread(status)
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(error, host, port)))
    server.listen(port, host, () => {
      const { port: chosen } = server.address() as AddressInfo
      const scheme = tls === null ? 'http' : 'https'
      resolve({ url: `${scheme}://${hostInUrl(host)}:${chosen}${basePath}`, close: () => drain.close() })
    })
  })
}

/**
 * Reads the files of a certificate.
 *
 * @throws {Refusal} if they can't be read, or don't belong together
 */
function readTls({ cert, key }: TlsFiles): { cert: Buffer; key: Buffer } {
  try {
    const read = { cert: readFileSync(cert), key: readFileSync(key) }
    createSecureContext(read)
    return read
  } catch (error) {
    throw new Refusal(
      `Cannot use the certificate ${cert} with the key ${key}: ${(error as Error).message}. ` +
        'Name a certificate and its own key, both in PEM and without a passphrase.',
    )
  }
}

const json = { 'Content-Type': 'application/json' }

/** Answers a request without passing it to the application, and closes the connection. */
function refuse(response: ServerResponse, status: number, detail: string): void {
  response.writeHead(status, { ...json, Connection: 'close' }).end(JSON.stringify({ detail }))
}

/** Answers a request with an invalid address, such as one with an invalid Host header. */
function answerUnreadable(): Response {
  const detail = 'The address or the header Host is invalid.'
  return new Response(JSON.stringify({ detail }), { status: 400, headers: json })
}

/** The answers to Node's errors about a connection. */
const refusals: Record<string, { status: number; detail: string }> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    detail:
      `The address and headers are longer than ${limits.headerBytes / 1024} KiB together. ` +
      'Shorten them: for example, ask for fewer identifiers at once.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    detail: "The request wasn't complete in time. Send it again.",
  },
}

/**
 * Answers data that isn't HTTP, or a request that is too long or too slow, logs that and closes the connection. Gives the
 * status; null if nobody is there to be answered, or was answered before.
 */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex, log: Log): number | null {
  if (error.code === 'ECONNRESET' || !socket.writable || socket.destroyed) {
    socket.destroy()
    return null
  }
  const { status, detail } = refusals[error.code ?? ''] ?? { status: 400, detail: "This isn't valid HTTP." }
  const id = randomUUID()
  const body = JSON.stringify({ detail })
  const headers = {
    ...json,
    'X-Request-Id': id,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
  log.request({ id, method: '-', path: '-', status, ms: 0 })
  setTimeout(() => socket.destroy(), refusedMs).unref()
  return status
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): Refusal {
  if (error.code === 'EADDRINUSE') {
    return new Refusal(
      `Port ${port} of ${host} is in use. End what uses it, or choose another with --port (0: any).`,
    )
  }
  return new Refusal(`Cannot listen on ${host}, port ${port}: ${error.message}`)
}
