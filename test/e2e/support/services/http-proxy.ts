import { createServer, type IncomingMessage, request as ask } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

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
