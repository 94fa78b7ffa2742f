import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { MadeCertificate } from '../support/main/certificates'

/** The direction of bytes: to the service, or back. */
export type Direction = 'request' | 'answer'

/**
 * A fault of a connection once `at` bytes have passed in a direction:
 * - `cut`: it ends on both sides, in order (FIN) or by a reset;
 * - `hold`: nothing more passes, and it stays open until the sender gives up;
 * - `stall`: for a time nothing more is read, so that a large sender has to wait; then as with `hold`;
 * - `delay`: the rest waits;
 * - `corrupt`: the next byte arrives with the bits of `flip` inverted;
 * - `repeat`: the last `bytes` bytes arrive twice;
 * - `reorder`: the next `bytes` bytes are swapped with as many after them;
 * - `reply`: the client gets `text` instead of the service's answer, and the connection ends.
 */
type PositionedFault = { direction: Direction; at: number } & (
  | { kind: 'cut'; how: 'fin' | 'rst' }
  | { kind: 'hold' }
  | { kind: 'stall'; ms: number }
  | { kind: 'delay'; ms: number }
  | { kind: 'corrupt'; flip: number }
  | { kind: 'repeat'; bytes: number }
  | { kind: 'reorder'; bytes: number }
  | { kind: 'reply'; text: string }
)

/**
 * A fault of a connection. `replay` is a gateway that sends the whole request a second time once the service answers,
 * and returns the first or the second answer.
 */
export type Fault = PositionedFault | { kind: 'replay'; answer: 'first' | 'second' }

/** A client's connection, as far as it is known when its faults are chosen. */
interface Opened {
  /** How many connections were opened before it. */
  number: number
  /** The first bytes from the client. They say nothing if TLS isn't ended here. */
  head: string
}

/** Chooses the faults of a connection. */
export type Plan = (opened: Opened) => readonly Fault[]

const none: Plan = () => []

/** How long bytes wait for those that they are swapped with, in milliseconds. */
const reorderPatienceMs = 100

/**
 * A faulty network between a client and a service: it passes bytes on with the chosen faults. It doesn't interpret
 * them, so it works for HTTP and TLS. With a certificate it ends TLS, and the faults hit the content.
 */
export class FaultProxy {
  /** The faults of the connections from now on. */
  plan: Plan = none
  /** Whether each connection is reset as soon as it is opened. */
  out = false
  /** Called when a fault happens. */
  onFault: (fault: Fault) => void = () => undefined
  /** How many faults happened. */
  faults = 0
  /** How many connections began with a POST. */
  posts = 0
  /** How many bytes passed on the last connection. */
  passed: Record<Direction, number> = { request: 0, answer: 0 }

  /** How many connections were opened. */
  opened = 0

  readonly #servicePort: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(servicePort: number, certificate: MadeCertificate | null) {
    this.#servicePort = servicePort
    const serve = (socket: Socket): void => void this.#serve(socket)
    this.#server =
      certificate === null
        ? createServer({ allowHalfOpen: true }, serve)
        : createTlsServer({ key: certificate.key, cert: certificate.pem, allowHalfOpen: true }, serve)
    this.#server.on('connection', (socket: Socket) => this.#keep(socket))
    // A client that ends during the handshake is a fault of TLS, not of the proxy.
    this.#server.on('tlsClientError', () => undefined)
  }

  /** Starts one in front of a port of this machine. With `certificate`, it ends TLS. */
  static async start(servicePort: number, certificate: MadeCertificate | null = null): Promise<FaultProxy> {
    const proxy = new FaultProxy(servicePort, certificate)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends all connections and accepts no more. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    // Connections may end in any way here.
    socket.on('error', () => undefined)
  }

  async #serve(client: Socket): Promise<void> {
    this.#keep(client)
    if (this.out) {
      this.#note({ kind: 'cut', how: 'rst', direction: 'request', at: 0 })
      return reset(client)
    }
    const number = this.opened
    this.opened += 1
    const incoming = chunksOf(client)
    const first = await incoming.next()
    if (first.done) return void client.destroy()
    const head = first.value.toString('latin1')
    if (head.startsWith('POST ')) this.posts += 1
    const faults = this.plan({ number, head })
    const service = this.#connect()
    this.passed = { request: 0, answer: 0 }
    const link: Link = { client, service, passed: this.passed, note: (fault) => this.#note(fault) }
    const sent: Buffer[] = []
    const request = record(prepend(first.value, incoming), sent)
    const replay = faults.find((fault) => fault.kind === 'replay')
    const answers = replay ? this.#replayed(replay, client, service, sent) : chunksOf(service)
    void pass(link, 'request', request, faults)
    void pass(link, 'answer', answers, faults)
  }

  /** The answers of a service that gets the request twice. */
  async *#replayed(
    fault: Extract<Fault, { kind: 'replay' }>,
    client: Socket,
    service: Socket,
    sent: readonly Buffer[],
  ): AsyncGenerator<Buffer, void> {
    const answers = chunksOf(service)
    const first = await answers.next()
    const again = this.#connect()
    again.write(Buffer.concat(sent))
    // What was sent so far may be incomplete, and the service would wait for the rest. After a fault that ends the
    // connection, nobody reads the client's own end.
    for (const event of ['end', 'finish', 'close']) client.once(event, () => again.destroy())
    if (client.readableEnded || client.writableEnded || client.destroyed) again.destroy()
    const others = chunksOf(again)
    const other = await others.next()
    this.#note(fault)
    const [begun, rest] = fault.answer === 'first' ? [first, answers] : [other, others]
    if (begun.done) return
    yield begun.value
    yield* rest
  }

  #connect(): Socket {
    const service = connect({ port: this.#servicePort, host: '127.0.0.1', allowHalfOpen: true })
    this.#keep(service)
    return service
  }

  #note(fault: Fault): void {
    this.faults += 1
    this.onFault(fault)
  }
}

/** The two ends of a connection. */
interface Link {
  client: Socket
  service: Socket
  passed: Record<Direction, number>
  note: (fault: Fault) => void
}

/** Passes bytes on, with the faults of this direction. */
async function pass(
  link: Link,
  direction: Direction,
  source: AsyncGenerator<Buffer, void>,
  planned: readonly Fault[],
): Promise<void> {
  const target = direction === 'request' ? link.service : link.client
  const faults = planned
    .filter((fault): fault is PositionedFault => fault.kind !== 'replay' && fault.direction === direction)
    .sort((one, other) => one.at - other.at)
  const reader = new Reader(source)
  const history: Buffer[] = []
  const forward = async (bytes: Buffer): Promise<void> => {
    link.passed[direction] += bytes.length
    history.push(bytes)
    await write(target, bytes)
  }
  for (const fault of faults) {
    while (link.passed[direction] < fault.at) {
      const bytes = await reader.atMost(fault.at - link.passed[direction])
      if (bytes === null) return void target.end()
      await forward(bytes)
    }
    if (!(await happen(fault, link, reader, forward, history))) return
  }
  for (let bytes = await reader.atMost(Infinity); bytes !== null; bytes = await reader.atMost(Infinity))
    await forward(bytes)
  target.end()
}

/** Makes a fault happen; false if nothing passes after it. */
async function happen(
  fault: PositionedFault,
  { client, service, note }: Link,
  reader: Reader,
  forward: (bytes: Buffer) => Promise<void>,
  history: readonly Buffer[],
): Promise<boolean> {
  switch (fault.kind) {
    case 'cut':
      note(fault)
      for (const socket of [client, service]) {
        if (fault.how === 'rst') reset(socket)
        else socket.end()
      }
      return false
    case 'hold':
    case 'stall':
      note(fault)
      if (fault.kind === 'stall') await new Promise((resolve) => setTimeout(resolve, fault.ms))
      // Until the sender gives up.
      while ((await reader.atMost(Infinity)) !== null);
      for (const socket of [client, service]) socket.end()
      return false
    case 'reply':
      note(fault)
      client.end(fault.text)
      service.end()
      return false
    case 'delay':
      note(fault)
      await new Promise((resolve) => setTimeout(resolve, fault.ms))
      return true
    case 'corrupt': {
      const byte = await reader.atMost(1)
      if (byte === null) return true
      note(fault)
      await forward(Buffer.of(byte[0]! ^ fault.flip))
      return true
    }
    case 'repeat': {
      const again = Buffer.concat(history).subarray(-fault.bytes)
      if (fault.bytes === 0 || again.length === 0) return true
      note(fault)
      await forward(Buffer.from(again))
      return true
    }
    case 'reorder': {
      const one = await reader.exactly(fault.bytes, reorderPatienceMs)
      const other = await reader.exactly(fault.bytes, reorderPatienceMs)
      if (other.length > 0) note(fault)
      await forward(Buffer.concat([other, one]))
      return true
    }
  }
}

/** Reads chunks in pieces of any size. */
class Reader {
  readonly #source: AsyncGenerator<Buffer, void>
  #rest = Buffer.alloc(0)
  #next: Promise<IteratorResult<Buffer, void>> | null = null

  constructor(source: AsyncGenerator<Buffer, void>) {
    this.#source = source
  }

  /** The next bytes, up to this many; null at the end. */
  async atMost(count: number): Promise<Buffer | null> {
    if (this.#rest.length === 0) {
      this.#next ??= this.#source.next()
      const next = await this.#next
      if (next.done) return null
      this.#next = null
      this.#rest = Buffer.from(next.value)
    }
    const bytes = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(bytes.length)
    return bytes
  }

  /** Exactly this many bytes, or fewer if no more arrive within `timeoutMs` milliseconds. */
  async exactly(count: number, timeoutMs: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for (let missing = count; missing > 0;) {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<'late'>((resolve) => (timer = setTimeout(resolve, timeoutMs, 'late')))
      if (this.#rest.length === 0) {
        this.#next ??= this.#source.next()
        const come = await Promise.race([this.#next, late])
        clearTimeout(timer)
        if (come === 'late') break
      } else clearTimeout(timer)
      const bytes = await this.atMost(missing)
      if (bytes === null) break
      parts.push(bytes)
      missing -= bytes.length
    }
    return Buffer.concat(parts)
  }
}

/** The data that a socket receives. It ends with the connection, however that ends. */
async function* chunksOf(socket: Socket): AsyncGenerator<Buffer, void> {
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } catch {
    // A reset is an end as well.
  }
}

async function* prepend(first: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield first
  yield* rest
}

async function* record(source: AsyncGenerator<Buffer, void>, into: Buffer[]): AsyncGenerator<Buffer, void> {
  for await (const chunk of source) {
    into.push(chunk)
    yield chunk
  }
}

function write(target: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    // A socket that has ended accepts nothing more. The sender notices that from its own end.
    if (target.writable) target.write(bytes, () => resolve())
    else resolve()
  })
}

function reset(socket: Socket): void {
  // TLS itself has no reset, but its connection does.
  const raw = (socket as Socket & { _parent?: Socket })._parent ?? socket
  raw.resetAndDestroy()
  socket.destroy()
}
