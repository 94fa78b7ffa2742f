import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of a deployment service that spoils some of its answers. */
export interface FaultyProxy {
  url: string
  /** How many answers were spoilt so far. */
  faults: () => number
  /** While it is true, every connection is refused: an outage. */
  out: boolean
  close: () => void
}

/** Starts a proxy in front of `service` (a base URL); `random` gives numbers from 0 to 1. */
export async function startFaultyProxy(service: string, random: () => number): Promise<FaultyProxy> {
  let faults = 0
  const server: Server = createServer((incoming, answer) => {
    const kind = proxy.out ? 0 : random()
    if (kind < 0.15) faults += 1
    if (kind < 0.03) {
      incoming.socket.destroy()
      return
    }
    if (kind < 0.06) {
      answer.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Busy</h1>')
      return
    }
    if (kind < 0.08) {
      answer.writeHead(200, { 'content-type': 'application/json' }).end('{"resources": [')
      return
    }
    const { method, url = '/', headers } = incoming
    const target = new URL(url, service)
    const outgoing = request(target, { method, headers: { ...headers, host: target.host } }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      if (kind < 0.11) {
        // Half of an answer, of which the service has done its part.
        response.once('data', (piece: Buffer) => {
          answer.write(piece.subarray(0, piece.length / 2), () => incoming.socket.destroy())
        })
      } else if (kind < 0.15) setTimeout(() => response.pipe(answer), random() * 2_000)
      else response.pipe(answer)
    })
    outgoing.on('error', () => incoming.socket.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults: () => faults,
    out: false,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return proxy
}
