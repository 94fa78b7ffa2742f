import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Where the answer to a creation is lost: before the service read the request, or after it committed. */
type LosingPoint = 'before' | 'after'

interface Forwarded {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** A proxy in front of a deployment service that loses the answers to creations. */
export class LosingProxy {
  /** Where it loses the answer to the next creation. Applies once. */
  losing: LosingPoint | null = null
  /**
   * Whether it keeps the connection open at that point instead of breaking it, so that the application can be killed
   * there.
   */
  holding = false
  /** Changes the body of a creation on its way, as a service may change what it gets. */
  rewrite: (body: string) => string = (body) => body
  /** Whether it sends each creation twice, as a gateway may, and returns the second answer. */
  repeating = false
  /** The status of its answer to the next creation instead of the service's, which doesn't get the request. */
  refusing: number | null = null
  /** A name whose deployments are all listed twice, as by a service that carried out a creation twice. */
  doubling: string | null = null
  /** The added deployments by identifier, with the originals that they duplicate. */
  readonly #doubles = new Map<string, string>()
  /** The names that the list was filtered by. */
  readonly lookups: string[] = []
  /** How many creations have arrived. */
  creations = 0
  /** Called with the body of the creation at the losing point. */
  onLost: (sent: string) => void = () => undefined

  readonly #service: string
  readonly #server = createServer((incoming, response) => {
    // The service ends with the test, perhaps during a request.
    this.#answer(incoming, response).catch(() => response.destroy())
  })

  private constructor(service: string) {
    this.#service = service
  }

  /** `service` is the base URL of the service behind it. */
  static async start(service: string): Promise<LosingProxy> {
    const proxy = new LosingProxy(service)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Holds the next creation's connection once the service has committed. Resolves then. */
  holdAfterCommit(): Promise<void> {
    this.losing = 'after'
    this.holding = true
    return new Promise((resolve) => {
      this.onLost = () => resolve()
    })
  }

  /** Creates what the application was about to create, with another secret and without the application. */
  async createAsColleague(sent: string, secretName: string): Promise<void> {
    const body = { ...(JSON.parse(sent) as object), secrets: [{ name: secretName, value: 'theirs' }] }
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${this.#service}/v2/deployments`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`The colleague got ${answer.status}: ${await answer.text()}`)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const isCreation = incoming.method === 'POST'
    const point = isCreation ? this.losing : null
    const { holding } = this
    const lose = (sent: Buffer): void => {
      this.losing = null
      this.holding = false
      if (!holding) incoming.socket.destroy()
      this.onLost(sent.toString())
    }
    if (isCreation) this.creations += 1
    const read = await readAll(incoming)
    const sent = isCreation ? Buffer.from(this.rewrite(read.toString())) : read
    if (point === 'before') return lose(sent)
    const name = new URL(incoming.url ?? '', this.url).searchParams.get('name_contains')
    if (name !== null) this.lookups.push(name)
    if (isCreation && this.refusing) {
      const status = this.refusing
      this.refusing = null
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"detail": "Not like this."}')
      return
    }
    if (isCreation && this.repeating) await this.#forward(incoming, sent)
    const { status, headers, body } =
      this.doubling === null || isCreation
        ? await this.#forward(incoming, sent)
        : await this.#list(incoming, this.doubling)
    if (point === 'after') return lose(sent)
    response.writeHead(status, headers).end(body)
  }

  /** The service's list with the duplicates of a name, or the one duplicate that is requested. */
  async #list(incoming: IncomingMessage, name: string): Promise<Forwarded> {
    const url = new URL(incoming.url ?? '', this.url)
    const double = url.searchParams.get('deployment_ids') ?? ''
    const original = this.#doubles.get(double)
    if (original !== undefined) url.searchParams.set('deployment_ids', original)
    const listed = await this.#forward(incoming, Buffer.alloc(0), url.pathname + url.search)
    const page = JSON.parse(listed.body.toString()) as { resources: { id: string; name: string }[] }
    page.resources = page.resources.flatMap((one) => {
      if (one.name !== name) return [one]
      if (original !== undefined) return [{ ...one, id: double }]
      const id = `double-of-${one.id}`
      this.#doubles.set(id, one.id)
      return [one, { ...one, id }]
    })
    const { 'content-length': _length, ...headers } = listed.headers
    return { ...listed, headers, body: Buffer.from(JSON.stringify(page)) }
  }

  async #forward(incoming: IncomingMessage, body: Buffer, path = incoming.url): Promise<Forwarded> {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { host: _host, 'content-length': _length, ...headers } = incoming.headers
      request(this.#service + path, { method: incoming.method, headers }, resolve)
        .once('error', reject)
        .end(body)
    })
    return { status: answer.statusCode ?? 502, headers: answer.headers, body: await readAll(answer) }
  }
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}
