import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createTlsServer, Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { limits } from '../base/limits'
import type { Log } from '../base/log'
import { hostInUrl } from '../base/loopback'
import { Refusal } from '../base/refusal'
import { isUpload } from '../base/uploads-path'
import { allowOrigin } from './cors'
import { drainOf } from './connections/drain'
import type { Metrics } from './metrics'
import { afterAnswers, limitPipelining, unfinishedOn } from './connections/pipelining'
import type { Network } from './types'
import { identify, logRequest, noteWritten } from './request-log'
import { limitSending } from './connections/sending-time'
import { followTls, readTls } from './connections/tls'

/** How long an idle connection stays open, in milliseconds: longer than in clients, so that they close it first. */
const keepAliveTimeout = 65_000

/** How long a client may take to read a refusal and close its side, in milliseconds. Some never do. */
const refusedMs = 1_000

/** How often the server checks for clients that took too long, in milliseconds. */
const connectionsCheckingInterval = 5_000

/** A server that is listening. */
export interface ListeningServer {
  url: string
  /** Reads the certificate again, if it has one. */
  reload(): void
  /** Accepts no new connections, lets running requests finish for a bounded time, then closes all connections. */
  close(): Promise<void>
}

/** Where to listen, and how requests are logged and counted. */
export interface ServerOptions extends Pick<Network, 'host' | 'basePath' | 'corsOrigins' | 'tls'> {
  /** 0 for any free one. */
  port: number
  log: Log
  /** Null for no metrics. */
  metrics: Metrics | null
  /** How long a client may take to send a request, in milliseconds. Uploads have a limit of their own. */
  requestMs?: number
}

/** Serves `app`. Throws a Refusal if it can't listen. */
export function listen(app: OpenAPIHono, options: ServerOptions): Promise<ListeningServer> {
  const { host, port, basePath, corsOrigins, tls, log, metrics, requestMs = limits.requestMs } = options
  const answerBroken = answerBrokenHttp({ log, metrics, requestMs })
  const answer = getRequestListener(app.fetch, { hostname: hostInUrl(host), errorHandler: answerUnreadable })
  const settings = {
    keepAliveTimeout,
    headersTimeout: requestMs,
    requestTimeout: limits.uploadMs,
    connectionsCheckingInterval,
    maxHeaderSize: limits.headerBytes,
    // Node would answer without a body.
    requireHostHeader: false,
  }
  const serve: RequestListener = (request, response) => {
    if (!limitPipelining(request, response)) return
    note(request, response)
    if (!isUpload(request.url!, basePath)) {
      limitSending(request, requestMs, () => answerBroken({ code: requestTimeout }, request.socket))
    }
    const hosts = countHosts(request)
    if (hosts > 1) refuse(response, 400, 'The header Host is there more than once.')
    else if (hosts === 0 && request.httpVersion === '1.1')
      refuse(response, 400, 'The header Host is missing.')
    else if (isForAnother(request))
      refuse(response, 400, 'The address has another host than the header Host.')
    else void answer(request, response)
  }
  const server =
    tls === null
      ? createServer(settings, serve)
      : createTlsServer({ ...settings, handshakeTimeout: requestMs, ...readTls(tls) }, serve)
  const followed = tls !== null && server instanceof TlsServer ? followTls(server, tls, log) : null
  const drain = drainOf(server)

  function note(request: IncomingMessage, response: ServerResponse): void {
    logRequest(log, identify(request, response), request, response)
    allowOrigin(request, response, corsOrigins)
    metrics?.observe(request, response)
    drain.watch(request, response)
  }

  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    note(request, response)
    refuse(response, 417, 'The header Expect asks for something else than 100-continue.')
  })
  const broken = new WeakSet<Duplex>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Further data after the first error causes errors too.
    if (broken.has(socket)) return
    broken.add(socket)
    if (socket.writable) afterAnswers(socket, () => answerBroken(error, socket))
    else answerBroken(error, socket)
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(error, host, port)))
    server.listen(port, host, () => {
      const { port: chosen } = server.address() as AddressInfo
      const scheme = tls === null ? 'http' : 'https'
      resolve({
        url: `${scheme}://${hostInUrl(host)}:${chosen}${basePath}`,
        reload: () => followed?.reload(),
        close() {
          followed?.stop()
          return drain.close()
        },
      })
    })
  })
}

/** How many headers Host a request has: HTTP/1.1 requires one, and no version allows more (RFC 9112, 3.2). */
function countHosts({ rawHeaders }: IncomingMessage): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && /^host$/i.test(text)).length
}

/**
 * Whether an address is a whole URL, as proxies get them, with another host than the header. Only the header is
 * checked.
 */
function isForAnother({ url, headers }: IncomingMessage): boolean {
  const host = /^[a-z]+:\/\/([^/?#]*)/i.exec(url!)?.[1]
  return host !== undefined && host.toLowerCase() !== headers.host?.toLowerCase()
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

/** Node's error code for a request that isn't complete in time. */
const requestTimeout = 'ERR_HTTP_REQUEST_TIMEOUT'

/**
 * Answers data that isn't HTTP, or a request that is too long or too slow. Logs and counts it, and closes the
 * connection. If the head of the request was read, an allowed page may read the answer. Otherwise, it isn't known which
 * page sent it.
 */
function answerBrokenHttp({
  log,
  metrics,
  requestMs,
}: Required<Pick<ServerOptions, 'log' | 'metrics' | 'requestMs'>>) {
  /** The answers to Node's errors about a connection. */
  const refusals: Record<string, { status: number; detail: string }> = {
    HPE_HEADER_OVERFLOW: {
      status: 431,
      detail:
        `The address and headers are longer than ${limits.headerBytes / 1024} KiB together. ` +
        'Shorten them: for example, ask for fewer identifiers at once.',
    },
    [requestTimeout]: {
      status: 408,
      detail: `The request wasn't complete within ${requestMs / 1000} s. Send it again.`,
    },
  }
  return (error: Pick<NodeJS.ErrnoException, 'code'>, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const { status, detail } = refusals[error.code ?? ''] ?? { status: 400, detail: "This isn't valid HTTP." }
    const response = unfinishedOn(socket)
    const id = randomUUID()
    const body = JSON.stringify({ detail })
    const headers = {
      ...json,
      'x-request-id': id,
      // What any answer to the request has.
      ...response?.getHeaders(),
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'))
    if (response !== undefined) noteWritten(response, status)
    else {
      log.request({ id, method: '-', path: '-', status, ms: 0 })
      metrics?.countUnread(status)
    }
    setTimeout(() => socket.destroy(), refusedMs).unref()
  }
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number): Refusal {
  if (error.code === 'EADDRINUSE') {
    return new Refusal(
      `Port ${port} of ${host} is in use. End what uses it, or choose another with --port (0: any).`,
    )
  }
  return new Refusal(`Cannot listen on ${host}, port ${port}: ${error.message}`)
}
