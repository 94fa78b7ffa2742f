import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { MadeCertificate } from '../../support/certificates'

/** A deployment service over TLS that lists no deployments; its certificate can be changed while it runs. */
export class TlsService {
  /** The requests that arrived, as "METHOD PATH". */
  readonly arrived: string[] = []
  private readonly server: Server

  private constructor(certificate: MadeCertificate, asksForClientCertificate: boolean) {
    const { key, pem: cert } = certificate
    const options = { key, cert, requestCert: asksForClientCertificate, rejectUnauthorized: false }
    this.server = createServer(options, (request, response) => {
      this.arrived.push(`${request.method} ${request.url?.split('?')[0]}`)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"resources":[],"offset":0}')
    })
  }

  static async start(certificate: MadeCertificate, asksForClientCertificate = false): Promise<TlsService> {
    const service = new TlsService(certificate, asksForClientCertificate)
    await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve))
    return service
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  /** Shows another certificate from now on. */
  use({ key, pem }: MadeCertificate): void {
    this.server.setSecureContext({ key, cert: pem })
    this.server.closeAllConnections()
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}
