import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { probe } from '../../../../../electron/launcher/engine/download-probe.mjs'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function serve(answer: RequestListener): Promise<Server> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const addressOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

describe('whether the official download can be reached', () => {
  it('is yes if its server answers for this version', async () => {
    const requests: (string | undefined)[] = []
    const server = await serve(({ method, url }, response) => {
      requests.push(`${method} ${url}`)
      response.end()
    })
    expect(await probe('45.4.1', 1_000, { ELECTRON_MIRROR: addressOf(server) })).toBe('')
    expect(requests).toEqual(['HEAD /v45.4.1/SHASUMS256.txt'])
  })

  it('is no, with the reason, if the server refuses, is missing, or does not answer in time', async () => {
    const refusing = await serve((_request, response) => void response.writeHead(403).end())
    expect(await probe('1', 1_000, { ELECTRON_MIRROR: addressOf(refusing) })).toContain(
      'answers with status 403',
    )
    expect(await probe('1', 1_000, { ELECTRON_MIRROR: 'http://127.0.0.1:9/' })).toMatch(/out of reach \(/)
    const silent = await serve(() => undefined)
    expect(await probe('1', 100, { ELECTRON_MIRROR: addressOf(silent) })).toContain('no answer in 0.1 s')
  })

  it('goes through the proxy, with its credentials', async () => {
    const requests: unknown[] = []
    const proxy = await serve((_request, response) => void response.end())
    let status = 200
    proxy.on('connect', ({ url, headers }, socket) => {
      requests.push([url, headers['proxy-authorization']])
      if (status !== 0) socket.end(`HTTP/1.1 ${status} x\r\n\r\n`)
    })
    const { host } = new URL(addressOf(proxy))
    const variables = { HTTPS_PROXY: `http://ann:p%40ss@${host}` }
    expect(await probe('1', 1_000, variables)).toBe('')
    expect(requests).toEqual([['github.com:443', `Basic ${Buffer.from('ann:p@ss').toString('base64')}`]])
    status = 407
    expect(await probe('1', 1_000, variables)).toContain('the proxy answers with status 407')
    status = 0
    const silence = await probe('1', 100, variables)
    expect(silence).toContain('github.com is out of reach (no answer in 0.1 s)')
    expect(silence).not.toContain('p@ss')
  })
})
