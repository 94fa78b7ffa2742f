import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of a service that holds back chosen requests. */
export class Gate {
  private waiting: (() => void)[] = []
  private holds: (query: URLSearchParams) => boolean = () => false

  private constructor(
    private readonly server: Server,
    readonly baseUrl: string,
  ) {}

  static async start(target: string): Promise<Gate> {
    const server = createServer((incoming, response) => {
      const pass = (): void => forward(target, incoming, response)
      const { searchParams } = new URL(incoming.url ?? '/', target)
      if (gate.holds(searchParams)) gate.waiting.push(pass)
      else pass()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const gate: Gate = new Gate(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return gate
  }

  /** Holds back the requests that `holds` accepts, until `open`. */
  hold(holds: (query: URLSearchParams) => boolean): void {
    this.holds = holds
  }

  /** How many requests are held back. */
  get held(): number {
    return this.waiting.length
  }

  /** Lets all requests pass. */
  open(): void {
    this.holds = () => false
    for (const pass of this.waiting.splice(0)) pass()
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

function forward(target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method } = incoming
  const url = new URL(incoming.url ?? '/', target)
  const headers = { ...incoming.headers, host: url.host }
  const onward = request(url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  // The client may be gone, and the service too.
  onward.on('error', () => response.destroy())
  response.on('error', () => onward.destroy())
  incoming.pipe(onward)
}
