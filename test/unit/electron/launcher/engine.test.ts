import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { environmentFor, probe } from '../../../../electron/launcher/engine'

const servers: Server[] = []
afterEach(() => {
  vi.unstubAllEnvs()
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

/** Probes with some variables. */
function probeWith(variables: Record<string, string>, limitMs = 1_000): Promise<string> {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  return probe('45.4.1', limitMs)
}

describe('whether the official download can be reached', () => {
  it('is yes if its server answers for this version', async () => {
    const requests: (string | undefined)[] = []
    const server = await serve(({ method, url }, response) => {
      requests.push(`${method} ${url}`)
      response.end()
    })
    expect(await probeWith({ ELECTRON_MIRROR: addressOf(server) })).toBe('')
    expect(requests).toEqual(['HEAD /v45.4.1/SHASUMS256.txt'])
  })

  it('is no, with the reason, if the server refuses, is missing, or does not answer in time', async () => {
    const refusing = await serve((_request, response) => void response.writeHead(403).end())
    expect(await probeWith({ ELECTRON_MIRROR: addressOf(refusing) })).toContain('answers with status 403')
    const silent = await serve(() => undefined)
    expect(await probeWith({ ELECTRON_MIRROR: addressOf(silent) }, 100)).toContain('no answer in 0.1 s')
    silent.close()
    silent.closeAllConnections()
    expect(await probeWith({ ELECTRON_MIRROR: addressOf(refusing).replace(/:\d+/, ':9') })).toMatch(
      /out of reach \(/,
    )
  })

  it('goes through the proxy, with its credentials', async () => {
    const requests: unknown[] = []
    const proxy = await serve((_request, response) => void response.end())
    proxy.on('connect', ({ url, headers }, socket) => {
      requests.push([url, headers['proxy-authorization']])
      socket.end('HTTP/1.1 407 x\r\n\r\n')
    })
    const { host } = new URL(addressOf(proxy))
    const said = await probeWith({ HTTPS_PROXY: `http://ann:p%40ss@${host}`, NO_PROXY: '' })
    expect(requests).toEqual([['github.com:443', `Basic ${Buffer.from('ann:p@ss').toString('base64')}`]])
    expect(said).toMatch(/^github\.com is out of reach \(.*407/)
    expect(said).not.toContain('p@ss')
  })
})

it('gives Electron what finds the binary, and nothing that runs it as Node', () => {
  vi.stubEnv('ELECTRON_RUN_AS_NODE', '1')
  const environment = environmentFor({ path: '/electron/electron', isTrial: false })
  expect(environment).toMatchObject({
    ELECTRON_EXEC_PATH: '/electron/electron',
    ELECTRON_OVERRIDE_DIST_PATH: '/electron',
    PATH: process.env['PATH'],
  })
  expect(environment).not.toHaveProperty('ELECTRON_RUN_AS_NODE')
})
