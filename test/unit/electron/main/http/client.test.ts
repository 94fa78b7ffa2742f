import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Outcome } from '@contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { request } from '../../../../../electron/main/http/client'
import type { HttpAnswer, HttpRequest } from '../../../../../electron/main/http/port'
import { retries, waitBeforeRetry } from '../../../../../electron/main/http/retry'
import type { Send } from '../../../../../electron/main/http/send'

// Node's fetch in the place of a session's: the logic around it is the same. The sessions themselves are tried in
// the running application.
const send: Send = async ({ url, ...message }, signal) => {
  const { status, headers, body } = await fetch(url, { ...message, signal, redirect: 'manual' })
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) return { status, to: new URL(location, url).href }
  return {
    status,
    contentType: headers.get('content-type'),
    retryAfter: headers.get('retry-after'),
    date: headers.get('date'),
    body: (body ?? []) as unknown as AsyncIterable<Uint8Array>,
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

const servers: Server[] = []

async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

const ask = (baseUrl: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  target: { environmentId: 'e', baseUrl, headers: { 'X-Api-Key': 'the-secret-key' } },
  method: 'GET',
  path: '/v2/deployments',
  ...more,
})

const limits = { timeMs: 5000, answerBytes: 100_000 }

vi.setConfig({ testTimeout: 60_000 })

const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

const textOf = (outcome: Outcome<HttpAnswer>): string | null =>
  outcome.ok ? Buffer.from(outcome.value.body).toString() : null

describe('a request', () => {
  it('carries prefix, path, query, headers and body', async () => {
    const seen: unknown[] = []
    const base = await serve((incoming, response) => {
      let body = ''
      incoming.on('data', (part: Buffer) => (body += part.toString()))
      incoming.on('end', () => {
        const { method, url, headers } = incoming
        seen.push([method, url, headers['x-api-key'], headers.accept, headers['content-type'], body])
        json(response, { id: 1 }, 201)
      })
    })
    const query = new URLSearchParams({ limit: '5', name_contains: 'a b&c' })
    await request(ask(`${base}/api-host`, { query }), send, limits)
    const outcome = await request(ask(base, { method: 'POST', body: { name: 'ä' } }), send, limits)
    expect(outcome).toMatchObject({ ok: true, value: { status: 201 } })
    expect(textOf(outcome)).toBe('{"id":1}')
    expect(outcome.ok && Date.parse(outcome.value.date ?? '')).toBeGreaterThan(0)
    expect(seen).toEqual([
      [
        'GET',
        '/api-host/v2/deployments?limit=5&name_contains=a+b%26c',
        'the-secret-key',
        'application/json',
        undefined,
        '',
      ],
      ['POST', '/v2/deployments', 'the-secret-key', 'application/json', 'application/json', '{"name":"ä"}'],
    ])
  })

  it('has a time limit over the headers and over a body that drips', async () => {
    let closed = 0
    const base = await serve((incoming, response) => {
      incoming.socket.once('close', () => (closed += 1))
      if (incoming.url === '/drip') {
        response.writeHead(200)
        const drip = setInterval(() => response.write(' '), 20)
        response.once('close', () => clearInterval(drip))
      }
    })
    for (const path of ['/silent', '/drip']) {
      const began = performance.now()
      const outcome = await request(ask(base, { path, timeLimitMs: 400 }), send, limits)
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'timeout' } })
      expect(performance.now() - began).toBeLessThan(4000)
    }
    await expect.poll(() => closed).toBe(2)
  })

  it('reads no answer that is larger than the limit, however small it was packed', async () => {
    let closed = 0
    const base = await serve((incoming, response) => {
      incoming.socket.once('close', () => (closed += 1))
      if (incoming.url === '/bomb') {
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(1_000_000, ' ')))
        return
      }
      response.writeHead(200)
      const pour = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, ' ')));
      }
      response.on('drain', pour)
      pour()
    })
    for (const path of ['/endless', '/bomb']) {
      const outcome = await request(ask(base, { path }), send, limits)
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'too-large', retryable: false } })
    }
    await expect.poll(() => closed).toBeGreaterThan(0)
  })

  it('keeps the status of a refusal whose body never ends or breaks off', async () => {
    const base = await serve((incoming, response) => {
      response.writeHead(409, { 'Content-Type': 'text/plain', 'Content-Length': '1000000000' })
      response.write('taken ')
      if (incoming.url === '/breaks') return setTimeout(() => response.destroy(), 50)
      return response.write(Buffer.alloc(300 * 1024, 'x'))
    })
    for (const path of ['/breaks', '/endless']) {
      const outcome = await request(ask(base, { path, method: 'POST', body: {} }), send, limits)
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'conflict', status: 409 } })
      if (!outcome.ok) expect(outcome.failure.serviceWords).toContain('taken')
    }
  })

  it('follows a redirect within its origin, with its headers, and a circle of them not for ever', async () => {
    const keys: unknown[] = []
    const base = await serve((incoming, response) => {
      keys.push(incoming.headers['x-api-key'])
      if (incoming.url === '/v2/deployments/') return json(response, 'there')
      const location = incoming.url === '/circle' ? '/circle' : '/v2/deployments/'
      return response.writeHead(307, { Location: location }).end()
    })
    expect(textOf(await request(ask(base), send, limits))).toBe('"there"')
    expect(keys).toEqual(['the-secret-key', 'the-secret-key'])
    const circle = await request(ask(base, { path: '/circle' }), send, limits)
    expect(circle).toMatchObject({ ok: false, failure: { code: 'redirected' } })
    expect(keys).toHaveLength(8)
  })

  it('never follows a redirect to another origin, nor a POST at all', async () => {
    let strangers = 0
    const other = await serve((_incoming, response) => {
      strangers += 1
      json(response, {})
    })
    let asked = 0
    const base = await serve((incoming, response) => {
      asked += 1
      const location = incoming.method === 'POST' ? '/elsewhere' : other
      response.writeHead(302, { Location: location }).end()
    })
    const get = await request(ask(base), send, limits)
    expect(get).toMatchObject({ ok: false, failure: { code: 'redirected' } })
    if (!get.ok) expect(get.failure.message).toContain(other)
    const post = await request(ask(base, { method: 'POST', body: {} }), send, limits)
    expect(post).toMatchObject({ ok: false, failure: { code: 'redirected' } })
    expect([strangers, asked]).toEqual([0, 2])
  })

  it('is sent again after a passing trouble when it is a GET, at most twice', async () => {
    let asked = 0
    const base = await serve((incoming, response) => {
      asked += 1
      if (incoming.url === '/recovers' && asked === 2) return json(response, 'good')
      if (asked % 2 === 0) return json(response, { detail: 'busy' }, 503)
      return incoming.socket.destroy()
    })
    expect(await request(ask(base, { path: '/recovers' }), send, limits)).toMatchObject({ ok: true })
    asked = 0
    expect(await request(ask(base), send, limits)).toMatchObject({ ok: false })
    expect(asked).toBe(3)
  })

  it('is sent only once when it is a POST', async () => {
    for (const status of [429, 500, 502, 503, 504, null]) {
      let asked = 0
      const base = await serve((incoming, response) => {
        asked += 1
        if (status === null) incoming.socket.destroy()
        else json(response, {}, status)
      })
      const outcome = await request(ask(base, { method: 'POST', body: {} }), send, limits)
      expect(outcome.ok).toBe(false)
      expect(asked).toBe(1)
    }
  })

  it('waits as long as the service asks, but not for longer than ten seconds', async () => {
    const times: number[] = []
    const base = await serve((incoming, response) => {
      times.push(performance.now())
      if (times.length === 2) return json(response, 'good')
      const seconds = incoming.url === '/long' ? '3600' : '1'
      return response.writeHead(429, { 'Retry-After': seconds }).end()
    })
    expect(await request(ask(base), send, limits)).toMatchObject({ ok: true })
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1000)
    times.length = 0
    expect(await request(ask(base, { path: '/long' }), send, limits)).toMatchObject({
      ok: false,
      failure: { code: 'rate-limited', retryAfterSeconds: 3600 },
    })
    expect(times).toHaveLength(1)
  })

  it('can be cancelled before, during and between its attempts', async () => {
    let asked = 0
    let controller = new AbortController()
    const base = await serve((incoming, response) => {
      asked += 1
      if (incoming.url === '/busy') response.writeHead(503, { 'Retry-After': '5' }).end()
      else controller.abort()
    })
    // The signal of an attempt aborts when that is over; what follows at once is the wait for the next.
    const sendThenAbort: Send = (message, signal) => {
      signal.addEventListener('abort', () => setImmediate(() => controller.abort()))
      return send(message, signal)
    }
    const cancelled = { ok: false, failure: { code: 'cancelled' } }
    expect(await request(ask(base, { signal: AbortSignal.abort() }), send, limits)).toMatchObject(cancelled)
    expect(asked).toBe(0)
    for (const [path, how] of [
      ['/silent', send],
      ['/busy', sendThenAbort],
    ] as const) {
      controller = new AbortController()
      const began = performance.now()
      const outcome = await request(ask(base, { path, signal: controller.signal }), how, limits)
      expect(outcome, path).toMatchObject(cancelled)
      // Sooner than the time limit, and than the wait that the service asks for.
      expect(performance.now() - began, path).toBeLessThan(4000)
    }
    expect(asked).toBe(2)
  })
})

describe('the wait before another attempt', () => {
  it('grows, and jitters over its whole length', () => {
    const end = { kind: 'network', error: 'ERR_CONNECTION_RESET', status: null } as const
    expect(waitBeforeRetry(end, 0, () => 0)).toBe(0)
    expect(waitBeforeRetry(end, 0, () => 1)).toBe(retries.firstWaitMs)
    expect(waitBeforeRetry(end, 1, () => 1)).toBe(2 * retries.firstWaitMs)
    expect(waitBeforeRetry(end, 2)).toBeNull()
  })

  it('is none after a time limit, a certificate, or an answer that will not change', () => {
    expect(waitBeforeRetry({ kind: 'time-limit', limitMs: 1, status: null }, 0)).toBeNull()
    expect(
      waitBeforeRetry({ kind: 'network', error: 'ERR_CERT_AUTHORITY_INVALID', status: null }, 0),
    ).toBeNull()
    for (const status of [200, 400, 401, 404, 500, 501]) {
      const end = {
        kind: 'answer',
        status,
        contentType: null,
        retryAfter: '1',
        body: new Uint8Array(),
      } as const
      expect(waitBeforeRetry(end, 0), String(status)).toBeNull()
    }
  })
})
