import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { fail, failure, type NetworkSettings, type Outcome, succeed, systemNetwork } from '@contract'
import { beforeEach, describe, expect, it, test, vi } from 'vitest'
import type * as Http from '../../../../../electron/main/http'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../../../../electron/main/http/client'

/** A fake of Electron's request, which the test answers. */
class FakeRequest extends EventEmitter {
  readonly options: { method: string; url: string; session: unknown }
  /** Whether the first byte of its body was read. */
  taken: (() => void) | null = null

  constructor(options: FakeRequest['options']) {
    super()
    this.options = options
  }

  setHeader(): void {}
  write(_part: Uint8Array, _encoding: undefined, taken: () => void): void {
    this.taken = taken
  }
  ended = false
  end(): void {
    this.ended = true
  }
  abort(): void {}

  answer(status: number, headers: Record<string, string> = {}): void {
    this.begin(status, '{}', headers).end()
  }

  /** Answers with the beginning of a body, which the test ends. */
  begin(status: number, beginning: string, headers: Record<string, string> = {}): PassThrough {
    const body = new PassThrough()
    body.write(beginning)
    this.emit('response', Object.assign(body, { statusCode: status, headers }))
    return body
  }
}

const electron = vi.hoisted(() => ({
  requests: [] as FakeRequest[],
  sessions: 0,
  refusesProxies: false,
  refusesClearing: false,
  gone: (_details: { serviceName?: string }): void => undefined,
}))

vi.mock('electron', () => {
  const unless = (refuses: boolean): Promise<void> =>
    refuses ? Promise.reject(new Error('No.')) : Promise.resolve()
  return {
    app: {
      on: (_name: string, listener: (event: unknown, details: { serviceName?: string }) => void) => {
        electron.gone = (details) => listener({}, details)
      },
    },
    net: {
      request: (options: FakeRequest['options']) => {
        const request = new FakeRequest(options)
        electron.requests.push(request)
        return request
      },
    },
    session: {
      fromPartition: () => ({
        number: (electron.sessions += 1),
        setPermissionRequestHandler: () => undefined,
        setPermissionCheckHandler: () => undefined,
        setSpellCheckerLanguages: () => undefined,
        setCertificateVerifyProc: () => undefined,
        forceReloadProxyConfig: () => Promise.resolve(),
        closeAllConnections: () => Promise.resolve(),
        setProxy: () => unless(electron.refusesProxies),
        clearAuthCache: () => unless(electron.refusesClearing),
      }),
    },
  }
})

let http: typeof Http

beforeEach(async () => {
  vi.resetModules()
  Object.assign(electron, { requests: [], sessions: 0, refusesProxies: false, refusesClearing: false })
  http = await import('../../../../../electron/main/http')
})

describe('a session', () => {
  const settings = (origin: string): Http.SessionSettings => ({ origin, network: systemNetwork })

  const numberOf = ({ session }: Http.PreparedSession) => (session as unknown as { number: number }).number

  /** Uses a session for a service like a creation. Returns its number. */
  async function use(origin: string): Promise<number> {
    const prepared = await http.lendSession(settings(origin))
    await http.giveBack(settings(origin), prepared)
    return numberOf(prepared)
  }

  it('is created once for an origin, and again for another port or scheme of its host', async () => {
    expect(await use('https://a.example')).toBe(1)
    expect(await use('https://a.example')).toBe(1)
    expect(await use('http://a.example')).toBe(2)
    expect(await use('https://a.example:8443')).toBe(3)
    const shared = [1, 2].map(() => http.sharedSession(settings('https://a.example')))
    expect((await Promise.all(shared)).map(numberOf)).toEqual([4, 4])
  })

  it('is lent to one caller at a time', async () => {
    const lent = [1, 2].map(() => http.lendSession(settings('https://a.example')))
    expect((await Promise.all(lent)).map(numberOf)).toEqual([1, 2])
  })

  it("that couldn't be set up is tried again with the next request", async () => {
    electron.refusesProxies = true
    for (let times = 0; times < 400; times += 1)
      await expect(http.sharedSession(settings('https://a.example'))).rejects.toThrow('no-session')
    electron.refusesProxies = false
    expect(numberOf(await http.sharedSession(settings('https://a.example')))).toBe(electron.sessions)
  })

  it("that couldn't be cleared is used no more, and takes no place", async () => {
    electron.refusesClearing = true
    const numbers = new Set<number>()
    for (let times = 0; times < 400; times += 1) numbers.add(await use('https://a.example'))
    expect(numbers.size).toBe(400)
  })

  it('is refused beyond a number of different settings, until the network process starts again', async () => {
    http.watchNetworkProcess()
    for (let port = 1; port <= 300; port += 1) await use(`https://a.example:${port}`)
    await expect(use('https://b.example')).rejects.toThrow('no-session')
    expect(await use('https://a.example:7')).toBe(7)
    electron.gone({ serviceName: 'network.mojom.NetworkService' })
    expect(await use('https://b.example')).toBe(301)
    expect(await use('https://a.example:7')).toBe(302)
  })
})

describe('a proxy', () => {
  const credentials = { userName: 'operator', password: 'a password' }
  const manual = { mode: 'manual' as const, host: 'Proxy.example.com', port: 3128, credentials }

  test('gives Electron every kind of proxy, without user name and password', () => {
    expect(http.proxyConfig({ mode: 'system' })).toEqual({ mode: 'system' })
    expect(http.proxyConfig({ mode: 'none' })).toEqual({ mode: 'direct' })
    expect(http.proxyConfig({ mode: 'pac-url', url: 'https://example.com/proxy.pac' })).toEqual({
      mode: 'pac_script',
      pacScript: 'https://example.com/proxy.pac',
    })
    // A proxy that was entered for an environment applies to this machine as well.
    expect(http.proxyConfig(manual)).toEqual({
      mode: 'fixed_servers',
      proxyRules: 'http://Proxy.example.com:3128',
      proxyBypassRules: '<-loopback>',
    })
  })

  test('gives a pasted script unchanged, whatever characters it contains', () => {
    const text = `function FindProxyForURL(url, host) {\n  return "DIRECT" // "ü" 100% #?& >>>>>?????\n}`
    const { mode, pacScript } = http.proxyConfig({ mode: 'pac-text', text })
    expect(mode).toBe('pac_script')
    const [head, body] = pacScript!.split(',')
    expect(head).toBe('data:application/x-ns-proxy-autoconfig;base64')
    // The base64 alphabet for URLs wouldn't work.
    expect(body).toBe(Buffer.from(text).toString('base64'))
  })

  test('credentials go only to the host and port that they were entered for', () => {
    expect(http.proxyCredentials(manual, { host: 'proxy.example.COM', port: 3128 })).toEqual(credentials)
    for (const asking of [
      { host: 'proxy.example.com', port: 3129 },
      { host: 'proxy.example.com.evil.example', port: 3128 },
      { host: 'evil.example', port: 3128 },
      { host: '', port: 3128 },
    ]) {
      expect(http.proxyCredentials(manual, asking), JSON.stringify(asking)).toBeNull()
    }
    const ip = { ...manual, host: '[2001:db8::1]' }
    expect(http.proxyCredentials(ip, { host: '2001:db8::1', port: 3128 })).toEqual(credentials)
    expect(http.proxyCredentials(ip, { host: '[2001:DB8::1]', port: 3128 })).toEqual(credentials)
  })

  test('credentials go to no other kind of proxy, and not to a proxy without any', () => {
    const asking = { host: 'proxy.example.com', port: 3128 }
    expect(http.proxyCredentials({ ...manual, credentials: null }, asking)).toBeNull()
    expect(http.proxyCredentials({ mode: 'system' }, asking)).toBeNull()
    expect(http.proxyCredentials({ mode: 'none' }, asking)).toBeNull()
    expect(
      http.proxyCredentials({ mode: 'pac-url', url: 'http://proxy.example.com:3128/' }, asking),
    ).toBeNull()
    expect(
      http.proxyCredentials({ mode: 'pac-text', text: 'PROXY proxy.example.com:3128' }, asking),
    ).toBeNull()
  })
})

describe('a request', () => {
  let client: HttpClient

  beforeEach(() => {
    client = http.createHttpClient({ record: () => 'id' }, () => undefined)
  })

  const direct: NetworkSettings = { trust: { kind: 'system' }, proxy: { mode: 'none' } }
  const withPassword: NetworkSettings = {
    trust: { kind: 'system' },
    proxy: {
      mode: 'manual',
      host: 'proxy.example',
      port: 3128,
      credentials: { userName: 'someone', password: 'their-password' },
    },
  }

  function ask(
    method: 'GET' | 'POST',
    network: NetworkSettings,
    baseUrl = 'https://service.example',
    more: Partial<HttpRequest> = {},
  ): Promise<Outcome<HttpAnswer>> {
    const target = { environmentId: 'e', baseUrl, headers: {}, network }
    return client.request({
      target,
      method,
      path: '/v2',
      ...(method === 'POST' ? { body: {} } : {}),
      ...more,
    })
  }

  /** The request with this number. */
  async function made(number: number): Promise<FakeRequest> {
    await expect.poll(() => electron.requests.length, { interval: 5 }).toBeGreaterThanOrEqual(number)
    return electron.requests[number - 1]!
  }

  const signIn = { isProxy: true, host: 'proxy.example', port: 3128, realm: '' }

  it('reports a creation as not sent if a proxy refuses it before its body was read', async () => {
    const outcome = ask('POST', withPassword)
    const request = await made(1)
    for (let times = 0; times < 2; times += 1)
      request.emit('login', { ...signIn, scheme: 'basic' }, () => undefined)
    request.answer(407)
    expect(await outcome).toMatchObject({ failure: { code: 'proxy', sent: 'no' } })
  })

  it('sends the body of a creation with its length once the service has required that', async () => {
    const first = ask('POST', direct)
    const refused = await made(1)
    refused.taken?.()
    refused.answer(411)
    await first
    const again = ask('POST', direct)
    const sent = await made(2)
    expect([sent.taken, sent.ended]).toEqual([null, true])
    sent.answer(201)
    expect(await again).toMatchObject({ ok: true })
  })

  it.each(['GET', 'POST'] as const)('reports a %s without a session as not sent', async (method) => {
    electron.refusesProxies = true
    expect(await ask(method, direct)).toMatchObject({ failure: { code: 'internal', sent: 'no' } })
    electron.refusesProxies = false
    const outcome = ask(method, direct)
    ;(await made(1)).answer(200)
    expect(await outcome).toMatchObject({ ok: true })
  })

  it.each([
    [false, 'no'],
    [true, 'maybe'],
  ] as const)(
    'reports a creation that is out of time according to whether its body was read: %s',
    async (isTaken, sent) => {
      const outcome = ask('POST', direct, undefined, { timeLimitMs: 400 })
      const request = await made(1)
      if (isTaken) request.taken?.()
      expect(await outcome).toMatchObject({ failure: { code: 'timeout', sent } })
    },
  )

  it('can cancel a creation only until its body was read', async () => {
    const controller = new AbortController()
    const before = ask('POST', direct, undefined, { signal: controller.signal })
    await made(1)
    controller.abort()
    expect(await before).toMatchObject({ failure: { code: 'cancelled', sent: 'no' } })

    const later = new AbortController()
    const after = ask('POST', direct, undefined, { signal: later.signal })
    const request = await made(2)
    request.taken?.()
    later.abort()
    request.answer(201)
    expect(await after).toMatchObject({ ok: true })
  })
})

describe('the state of a connection', () => {
  it("changes with answers and network errors, and not if Slipway didn't send the request", () => {
    const connections = new http.Connections(
      () => 'one',
      () => undefined,
    )
    const state = (outcome: Parameters<Http.Connections['note']>[2]) => {
      connections.note('e', 'one', outcome)
      return connections.of('e').state
    }
    expect(state(fail(failure('internal', 'No session.', { sent: 'no' })))).toBe('unknown')
    expect(state(fail(failure('offline', 'Nothing there.', { sent: 'no' })))).toBe('offline')
    expect(state(fail(failure('environment-changed', 'Edited.', { sent: 'no' })))).toBe('offline')
    expect(state(fail(failure('conflict', 'Taken.', { sent: 'answered', status: 409 })))).toBe('online')
    expect(state(fail(failure('unauthorised', 'No.', { sent: 'answered', status: 401 })))).toBe('denied')
    expect(connections.of('e').reason).toBe('No.')
    // A refused operation proves nothing about others.
    expect(state(fail(failure('forbidden', 'Not this.', { sent: 'answered', status: 403 })))).toBe('online')
    expect(connections.of('e').reason).toBeNull()
    expect(state(fail(failure('timeout', 'Too late.', { sent: 'no' })))).toBe('offline')
    expect(state(fail(failure('service-error', 'Broken.', { sent: 'answered', status: 500 })))).toBe('online')
    expect(connections.of('e').reason).toBe('Broken.')
    expect(state(succeed(null))).toBe('online')
    expect(connections.of('e').reason).toBeNull()
    expect(state(fail(failure('not-allowed', 'NTLM.', { sent: 'no' })))).toBe('online')
  })

  it('may be called in the background once an answer arrived, and after an edit until the next one', () => {
    let account = 'one'
    const connections = new http.Connections(
      () => account,
      () => undefined,
    )
    expect(connections.mayAnswer('e')).toBe(false)
    connections.note('e', 'one', succeed(null))
    expect(connections.mayAnswer('e')).toBe(true)
    account = 'two'
    expect(connections.of('e').state).toBe('unknown')
    expect(connections.mayAnswer('e')).toBe(true)
    // A late answer of the account before.
    connections.note('e', 'one', succeed(null))
    expect(connections.of('e').state).toBe('unknown')
    connections.note('e', 'two', fail(failure('offline', 'Nothing there.', { sent: 'no' })))
    expect(connections.mayAnswer('e')).toBe(false)
    account = 'three'
    connections.forget('e')
    expect(connections.mayAnswer('e')).toBe(false)
  })

  it('is told after every failure, and after an answer only if the service was not online before', () => {
    const told: string[] = []
    const connections = new http.Connections(
      () => 'one',
      ({ state }) => void told.push(state),
    )
    const lost = fail(failure('offline', 'Nothing there.', { sent: 'no' }))
    for (const outcome of [succeed(null), succeed(null), lost, lost, succeed(null)]) {
      connections.note('e', 'one', outcome)
    }
    expect(told).toEqual(['online', 'offline', 'offline', 'online'])
  })
})
