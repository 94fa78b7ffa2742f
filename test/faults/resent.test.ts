import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreateRequest, NetworkSettings } from '@contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Display, startDisplay } from '../e2e/support/display'
import { Harness } from '../harness/process'
import { makeAuthority, makeSelfSigned, type MadeCertificate } from '../support/certificates'

let display: Display
let folder: string
let harness: Harness

beforeAll(async () => {
  display = await startDisplay()
  folder = await mkdtemp(join(tmpdir(), 'slipway-resent-'))
  harness = await Harness.start(join(folder, 'electron'), display.environment)
})

afterAll(async () => {
  await harness.kill()
  await display.close()
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** A service that creates, and can say all the same that it did not process the request (421). */
class MisdirectingService {
  readonly posts: string[] = []
  /** What happens before the next creation is answered so; null where it is answered as it should. */
  beforeMisdirecting: (() => void) | null = null
  readonly #made: object[] = []

  private constructor(readonly server: Server | TlsServer) {}

  static async start(certificate: MadeCertificate | null): Promise<MisdirectingService> {
    const server = certificate
      ? createTlsServer({ key: certificate.key, cert: certificate.pem })
      : createServer()
    const service = new MisdirectingService(server)
    server.on('request', (asked, response) => {
      const parts: Buffer[] = []
      asked.on('data', (part: Buffer) => parts.push(part))
      asked.on('end', () => {
        const answer = (status: number, body: object) =>
          response
            .writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
            .end(JSON.stringify(body))
        if (asked.method !== 'POST') return answer(200, service.#page(asked.url ?? ''))
        const request = JSON.parse(Buffer.concat(parts).toString()) as CreateRequest
        service.posts.push(request.name)
        const created_at = new Date().toISOString()
        const made = { ...request, id: `d${service.posts.length}`, created_at, status: 'READY' }
        service.#made.push(made)
        const before = service.beforeMisdirecting
        service.beforeMisdirecting = null
        before?.()
        answer(before ? 421 : 201, made)
      })
    })
    await service.listen(0)
    return service
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve))
  }

  close(): void {
    this.server.close()
  }

  #page(url: string): object {
    const isFirst = (new URL(url, 'http://service').searchParams.get('offset') ?? '0') === '0'
    return { resources: isFirst ? this.#made : [], offset: this.#made.length }
  }
}

const requestOf = (name: string): CreateRequest => ({
  name,
  source: 'internal_docker',
  source_config: { resource_spec: { min_scale: 1, max_scale: 2, cpu: 1 } },
  source_revision_config: { image_uri: 'internal/agent:1' },
  secrets: [],
})

const create = (name: string) =>
  harness.ask('create', { environmentId: 'e1', request: requestOf(name), again: null })

async function open(baseUrl: string, network: NetworkSettings): Promise<void> {
  const own = await mkdtemp(join(folder, 'journal-'))
  const environments = [{ id: 'e1', baseUrl, network }]
  await harness.ask('open', { folder: own, environments, timeLimitMs: 2_000 })
}

test('a certificate that is refused when Chromium sends a creation again does not tell it as not sent', async () => {
  const authority = await makeAuthority()
  const service = await MisdirectingService.start(await authority.issue())
  const other = await makeSelfSigned()
  await open(`https://localhost:${service.port}`, {
    trust: { kind: 'authority', pem: authority.pem },
    proxy: { mode: 'none' },
  })
  // Its session is used again for the next one, and remembers the certificate.
  expect(await create('first')).toMatchObject({ ok: true })
  service.beforeMisdirecting = () =>
    (service.server as TlsServer).setSecureContext({ key: other.key, cert: other.pem })
  const outcome = await create('second')
  expect(outcome).toMatchObject({ failure: { code: 'certificate', sent: 'maybe' } })
  expect(service.posts).toEqual(['first', 'second'])
  expect((await harness.ask('attempts', null)).at(-1)).toMatchObject({ name: 'second', state: 'unclear' })
  await harness.ask('close', null)
  service.close()
})

test('what Chromium sends again to a closed port is found before its name is sent again', async () => {
  const service = await MisdirectingService.start(null)
  const { port } = service
  await open(`http://127.0.0.1:${port}`, { trust: { kind: 'system' }, proxy: { mode: 'none' } })
  service.beforeMisdirecting = () => service.close()
  expect(await create('agent')).toMatchObject({ failure: { code: 'offline', sent: 'no' } })
  expect(service.posts).toEqual(['agent'])
  await service.listen(port)
  expect(await create('agent')).toMatchObject({ ok: true, value: { deployment: { id: 'd1' } } })
  expect(service.posts).toEqual(['agent'])
  expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'created', deploymentId: 'd1' }])
  await harness.ask('close', null)
  service.close()
})
