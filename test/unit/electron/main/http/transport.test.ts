import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import type { NetworkSettings, Outcome } from '@contract'
import { beforeEach, expect, it, vi } from 'vitest'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../../../../electron/main/http/types'

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

it('asks before the body of a creation leaves, and holds it back', async () => {
  const mayLeave = vi.fn(() => Promise.resolve(false))
  const outcome = ask('POST', direct, undefined, { mayLeave })
  const request = await made(1)
  expect(mayLeave).not.toHaveBeenCalled()
  request.taken?.()
  expect(await outcome).toMatchObject({ failure: { code: 'cancelled', sent: 'no' } })
  expect(request.ended).toBe(false)
})

it('reports a creation as not sent if a proxy refuses it before its body was read', async () => {
  const outcome = ask('POST', withPassword)
  const request = await made(1)
  for (let times = 0; times < 2; times += 1)
    request.emit('login', { ...signIn, scheme: 'basic' }, () => undefined)
  request.answer(407)
  expect(await outcome).toMatchObject({ failure: { code: 'proxy', sent: 'no' } })
})

it('asks before the body of a creation leaves with its length, and holds it back', async () => {
  const first = ask('POST', direct)
  const refused = await made(1)
  refused.taken?.()
  refused.answer(411)
  await first
  let answer = (_may: boolean): void => undefined
  const mayLeave = (): Promise<boolean> => new Promise((resolve) => (answer = resolve))
  const outcome = ask('POST', direct, undefined, { mayLeave })
  const request = await made(2)
  expect(request.taken).toBeNull()
  expect(request.ended).toBe(false)
  answer(false)
  expect(await outcome).toMatchObject({ failure: { code: 'cancelled', sent: 'no' } })
  expect(request.ended).toBe(false)

  const again = ask('POST', direct, undefined, { mayLeave: () => Promise.resolve(true) })
  const sent = await made(3)
  await expect.poll(() => sent.ended, { interval: 5 }).toBe(true)
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

it('reports a cancelled creation according to whether its body was read', async () => {
  for (const [isTaken, sent] of [
    [false, 'no'],
    [true, 'maybe'],
  ] as const) {
    for (const how of ['time limit', 'cancelled']) {
      const controller = new AbortController()
      const timeLimitMs = how === 'cancelled' ? 10_000 : 400
      electron.requests.length = 0
      const outcome = ask('POST', direct, undefined, { signal: controller.signal, timeLimitMs })
      const request = await made(1)
      if (isTaken) request.taken?.()
      if (how === 'cancelled') controller.abort()
      expect(await outcome, `${how}, ${isTaken}`).toMatchObject({ failure: { sent } })
    }
  }
})
