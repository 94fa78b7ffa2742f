import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Where the connection of a change breaks: after this many bytes of its request, or of the answer. */
export interface Cut {
  of: 'request' | 'answer'
  after: number
}

/** After all bytes of a request, before any of its answer; of an answer, nowhere. */
export const everything = 1_000_000

/**
 * A network in front of a service that breaks the connections of changes (PATCH, POST).
 *
 * @param port of the service, on this machine
 * @param cuts by the number that the identifier in a change's path ends with
 */
export async function breakingNetwork(port: number, cuts: readonly Cut[]) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1')
    let cut: Cut | null = null
    const passed = { request: 0, answer: 0 }
    const pass = (of: Cut['of'], part: Buffer, to: Socket): void => {
      const isCut = cut?.of === of && passed[of] + part.length >= cut.after && cut.after < everything
      const left = isCut ? part.subarray(0, cut!.after - passed[of]) : part
      passed[of] += part.length
      to.write(left, () => {
        const isWhole = of === 'answer' && cut?.of === 'request' && cut.after === everything
        if (!isCut && !isWhole) return
        client.destroy()
        service.destroy()
      })
    }
    client.on('data', (part: Buffer) => {
      const place = /^(?:PATCH|POST) \S+?-(\d{12})[ /]/.exec(part.toString('latin1'))?.[1]
      if (place !== undefined) cut = cuts[Number(place)] ?? null
      pass('request', part, service)
    })
    service.on('data', (part: Buffer) => {
      // All of the request has arrived, and none of the answer comes back.
      if (cut?.of === 'request' && cut.after === everything) return void client.destroy()
      pass('answer', part, client)
    })
    for (const socket of [client, service]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        service.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
