import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  createServer,
  request as ask,
} from 'node:http'
import { type Server as TlsServer, createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import type { MadeCertificate } from '../main/certificates'

/**
 * A deployment service that lists no deployments and records requests. With a certificate, which can be changed while
 * it runs, it speaks TLS. As a proxy for plain HTTP, it answers everything itself.
 */
export class RecordingService {
  /** The requests, as "METHOD PATH". */
  readonly arrived: string[] = []
  /** Their headers. */
  readonly headers: IncomingHttpHeaders[] = []
  /** Their bodies, as text. */
  readonly bodies: string[] = []
  private readonly server: Server | TlsServer

  private constructor(certificate: MadeCertificate | undefined, requestCert: boolean) {
    const answer: RequestListener = (request, response) => {
      this.arrived.push(`${request.method} ${request.url?.split('?')[0]}`)
      const index = this.headers.push(request.headers) - 1
      this.bodies[index] = ''
      request.setEncoding('utf8')
      request.on('data', (text: string) => (this.bodies[index] += text))
      request.on('end', () => {
        response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"resources":[],"offset":0}')
      })
    }
    this.server = certificate
      ? createTlsServer({ ...contextOf(certificate), requestCert, rejectUnauthorized: false }, answer)
      : createServer(answer)
  }

  /** `asksForClientCertificate` needs TLS. A client without a certificate isn't refused. */
  static async start(
    certificate?: MadeCertificate,
    asksForClientCertificate = false,
    address = '127.0.0.1',
  ): Promise<RecordingService> {
    const service = new RecordingService(certificate, asksForClientCertificate)
    await new Promise<void>((resolve) => service.server.listen(0, address, resolve))
    return service
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** Shows another certificate from now on. */
  use(certificate: MadeCertificate): void {
    if (!('setSecureContext' in this.server)) throw new Error('It does not speak TLS.')
    this.server.setSecureContext(contextOf(certificate))
    this.server.closeAllConnections()
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

const contextOf = ({ key, pem }: MadeCertificate): { key: string; cert: string } => ({ key, cert: pem })

/** A proxy for HTTP and, with CONNECT, for TLS. It connects to `port` on this machine, whatever host is requested. */
export class HttpProxy {
  /** The hosts that were requested, including those whose credentials were refused. */
  readonly requested: string[] = []
  /** How often credentials were wrong or missing. */
  refusals = 0
  /** How connections end, instead of with the answer, after a POST without a tunnel was forwarded. */
  breaksPosts: 'closed' | 'reset' | null = null
  private readonly server = createServer((request, response) => {
    if (!this.allows(request, new URL(request.url ?? '').hostname)) {
      response.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="proxy"' }).end('Sign in.')
      return
    }
    const { pathname, search } = new URL(request.url ?? '')
    const { method, headers } = request
    const onward = ask({ host: '127.0.0.1', port: this.port, path: pathname + search, method, headers })
    onward.on('response', (answer) => {
      if (method === 'POST' && this.breaksPosts === 'closed') return void request.socket.destroy()
      if (method === 'POST' && this.breaksPosts === 'reset') return void request.socket.resetAndDestroy()
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })

  private constructor(
    private readonly port: number,
    /** The required credentials as "USER:PASSWORD"; null if none are required. */
    public credentials: string | null,
  ) {
    this.server.on('connect', (request, socket) => {
      socket.on('error', () => socket.destroy())
      if (!this.allows(request, (request.url ?? '').split(':')[0]!)) {
        const refusal = 'HTTP/1.1 407 Sign in\r\nProxy-Authenticate: Basic realm="proxy"\r\n'
        socket.end(`${refusal}Content-Length: 0\r\nConnection: close\r\n\r\n`)
        return
      }
      const onward = connect(this.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connected\r\n\r\n')
        onward.pipe(socket)
        socket.pipe(onward)
      })
      onward.on('error', () => socket.destroy())
      socket.on('close', () => onward.destroy())
    })
  }

  /** `credentials` as "USER:PASSWORD". */
  static async start(port: number, credentials: string | null = null): Promise<HttpProxy> {
    const proxy = new HttpProxy(port, credentials)
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: (this.server.address() as AddressInfo).port }
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private allows(request: IncomingMessage, host: string): boolean {
    this.requested.push(host)
    if (this.credentials === null) return true
    const right = `Basic ${Buffer.from(this.credentials).toString('base64')}`
    const allowed = request.headers['proxy-authorization'] === right
    if (!allowed) this.refusals += 1
    return allowed
  }
}
