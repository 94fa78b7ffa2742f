import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** A request as it arrived. `connection` counts the connections, from 1 on. */
export interface Arrived {
  connection: number
  method: string
  url: string
  headers: IncomingMessage['headers']
}

type Answer = (request: IncomingMessage, response: ServerResponse, service: HostileService) => void

const json = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value))
  }
}

const page = { resources: [], offset: 0 }

/** The ways in which the service behaves. */
const answers = {
  good: json(200, page),
  'slow-headers': () => undefined,
  'slow-body': (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 500)
    response.once('close', () => clearInterval(drip))
  },
  endless: (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const pour = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20, ' ')));
    }
    response.on('drain', pour)
    pour()
  },
  bomb: (_request, response) => {
    const packed = gzipSync(Buffer.alloc(64 << 20, ' '))
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(packed)
  },
  'other-origin': (_request, response, { elsewhere }) => {
    response.writeHead(302, { Location: `${elsewhere}/login?token=abc` }).end()
  },
  'same-origin': (request, response, service) => {
    if (request.url === '/there') return answers.good(request, response, service)
    response.writeHead(307, { Location: '/there' }).end()
  },
  circle: (request, response) => response.writeHead(302, { Location: request.url }).end(),
  'redirect-to-file': (_request, response) =>
    response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  'redirect-nowhere': (_request, response) => response.writeHead(302).end(),
  'web-page': (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Sign in</title>')
  },
  'status-400': json(400, { detail: 'a rule' }),
  'status-401': (request, response, service) => {
    const key = String(request.headers['x-api-key'])
    const challenge = { 'WWW-Authenticate': 'Basic realm="x"' }
    json(401, { detail: `Not this key: ${key}` }, challenge)(request, response, service)
  },
  'status-403': json(403, { detail: 'This operation requires workspace specification' }),
  'status-404': (_request, response) =>
    response.writeHead(404, { 'Content-Type': 'text/plain' }).end('nothing here'),
  'status-409': json(409, { message: 'taken' }),
  'status-422': json(422, { detail: [{ loc: ['query', 'limit'], msg: 'too large' }] }),
  'status-429': json(429, {}, { 'Retry-After': '3600' }),
  'status-500': (_request, response) => response.writeHead(500).end(),
  'status-503': json(503, { error: { message: 'busy' } }),
  reset: (request) => request.socket.resetAndDestroy(),
  closed: (request) => request.socket.destroy(),
  'cut-off': (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
    response.write('{"resources": [', () => response.socket?.destroy())
  },
  truncated: (_request, response) => response.writeHead(200).end('{"resources": ['),
  empty: (_request, response) => response.writeHead(200).end(),
  'no-http': (request) => request.socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
} satisfies Record<string, Answer>

export type Behaviour = keyof typeof answers

/** A deployment service that behaves as it is told, for good or bad, and an origin beside it. */
export class HostileService {
  /** What it does with the next requests. */
  behaviour: Behaviour = 'good'
  readonly arrived: Arrived[] = []
  /** How many requests came to the other origin: there should be none. */
  strangers = 0
  readonly #connections = new WeakMap<object, number>()
  #count = 0
  readonly #server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    this.arrived.push({ connection: this.#connections.get(request.socket) ?? 0, method, url, headers })
    const answer: Answer = answers[this.behaviour]
    request.resume().once('end', () => answer(request, response, this))
  })
  readonly #other = createServer((_request, response) => {
    this.strangers += 1
    json(200, page)(_request, response, this)
  })

  static async start(): Promise<HostileService> {
    const service = new HostileService()
    service.#server.keepAliveTimeout = 60_000
    service.#server.on('connection', (socket) => {
      service.#count += 1
      service.#connections.set(socket, service.#count)
    })
    for (const server of [service.#server, service.#other]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    }
    return service
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get elsewhere(): string {
    return `http://127.0.0.1:${(this.#other.address() as AddressInfo).port}`
  }

  close(): void {
    for (const server of [this.#server, this.#other]) {
      server.close()
      server.closeAllConnections()
    }
  }
}
