import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { MadeCertificate } from '../../../support/main/certificates'

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
