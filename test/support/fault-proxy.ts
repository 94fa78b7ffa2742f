import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { MadeCertificate } from './certificates'

/** Which way bytes go: to the service, or back. */
export type Direction = 'request' | 'answer'

/**
 * What goes wrong on a connection once `at` bytes have passed in a direction:
 * - `cut`: it ends towards both sides, in order (FIN) or by a reset;
 * - `hold`: nothing more passes, and it stays open until whoever sends gives up;
 * - `stall`: for a time nothing more is even read, so that whoever sends much can't go on; then as with `hold`;
 * - `delay`: what follows waits;
 * - `corrupt`: the next byte arrives with the bits of `flip` turned over;
 * - `repeat`: the last `bytes` bytes arrive twice;
 * - `reorder`: the next `bytes` bytes change places with as many after them;
 * - `reply`: the client gets `text` instead of what the service says, and the connection ends.
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
 * and passes on the first or the second answer.
 */
export type Fault = PositionedFault | { kind: 'replay'; answer: 'first' | 'second' }

/** A connection of a client, as far as it is known when its faults are chosen. */
interface Opened {
  /** How many were opened before it. */
  number: number
  /** The first bytes that the client sent; of TLS that is not ended here, bytes that say nothing. */
  head: string
}

/** Chooses the faults of a connection. */
export type Plan = (opened: Opened) => readonly Fault[]

const none: Plan = () => []

/** How long bytes wait for those with which they are to change places, in milliseconds. */
const reorderPatienceMs = 100

/**
 * Stands between a client and a service as the network does: it passes bytes on, and spoils what it is told to. It knows
 * nothing of what passes, so that it serves HTTP and TLS alike; with a certificate it ends TLS, and the faults hit what
 * was inside.
 */
export class FaultProxy {
  /** The faults of the connections that are opened from now on. */
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
    // A client that ends in the handshake, which is a fault of TLS and none of the proxy's.
    this.#server.on('tlsClientError', () => undefined)
  }

  /** Starts one in front of a port of this machine; `certificate` is for one that ends TLS. */
  static async start(servicePort: number, certificate: MadeCertificate | null = null): Promise<FaultProxy> {
    const proxy = new FaultProxy(servicePort, certificate)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends every connection, and lets none in any more. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('close', () => this.#sockets.delete(socket))
    // Every way in which a connection ends is one that is tried here.
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
    // What was sent so far may not be whole: the service would wait for the rest.
    for (const event of ['end', 'close']) client.once(event, () => again.destroy())
    if (client.readableEnded || client.destroyed) again.destroy()
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

/** Passes on what comes, with the faults of this direction. */
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

/** Lets a fault happen where it is reached; false where nothing passes after it. */
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
      // Until whoever sends gives up.
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

/** Reads chunks in pieces of the size that is asked for. */
class Reader {
  readonly #source: AsyncGenerator<Buffer, void>
  #rest = Buffer.alloc(0)
  #next: Promise<IteratorResult<Buffer, void>> | null = null

  constructor(source: AsyncGenerator<Buffer, void>) {
    this.#source = source
  }

  /** The next bytes, at most so many; null at the end. */
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

  /** So many bytes; fewer where no more come within `timeoutMs` milliseconds. */
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

/** What a socket receives; it ends where the connection does, in whatever way. */
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
    // One that has ended takes no more; whoever sends on the other side learns it from its own end.
    if (target.writable) target.write(bytes, () => resolve())
    else resolve()
  })
}

function reset(socket: Socket): void {
  // TLS has no reset of its own: its connection has.
  const raw = (socket as Socket & { _parent?: Socket })._parent ?? socket
  raw.resetAndDestroy()
  socket.destroy()
}
