import type { AddressInfo, Socket } from 'node:net'
import { createServer, type Server } from 'node:tls'
import type { CreateRequest } from '@contract'
import type { MadeCertificate } from '../support/main/certificates'

/**
 * How a service says that it didn't process a request (RFC 9113, 8.7): by ending the stream with REFUSED_STREAM, by
 * GOAWAY with an earlier last stream, or by GOAWAY while it stops listening, as during a shutdown.
 */
export type Unwillingness = 'refused-stream' | 'goaway' | 'shutdown'

const frameTypes = { data: 0, headers: 1, resetStream: 3, settings: 4, goAway: 7 } as const
const endStream = 0x1
const endHeaders = 0x4
const acknowledged = 0x1
const refusedStream = 7
/** `:status: 200` in HPACK's static table (RFC 7541, appendix A). */
const status200 = Buffer.from([0x88])
const prefaceLength = 24
const headerLength = 9

/**
 * An HTTP/2 service that carries out every creation but says that it didn't process it. Node's own server can't do
 * that with GOAWAY, so this one writes frames itself. Lists show what it has.
 */
export class UnwillingHttp2 {
  /** The names of creations that arrived completely. */
  readonly posts: string[] = []
  /** How many connections were made. */
  connections = 0
  readonly #made: object[] = []
  readonly #sockets = new Set<Socket>()
  readonly #server: Server

  private constructor(
    private readonly how: Unwillingness,
    { key, pem }: MadeCertificate,
  ) {
    this.#server = createServer({ key, cert: pem, ALPNProtocols: ['h2'] }, (socket) => this.#serve(socket))
    this.#server.on('tlsClientError', () => undefined)
  }

  static async start(how: Unwillingness, certificate: MadeCertificate): Promise<UnwillingHttp2> {
    const service = new UnwillingHttp2(how, certificate)
    await service.listen(0)
    return service
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve))
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    this.connections += 1
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
    socket.write(frame(frameTypes.settings, 0, 0))
    const bodies = new Map<number, Buffer>()
    let isBegun = false
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes])
      if (!isBegun && rest.length < prefaceLength) return
      if (!isBegun) rest = rest.subarray(prefaceLength)
      isBegun = true
      while (rest.length >= headerLength && rest.length >= headerLength + rest.readUIntBE(0, 3)) {
        const length = headerLength + rest.readUIntBE(0, 3)
        const [type, flags, stream] = [rest[3]!, rest[4]!, rest.readUInt32BE(5)]
        const payload = rest.subarray(headerLength, length)
        rest = rest.subarray(length)
        if (type === frameTypes.settings && !(flags & acknowledged))
          socket.write(frame(frameTypes.settings, acknowledged, 0))
        if (type === frameTypes.data)
          bodies.set(stream, Buffer.concat([bodies.get(stream) ?? Buffer.alloc(0), payload]))
        if ((type === frameTypes.data || type === frameTypes.headers) && flags & endStream)
          this.#answer(socket, stream, bodies.get(stream))
      }
    })
  }

  /** Answers a request. One with a body creates. */
  #answer(socket: Socket, stream: number, body: Buffer | undefined): void {
    if (!body) {
      const page = Buffer.from(JSON.stringify({ resources: this.#made, offset: this.#made.length }))
      socket.write(frame(frameTypes.headers, endHeaders, stream, status200))
      socket.write(frame(frameTypes.data, endStream, stream, page))
      return
    }
    const request = JSON.parse(body.toString()) as CreateRequest
    this.posts.push(request.name)
    const created_at = new Date().toISOString()
    this.#made.push({ ...request, id: `d${this.posts.length}`, created_at, status: 'READY' })
    if (this.how === 'refused-stream') {
      socket.write(frame(frameTypes.resetStream, 0, stream, number(refusedStream)))
      return
    }
    if (this.how === 'shutdown') this.#server.close()
    socket.end(frame(frameTypes.goAway, 0, 0, Buffer.concat([number(0), number(0)])))
  }
}

function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(headerLength)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(stream, 5)
  return Buffer.concat([header, payload])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
