import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { NetworkSettings, Outcome } from '@contract'
import { beforeEach, expect, it, vi } from 'vitest'
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
  setProxy: (): Promise<void> => Promise.resolve(),
  forceReloadProxyConfig: (): Promise<void> => Promise.resolve(),
  gone: (_details: { serviceName?: string }): void => undefined,
}))

vi.mock('electron', async () => {
  const { fakeSession } = await import('../../../../support/main/electron-session')
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
      fromPartition: () =>
        fakeSession({
          setProxy: () => electron.setProxy(),
          forceReloadProxyConfig: () => electron.forceReloadProxyConfig(),
        }),
    },
  }
})

let http: HttpClient

beforeEach(async () => {
  vi.resetModules()
  electron.requests.length = 0
  electron.setProxy = () => Promise.resolve()
  electron.forceReloadProxyConfig = () => Promise.resolve()
  const { createHttpClient } = await import('../../../../../electron/main/http')
  http = createHttpClient({ record: () => 'id' }, () => undefined)
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
  return http.request({ target, method, path: '/v2', ...(method === 'POST' ? { body: {} } : {}), ...more })
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
  electron.setProxy = () => Promise.reject(new Error('No such proxy.'))
  expect(await ask(method, direct)).toMatchObject({ failure: { code: 'internal', sent: 'no' } })
  electron.setProxy = () => Promise.resolve()
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
