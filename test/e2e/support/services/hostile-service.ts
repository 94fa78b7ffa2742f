import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { anyDeployment } from './stub-service'

type Answer = (request: IncomingMessage, response: ServerResponse, service: HostileService) => void

const json = (status: number, value: unknown, headers: Record<string, string> = {}): Answer => {
  return (_request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value))
  }
}

const pageOf = (...resources: unknown[]): object => ({ resources, offset: resources.length })

const twenty = Array.from({ length: 20 }, (_, index) => anyDeployment(index + 1))

const manyFields = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field_${index}`, index]))

/** Writes raw bytes that Node's own server wouldn't, and ends the connection. */
const raw =
  (text: string, end: 'close' | 'reset'): Answer =>
  (request) => {
    const { socket } = request
    socket.write(text, () => (end === 'reset' ? socket.resetAndDestroy() : socket.end()))
  }

/** The behaviours of the service. */
const answers = {
  endless: (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' })
    const pour = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(1 << 20, ' ')));
    }
    response.on('drain', pour)
    pour()
  },
  'other-origin': (_request, response, { elsewhere }) => {
    response.writeHead(302, { Location: `${elsewhere}/login?token=abc` }).end()
  },
  circle: (request, response) => response.writeHead(302, { Location: request.url }).end(),
  'redirect-to-file': (_request, response) =>
    response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
  'web-page': (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>Sign in</title>')
  },
  'status-401': (request, response, service) => {
    const key = String(request.headers['x-api-key'])
    const challenge = { 'WWW-Authenticate': 'Basic realm="x"' }
    json(401, { detail: `Not this key: ${key}` }, challenge)(request, response, service)
  },
  'status-422': json(422, { detail: [{ loc: ['query', 'limit'], msg: 'too large' }] }),
  'status-429': json(429, {}, { 'Retry-After': '3600' }),
  'status-503': json(503, { error: { message: 'busy' } }),
  truncated: (_request, response) => response.writeHead(200).end('{"resources": ['),
  empty: (_request, response) => response.writeHead(200).end(),
  'one-deployment': json(200, pageOf(anyDeployment(1))),
  'wrong-types': json(200, { resources: { '0': anyDeployment(1) }, offset: 'one' }),
  'wrong-item-types': json(200, pageOf(anyDeployment(1), null, 7, 'text', [], { id: 1, name: {} })),
  'length-too-short': raw(
    `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n${JSON.stringify(pageOf(anyDeployment(1)))}`,
    'close',
  ),
  'reset-in-body': raw('HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"resources"', 'reset'),
  'bad-chunks': raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n', 'close'),
  'duplicate-ids': json(200, pageOf(anyDeployment(1), { ...anyDeployment(1), name: 'its-double' })),
  'offset-stays': json(200, { ...pageOf(...twenty), offset: 0 }),
  'unknown-values': json(
    200,
    pageOf({ ...anyDeployment(1), status: 'DREAMING', source: 'telepathy', created_at: 'yesterday' }),
  ),
  'many-fields': json(200, pageOf({ ...anyDeployment(1), ...manyFields, source_config: manyFields })),
  deep: (_request, response) => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    response.writeHead(200).end(`{"resources": [], "offset": 0, "deep": ${deep}}`)
  },
} satisfies Record<string, Answer>

export type Behaviour = keyof typeof answers

/** A deployment service that behaves well or badly, as a test says, with a second origin. */
export class HostileService {
  /** The behaviour for the next requests. */
  behaviour: Behaviour = 'one-deployment'
  /** How many requests came to the other origin. There should be none. */
  strangers = 0
  readonly #server = createServer((request, response) => {
    const answer: Answer = answers[this.behaviour]
    request.resume().once('end', () => answer(request, response, this))
  })
  readonly #other = createServer((_request, response) => {
    this.strangers += 1
    json(200, pageOf())(_request, response, this)
  })

  static async start(): Promise<HostileService> {
    const service = new HostileService()
    service.#server.keepAliveTimeout = 60_000
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
