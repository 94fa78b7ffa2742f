import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server, Socket } from 'node:net'
import type { MadeCertificate } from '../support/main/certificates'

/** How a service treats creations. */
export interface Habits {
  /** Whether it refuses a name that it has. If not, it creates a second deployment of that name. */
  unique: boolean
  /** Whether it refuses every creation (422). */
  refuses: boolean
  /** How long a creation takes once the request was read, and then its answer, in milliseconds. */
  createMs: number
  answerMs: number
  /**
   * A gateway in front of it that sends each creation twice and returns the refusal of the second copy: its status,
   * and whether it comes before the first copy is carried out. Null for no gateway.
   */
  repeats: { status: number; early: boolean } | null
  /** Whether its answers have the header Date, and how fast its clock is, in milliseconds. */
  clock: { isShown: boolean; fastMs: number }
}

/** A service without faults or delays. */
export const quick: Habits = {
  unique: true,
  refuses: false,
  createMs: 0,
  answerMs: 0,
  repeats: null,
  clock: { isShown: true, fastMs: 0 },
}

/** A deployment of a service. `mark` is the value of the first secret of its request. */
export interface Held {
  id: string
  name: string
  mark: string | null
  document: Record<string, unknown>
}

interface SentDeployment {
  name: string
  secrets: { name: string; value: string }[]
}

/** How a service is reached: `tls` speaks HTTP/1.1, `http2` both versions. */
export type Protocol = 'plain' | 'tls' | 'http2'

/**
 * A deployment service in the tests' own process, so that they see what it did. It lists and creates deployments
 * (interface: List deployments, Create a deployment) and remembers them while it runs.
 */
export class ScriptedService {
  habits: Habits = quick
  readonly deployments: Held[] = []
  /** The marks of creations that arrived completely: the values of their first secrets. */
  readonly arrived: string[] = []

  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #working = 0
  #idle: (() => void)[] = []

  private constructor(protocol: Protocol, certificate: MadeCertificate | null) {
    const listener: RequestListener = (request, response) => void this.#serve(request, response)
    const secrets = certificate === null ? {} : { key: certificate.key, cert: certificate.pem }
    if (protocol === 'plain') this.#server = createServer(listener)
    else if (protocol === 'tls') this.#server = createTlsServer(secrets, listener)
    else this.#server = createSecureServer({ ...secrets, allowHTTP1: true }, listener as never)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      socket.on('error', () => undefined)
    })
    this.#server.on('clientError', (_error, socket: Socket) => {
      // A chunked body that can't be read never ends by itself.
      const destroy = (): void => void socket.destroy()
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n', destroy)
      else destroy()
    })
  }

  static async start(protocol: Protocol, certificate: MadeCertificate | null): Promise<ScriptedService> {
    const service = new ScriptedService(protocol, certificate)
    await new Promise<void>((resolve) => service.#server.listen(0, '127.0.0.1', resolve))
    return service
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Adds a deployment that somebody else created. */
  add(name: string, sent: Record<string, unknown>): void {
    this.deployments.push(held({ ...sent, name } as never, null, this.habits.clock.fastMs))
  }

  /** Resolves once no creation is running. */
  async idle(): Promise<void> {
    if (this.#working > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => undefined)
    const { isShown, fastMs } = this.habits.clock
    response.sendDate = false
    if (isShown) response.setHeader('date', new Date(Date.now() + fastMs).toUTCString())
    const url = new URL(request.url ?? '/', 'http://service')
    if (url.pathname !== '/v2/deployments') return answer(response, 404, { detail: 'Not found.' })
    if (request.method === 'GET') return answer(response, 200, this.#list(url.searchParams))
    if (request.method !== 'POST') return answer(response, 405, { detail: 'Method not allowed.' })
    this.#working += 1
    try {
      await this.#create(request, response)
    } finally {
      this.#working -= 1
      if (this.#working === 0) for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  #list(query: URLSearchParams): unknown {
    const wanted = query.get('name_contains') ?? ''
    const offset = Number(query.get('offset') ?? 0)
    const limit = Number(query.get('limit') ?? 20)
    const resources = this.deployments
      .filter(({ name }) => name.includes(wanted))
      .slice(offset, offset + limit)
      .map(({ document }) => document)
    return { resources, offset: offset + resources.length }
  }

  async #create(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { unique, refuses, createMs, answerMs, repeats, clock } = this.habits
    const sent = await readSent(request)
    if (sent === null) return answer(response, 400, { detail: 'The body is no deployment.' })
    const mark = sent.secrets[0]?.value ?? ''
    this.arrived.push(mark)
    const refuseCopy = (): void => answer(response, repeats?.status ?? 0, { detail: 'Refused.' })
    if (repeats?.early) refuseCopy()
    // The client may be gone by now, but the work is still done.
    await wait(createMs)
    if (refuses) return answer(response, 422, { detail: 'Refused.' })
    if (unique && this.deployments.some(({ name }) => name === sent.name)) {
      await wait(answerMs)
      return answer(response, 409, { detail: `A deployment named "${sent.name}" exists already.` })
    }
    const made = held(sent, mark, clock.fastMs)
    this.deployments.push(made)
    await wait(answerMs)
    if (repeats) return refuseCopy()
    return answer(response, 201, made.document)
  }
}

function held(sent: SentDeployment, mark: string | null, fastMs: number): Held {
  const id = randomUUID()
  const now = new Date(Date.now() + fastMs).toISOString()
  const document = {
    ...sent,
    id,
    secrets: sent.secrets.map(({ name }) => ({ name, value: '' })),
    tenant_id: '00000000-0000-4000-8000-000000000000',
    created_at: now,
    updated_at: now,
    status: 'AWAITING_DATABASE',
    latest_revision_id: randomUUID(),
    active_revision_id: null,
    image_version: null,
  }
  return { id, name: sent.name, mark, document }
}

/** The deployment of a request; null if it is invalid or incomplete. */
async function readSent(request: IncomingMessage): Promise<SentDeployment | null> {
  try {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    if (!isWhole(request.headers, body)) return null
    const sent = JSON.parse(body.toString()) as Partial<SentDeployment> | null
    const isDeployment = typeof sent?.name === 'string' && Array.isArray(sent.secrets)
    return isDeployment ? (sent as SentDeployment) : null
  } catch {
    return null
  }
}

/** HTTP/2 ends an incomplete request like a complete one. */
const isWhole = (headers: IncomingHttpHeaders, body: Buffer): boolean =>
  headers['content-length'] === undefined || Number(headers['content-length']) === body.length

function answer(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  if (response.headersSent || response.writableEnded || response.destroyed) return
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...(status === 407 ? { 'proxy-authenticate': 'Basic realm="service"' } : {}),
  })
  response.end(body)
}

const wait = (ms: number): Promise<void> =>
  ms === 0 ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, ms))
