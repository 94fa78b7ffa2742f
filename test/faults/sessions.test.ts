import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkSettings } from '@contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Display, startDisplay } from '../e2e/support/processes'
import { Harness } from '../harness/process'
import { type Authority, makeAuthority, makeSelfSigned } from '../support/main/certificates'

let display: Display
let folder: string
let harness: Harness
let authority: Authority
let network: NetworkSettings

beforeAll(async () => {
  display = await startDisplay()
  folder = await mkdtemp(join(tmpdir(), 'slipway-sessions-'))
  authority = await makeAuthority()
  network = { trust: { kind: 'authority', pem: authority.pem }, proxy: { mode: 'none' } }
  harness = await Harness.start(join(folder, 'electron'), display.environment)
})

afterAll(async () => {
  await harness.kill()
  await display.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

/** Refuses every creation, and lists nothing. */
const refuse: RequestListener = (incoming, response) => {
  response.setHeader('Content-Type', 'application/json')
  response.setHeader('Strict-Transport-Security', 'max-age=3600')
  response.statusCode = incoming.method === 'POST' ? 422 : 200
  incoming.resume().on('end', () => response.end('{"resources":[],"offset":0}'))
}

const open = async (baseUrl: string, settings = network): Promise<null> =>
  harness.ask('open', {
    folder: await mkdtemp(join(folder, 'journal-')),
    environments: [{ id: 'e1', baseUrl, network: settings }],
    timeLimitMs: 3_000,
  })

let made = 0

/**
 * Sends a creation of a new name to a service that refuses it. The service was reached if the failure has the status.
 */
const create = () =>
  harness.ask('create', {
    environmentId: 'e1',
    request: {
      name: `agent-${(made += 1)}`,
      source: 'internal_docker',
      source_config: {},
      source_revision_config: { image_uri: 'internal/agent:1' },
      secrets: [],
    },
    again: null,
  })

test('a service that requires TLS changes nothing for another port of its host', async () => {
  const hosts = [{ type: 'dns' as const, value: 'a.localhost' }]
  const { key, pem: cert } = await authority.issue({ hosts })
  const secure = createTlsServer({ key, cert }, refuse)
  const plain = createServer(refuse)
  await open(`https://a.localhost:${await listening(secure)}`)
  expect(await create()).toMatchObject({ failure: { status: 422 } })
  await harness.ask('close', null)
  await open(`http://a.localhost:${await listening(plain)}`)
  expect(await create()).toMatchObject({ failure: { status: 422 } })
  await harness.ask('close', null)
  secure.close()
  plain.close()
})

test('a creation whose certificate for an IPv6 address is refused is reported as not sent, with the certificate', async () => {
  const { key, pem: cert } = await makeSelfSigned({ hosts: [{ type: 'ip', value: '::1' }] })
  const service = createTlsServer({ key, cert }, refuse)
  await open(`https://[::1]:${await listening(service, '::1')}`)
  expect(await create()).toMatchObject({
    failure: { code: 'certificate', sent: 'no', certificate: { host: '::1' } },
  })
  await harness.ask('close', null)
  service.close()
})

test.runIf(process.platform === 'linux')(
  'a network process that ends takes no environment with it',
  async () => {
    const { key, pem: cert } = await authority.issue()
    const service = createTlsServer({ key, cert }, refuse)
    await open(`https://localhost:${await listening(service)}`)
    expect(await create()).toMatchObject({ failure: { status: 422 } })
    const before = await networkProcess()
    process.kill(before!, 'SIGKILL')
    await expect.poll(networkProcess).not.toBe(before)
    await expect.poll(create, { timeout: 10_000 }).toMatchObject({ failure: { status: 422 } })
    await harness.ask('close', null)
    service.close()
  },
)

const networkProcess = (): Promise<number | null> => harness.processOf('network.mojom.NetworkService')
