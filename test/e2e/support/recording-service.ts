import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A deployment service over plain HTTP that lists no deployments and keeps the headers of what arrives. */
export class RecordingService {
  readonly headers: IncomingHttpHeaders[] = []
  private readonly server = createServer((request, response) => {
    this.headers.push(request.headers)
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"resources":[],"offset":0}')
  })

  static async start(): Promise<RecordingService> {
    const service = new RecordingService()
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
