import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreateRequest, NetworkSettings } from '@contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Display, startDisplay } from '../e2e/support/processes'
import { HttpProxy } from '../support/services/recording-service'
import { Harness } from '../harness/process'
import { makeAuthority, makeSelfSigned, type MadeCertificate } from '../support/main/certificates'
import { pageOf } from '../support/builders/answer-bodies'
import { UnwillingHttp2 } from './unwilling-http2'

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

/** A service that creates, but can claim that it didn't process the request. */
class MisdirectingService {
  readonly posts: string[] = []
  /** Called before the next creation is answered that way; null if it is answered correctly. */
  beforeMisdirecting: (() => void) | null = null
  /** The status of that answer. */
  misdirects = 421
  /** Whether HEAD is answered. */
  answersHead = true
  readonly #made: object[] = []

  private constructor(readonly server: Server | TlsServer) {}

  static async start(certificate: MadeCertificate | null): Promise<MisdirectingService> {
    const server = certificate
      ? createTlsServer({ key: certificate.key, cert: certificate.pem })
      : createServer()
    const service = new MisdirectingService(server)
    server.on('request', (incoming, response) => {
      const parts: Buffer[] = []
      incoming.on('data', (part: Buffer) => parts.push(part))
      incoming.on('end', () => {
        const answer = (status: number, body: object) =>
          response
            .writeHead(status, {
              'Content-Type': 'application/json',
              Connection: 'close',
              ...(status === 407 ? { 'Proxy-Authenticate': 'Basic realm="proxy"' } : {}),
            })
            .end(JSON.stringify(body))
        if (incoming.method === 'HEAD' && !service.answersHead) return
        if (incoming.method !== 'POST') return answer(200, service.#page(incoming.url ?? ''))
        const request = JSON.parse(Buffer.concat(parts).toString()) as CreateRequest
        service.posts.push(request.name)
        const created_at = new Date().toISOString()
        const made = { ...request, id: `d${service.posts.length}`, created_at, status: 'READY' }
        service.#made.push(made)
        const before = service.beforeMisdirecting
        service.beforeMisdirecting = null
        before?.()
        answer(before ? service.misdirects : 201, made)
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
    return pageOf(this.#made, new URL(url, 'http://service').searchParams)
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

async function open(baseUrl: string, network: NetworkSettings, timeLimitMs = 3_000): Promise<void> {
  const own = await mkdtemp(join(folder, 'journal-'))
  const environments = [{ id: 'e1', baseUrl, network }]
  await harness.ask('open', { folder: own, environments, timeLimitMs })
}

test('a creation whose certificate is refused only when Chromium sends it again is not reported as not sent', async () => {
  const authority = await makeAuthority()
  const service = await MisdirectingService.start(await authority.issue())
  const other = await makeSelfSigned()
  await open(`https://localhost:${service.port}`, {
    trust: { kind: 'authority', pem: authority.pem },
    proxy: { mode: 'none' },
  })
  // Its session is reused for the next one, and remembers the certificate.
  expect(await create('first')).toMatchObject({ ok: true })
  service.beforeMisdirecting = () =>
    (service.server as TlsServer).setSecureContext({ key: other.key, cert: other.pem })
  const outcome = await create('second')
  expect(outcome).toMatchObject({ failure: { code: 'certificate', sent: 'maybe' } })
  expect(service.posts).toEqual(['first', 'second'])
  expect((await harness.ask('attempts', null)).at(-1)).toMatchObject({ name: 'second', state: 'unconfirmed' })
  await harness.ask('close', null)
  service.close()
})

test('a creation whose certificate is refused on its only connection is reported as not sent', async () => {
  const authority = await makeAuthority()
  const service = await MisdirectingService.start(await authority.issue())
  const other = await makeSelfSigned()
  await open(`https://localhost:${service.port}`, {
    trust: { kind: 'authority', pem: authority.pem },
    proxy: { mode: 'none' },
  })
  expect(await create('first')).toMatchObject({ ok: true })
  ;(service.server as TlsServer).setSecureContext({ key: other.key, cert: other.pem })
  expect(await create('second')).toMatchObject({ failure: { code: 'certificate', sent: 'no' } })
  expect(service.posts).toEqual(['first'])
  await harness.ask('close', null)
  service.close()
})

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a creation for which the service wants a client certificate (%s) is reported as not sent',
  async (maxVersion) => {
    const authority = await makeAuthority()
    const { key, pem: cert } = await authority.issue()
    let requests = 0
    const wanting = { key, cert, requestCert: true, rejectUnauthorized: false, maxVersion }
    const service = createTlsServer(wanting, (_asked, response) => {
      requests += 1
      response.end('{}')
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const { port } = service.address() as AddressInfo
    await open(`https://localhost:${port}`, {
      trust: { kind: 'authority', pem: authority.pem },
      proxy: { mode: 'none' },
    })
    expect(await create('agent')).toMatchObject({ failure: { code: 'certificate', sent: 'no' } })
    expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'refused' }])
    expect(requests).toBe(0)
    await harness.ask('close', null)
    service.close()
  },
)

test.each([
  ['HTTP', false],
  ['HTTPS', true],
])('a creation that is answered 421 over %s leaves once, and is unconfirmed', async (_name, isSecure) => {
  const authority = await makeAuthority()
  const service = await MisdirectingService.start(isSecure ? await authority.issue() : null)
  await open(`${isSecure ? 'https' : 'http'}://localhost:${service.port}`, {
    trust: { kind: 'authority', pem: authority.pem },
    proxy: { mode: 'none' },
  })
  service.beforeMisdirecting = () => undefined
  expect(await create('agent')).toMatchObject({ ok: false, failure: { sent: 'maybe' } })
  expect(service.posts).toEqual(['agent'])
  expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'unconfirmed' }])
  await harness.ask('close', null)
  service.close()
})

test('a creation that Chromium would send again to a closed port is unconfirmed', async () => {
  const service = await MisdirectingService.start(null)
  const { port } = service
  await open(`http://127.0.0.1:${port}`, { trust: { kind: 'system' }, proxy: { mode: 'none' } })
  service.beforeMisdirecting = () => service.close()
  expect(await create('agent')).toMatchObject({ failure: { code: 'offline', sent: 'maybe' } })
  expect(service.posts).toEqual(['agent'])
  expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'unconfirmed' }])
  await harness.ask('close', null)
})

test('a creation to a closed port is reported as not sent', async () => {
  const service = await MisdirectingService.start(null)
  const { port } = service
  await open(`http://127.0.0.1:${port}`, { trust: { kind: 'system' }, proxy: { mode: 'none' } })
  expect(await create('first')).toMatchObject({ ok: true })
  service.close()
  expect(await create('second')).toMatchObject({ failure: { code: 'offline', sent: 'no' } })
  await harness.ask('close', null)
})

test.each(['refused-stream', 'goaway', 'shutdown'] as const)(
  'a creation that HTTP/2 says was not processed (%s) leaves once, and is unconfirmed',
  async (how) => {
    const authority = await makeAuthority()
    const service = await UnwillingHttp2.start(how, await authority.issue())
    await open(`https://localhost:${service.port}`, {
      trust: { kind: 'authority', pem: authority.pem },
      proxy: { mode: 'none' },
    })
    expect(await create('agent')).toMatchObject({ ok: false, failure: { sent: 'maybe' } })
    expect(service.posts).toEqual(['agent'])
    expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'unconfirmed' }])
    await harness.ask('close', null)
    service.close()
  },
)

test('a large creation that the service stops reading fails alone', async () => {
  const service = createServer((incoming, response) => {
    if (incoming.method !== 'POST') return void response.end('{"resources":[],"offset":0}')
    response.writeHead(413, { 'Content-Type': 'application/json', Connection: 'close' }).end('{}')
    incoming.socket.destroySoon()
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  await open(`http://127.0.0.1:${port}`, { trust: { kind: 'system' }, proxy: { mode: 'none' } })
  const request = { ...requestOf('large'), source_config: { install_command: 'x'.repeat(8_000_000) } }
  expect(await harness.ask('create', { environmentId: 'e1', request, again: null })).toMatchObject({
    ok: false,
  })
  expect(await create('small')).toMatchObject({ failure: { status: 413 } })
  await harness.ask('close', null)
  expect(harness.output).not.toContain('mojo')
  service.close()
})

test.each([
  [411, true],
  [501, true],
  [400, false],
  [415, false],
  [422, false],
])('a creation that is answered %s is sent with its length the next time: %s', async (status, isWanted) => {
  const lengths: (string | undefined)[] = []
  const service = createServer((incoming, response) => {
    response.setHeader('Content-Type', 'application/json')
    if (incoming.method !== 'POST') return void response.end('{"resources":[],"offset":0}')
    lengths.push(incoming.headers['content-length'])
    response.statusCode = lengths.length === 1 ? status : 403
    incoming.resume().on('end', () => response.end('{"detail":[{"loc":["body"],"msg":"Field required"}]}'))
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  const { port } = service.address() as AddressInfo
  await open(`http://127.0.0.1:${port}`, { trust: { kind: 'system' }, proxy: { mode: 'none' } })
  const first = await create('agent')
  expect(first).toMatchObject({ failure: { status } })
  expect(!first.ok && /from now on/.test(first.failure.advice ?? '')).toBe(status === 411)
  // A 501 may come from a gateway, after the service created: its name stays locked.
  expect(await create(`agent-after-${status}`)).toMatchObject({ failure: { status: 403 } })
  const length = String(Buffer.byteLength(JSON.stringify(requestOf(`agent-after-${status}`))))
  expect(lengths).toEqual([undefined, isWanted ? length : undefined])
  await harness.ask('close', null)
  service.close()
})

test.each([
  ['HTTP', false],
  ['HTTPS', true],
])('a creation over %s through a proxy that wants a password arrives once', async (_name, isSecure) => {
  const authority = await makeAuthority()
  const service = await MisdirectingService.start(isSecure ? await authority.issue() : null)
  const proxy = await HttpProxy.start(service.port, 'someone:their-password')
  await open(`${isSecure ? 'https' : 'http'}://localhost:${service.port}`, {
    trust: { kind: 'authority', pem: authority.pem },
    proxy: {
      mode: 'manual',
      ...proxy.address,
      credentials: { userName: 'someone', password: 'their-password' },
    },
  })
  expect(await create('agent')).toMatchObject({ ok: true })
  expect(service.posts).toEqual(['agent'])
  await harness.ask('close', null)
  proxy.close()
  service.close()
})

/** Opens the service over plain HTTP through a proxy that requires `wanted`, with the password that was entered. */
async function openThroughProxy(
  service: MisdirectingService,
  password: string,
  wanted: string | null = 'someone:their-password',
  timeLimitMs?: number,
): Promise<HttpProxy> {
  const proxy = await HttpProxy.start(service.port, wanted)
  const credentials = { userName: 'someone', password }
  const settings = { mode: 'manual', ...proxy.address, credentials } as const
  await open(`http://localhost:${service.port}`, { trust: { kind: 'system' }, proxy: settings }, timeLimitMs)
  return proxy
}

test.each(['closed', 'reset'] as const)(
  'a creation leaves once when the connection to a proxy that wants a password breaks (%s)',
  async (how) => {
    const service = await MisdirectingService.start(null)
    const proxy = await openThroughProxy(service, 'their-password')
    proxy.breaksPosts = how
    expect(await create('agent')).toMatchObject({ failure: { code: 'connection-lost', sent: 'maybe' } })
    expect(service.posts).toEqual(['agent'])
    expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'unconfirmed' }])
    await harness.ask('close', null)
    proxy.close()
    service.close()
  },
)

test('a creation with the password of a proxy that is answered 421 leaves once, and is unconfirmed', async () => {
  const service = await MisdirectingService.start(null)
  const proxy = await openThroughProxy(service, 'their-password')
  service.beforeMisdirecting = () => undefined
  expect(await create('agent')).toMatchObject({ ok: false })
  expect(service.posts).toEqual(['agent'])
  expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'unconfirmed' }])
  await harness.ask('close', null)
  proxy.close()
  service.close()
})

test('a creation that was carried out is unconfirmed if the proxy then wants another password', async () => {
  const authority = await makeAuthority()
  const service = await MisdirectingService.start(await authority.issue())
  const proxy = await HttpProxy.start(service.port, 'someone:their-password')
  await open(`https://localhost:${service.port}`, {
    trust: { kind: 'authority', pem: authority.pem },
    proxy: {
      mode: 'manual',
      ...proxy.address,
      credentials: { userName: 'someone', password: 'their-password' },
    },
  })
  service.beforeMisdirecting = () => (proxy.credentials = 'someone:another-password')
  expect(await create('agent')).toMatchObject({ failure: { sent: 'maybe' } })
  expect(service.posts).toEqual(['agent'])
  expect(proxy.refusals).toBeGreaterThan(1)
  expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'unconfirmed' }])
  await harness.ask('close', null)
  proxy.close()
  service.close()
})

test('a creation arrives through a proxy with a password even if the service leaves HEAD unanswered', async () => {
  const service = await MisdirectingService.start(null)
  service.answersHead = false
  const proxy = await openThroughProxy(service, 'their-password', undefined, 12_000)
  expect(await create('agent')).toMatchObject({ ok: true })
  expect(service.posts).toEqual(['agent'])
  await harness.ask('close', null)
  proxy.close()
  service.close()
})

test('a creation that times out while Slipway signs in to a proxy is reported as not sent', async () => {
  const service = await MisdirectingService.start(null)
  service.answersHead = false
  const proxy = await openThroughProxy(service, 'their-password')
  expect(await create('agent')).toMatchObject({ failure: { code: 'timeout', sent: 'no' } })
  expect(service.posts).toEqual([])
  expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'refused' }])
  await harness.ask('close', null)
  proxy.close()
  service.close()
})

test('no creation is sent over plain HTTP through a proxy that authenticates each connection', async () => {
  const methods: (string | undefined)[] = []
  const proxy = createServer(({ method }, response) => {
    methods.push(method)
    response.writeHead(407, { 'Proxy-Authenticate': 'NTLM' }).end()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  const credentials = { userName: 'someone', password: 'their-password' }
  await open('http://service.test', {
    trust: { kind: 'system' },
    proxy: { mode: 'manual', host: '127.0.0.1', port, credentials },
  })
  const outcome = await create('agent')
  expect(outcome).toMatchObject({ failure: { code: 'not-allowed', sent: 'no' } })
  expect(!outcome.ok && outcome.failure.message).toContain('NTLM')
  expect(methods).not.toContain('POST')
  expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'refused' }])
  await harness.ask('close', null)
  proxy.close()
})

test('a creation that gets no connection in time is reported as not sent', async () => {
  const silent = createTcpServer()
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  await open(`https://127.0.0.1:${port}`, { trust: { kind: 'system' }, proxy: { mode: 'none' } })
  expect(await create('agent')).toMatchObject({ failure: { code: 'timeout', sent: 'no' } })
  expect(await harness.ask('attempts', null)).toMatchObject([{ state: 'refused' }])
  await harness.ask('close', null)
  silent.close()
})

test('a creation through a proxy that wants another password is reported as not sent', async () => {
  const service = await MisdirectingService.start(null)
  const proxy = await openThroughProxy(service, 'mistyped')
  expect(await create('agent')).toMatchObject({ failure: { code: 'proxy', sent: 'no' } })
  expect(service.posts).toEqual([])
  await harness.ask('close', null)
  proxy.close()
  service.close()
})
