import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkSettings } from '@contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Display, startDisplay } from '../e2e/support/display'
import { HttpProxy } from '../e2e/support/services/http-proxy'
import { Harness } from '../harness/process'

const script = (body: string): NetworkSettings => ({
  trust: { kind: 'system' },
  proxy: { mode: 'pac-text', text: `function FindProxyForURL() { ${body} }` },
})

/** A service on this machine that refuses creations. */
async function startService() {
  const server = createServer((incoming, response) => {
    response.writeHead(incoming.method === 'POST' ? 422 : 200, { 'Content-Type': 'application/json' })
    incoming.resume().on('end', () => response.end('{"resources":[],"offset":0}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

let display: Display
let folder: string
let harness: Harness
let made = 0

beforeEach(async () => {
  display = await startDisplay()
  folder = await mkdtemp(join(tmpdir(), 'slipway-scripts-'))
  harness = await Harness.start(join(folder, 'electron'), display.environment)
})

afterEach(async () => {
  await harness.kill()
  await display.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

const create = (environmentId: string) =>
  harness.ask('create', {
    environmentId,
    request: {
      name: `agent-${(made += 1)}`,
      source: 'internal_docker',
      source_config: { resource_spec: { min_scale: 1, max_scale: 2, cpu: 1 } },
      source_revision_config: { image_uri: 'internal/agent:1' },
      secrets: [],
    },
    again: null,
  })

const endless = { id: 'endless', baseUrl: 'http://endless.test', network: script('for (;;) {}') }

test('a PAC script that never ends blocks no other environment with a script', async () => {
  const { server, port: servicePort } = await startService()
  const proxy = await HttpProxy.start(servicePort)
  const { host, port } = proxy.address
  try {
    await harness.ask('open', {
      folder,
      timeLimitMs: 2_000,
      environments: [
        { id: 'good', baseUrl: 'http://good.test', network: script(`return "PROXY ${host}:${port}"`) },
        endless,
      ],
    })
    expect(await create('good')).toMatchObject({ failure: { status: 422 } })
    expect(await create('endless')).toMatchObject({ failure: { code: 'timeout' } })
    const outcome = async () => {
      const one = await create('good')
      return one.ok ? null : one.failure.status
    }
    await expect.poll(outcome, { timeout: 20_000 }).toBe(422)
  } finally {
    proxy.close()
    server.close()
  }
})

test.runIf(process.platform === 'linux')(
  'a PAC script that is slow to load ends no script of another environment',
  async () => {
    const { server, port: servicePort } = await startService()
    const proxy = await HttpProxy.start(servicePort)
    const { host, port } = proxy.address
    let requests = 0
    const silent = createServer(() => (requests += 1))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/proxy.pac`
    const runsScripts = () => harness.processOf('proxy_resolver.mojom')
    try {
      const slow: NetworkSettings = { trust: { kind: 'system' }, proxy: { mode: 'pac-url', url } }
      await harness.ask('open', {
        folder,
        timeLimitMs: 2_000,
        environments: [
          { id: 'good', baseUrl: 'http://good.test', network: script(`return "PROXY ${host}:${port}"`) },
          { id: 'slow', baseUrl: 'http://slow.test', network: slow },
        ],
      })
      expect(await create('good')).toMatchObject({ failure: { status: 422 } })
      const before = await runsScripts()
      expect(before).not.toBeNull()
      expect(await create('slow')).toMatchObject({ failure: { code: 'timeout', sent: 'no' } })
      expect(requests).toBeGreaterThan(0)
      // Longer than it takes to detect a stuck script.
      const until = performance.now() + 6_000
      while (performance.now() < until) {
        expect(await create('good')).toMatchObject({ failure: { status: 422 } })
        expect(await runsScripts()).toBe(before)
      }
    } finally {
      proxy.close()
      server.close()
      silent.close()
      silent.closeAllConnections()
    }
  },
  60_000,
)
