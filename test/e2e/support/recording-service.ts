import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { MadeCertificate } from '../../support/certificates'

/**
 * A deployment service that lists no deployments and keeps the headers of what arrives; over TLS where it has a
 * certificate. As a proxy for plain HTTP it answers everything itself.
 */
export class RecordingService {
  readonly headers: IncomingHttpHeaders[] = []
  private readonly server: Server

  private constructor(certificate: MadeCertificate | undefined) {
    const answer: RequestListener = (request, response) => {
      this.headers.push(request.headers)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"resources":[],"offset":0}')
    }
    this.server = certificate
      ? createTlsServer({ key: certificate.key, cert: certificate.pem }, answer)
      : createServer(answer)
  }

  static async start(certificate?: MadeCertificate): Promise<RecordingService> {
    const service = new RecordingService(certificate)
    await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve))
    return service
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}
