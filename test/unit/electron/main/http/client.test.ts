import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Outcome } from '@contract'
import { afterEach, describe, expect, it } from 'vitest'
import {
  request,
  waitBeforeRetry,
  waitsMs,
  type HttpAnswer,
  type HttpRequest,
  type Send,
} from '../../../../../electron/main/http/client'

// Uses Node's fetch instead of a session: the logic around it is the same. End-to-end tests cover the sessions.
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

const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

const textOf = (outcome: Outcome<HttpAnswer>): string | null =>
  outcome.ok ? Buffer.from(outcome.value.body).toString() : null

describe('a request', () => {
  it('has the prefix, path, query, headers and body', async () => {
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
    const query = new URLSearchParams({ limit: '5', name_contains: 'a b&c+d' })
    await request(ask(`${base}/api-host`, { query }), send)
    const outcome = await request(ask(base, { method: 'POST', body: { name: 'ä' } }), send)
    expect(outcome).toMatchObject({ ok: true, value: { status: 201 } })
    expect(textOf(outcome)).toBe('{"id":1}')
    expect(seen).toEqual([
      [
        'GET',
        '/api-host/v2/deployments?limit=5&name_contains=a%20b%26c%2Bd',
        'the-secret-key',
        'application/json',
        undefined,
        '',
      ],
      ['POST', '/v2/deployments', 'the-secret-key', 'application/json', 'application/json', '{"name":"ä"}'],
    ])
  })

  it('gives the unchanged body of a 2xx answer, JSON or not, whatever its content type', async () => {
    const bodies = ['{"a": 1}', '{"resources": [', 'OK', `{"name": "${'ä'.repeat(2_000)}`, '[]']
    for (const body of bodies) {
      const type = body === '[]' ? 'text/html' : 'application/json'
      const url = await serve((_asked, response) => {
        response.writeHead(201, { 'Content-Type': type }).end(body)
      })
      const outcome = await request(ask(url), send)
      expect(outcome).toMatchObject({ ok: true, value: { status: 201 } })
      expect(textOf(outcome)).toBe(body)
    }
  })

  it('has a time limit for the headers and for a slow body', async () => {
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
      const outcome = await request(ask(base, { path, timeLimitMs: 400 }), send)
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'timeout' } })
      expect(performance.now() - began).toBeLessThan(4000)
    }
    await expect.poll(() => closed).toBe(2)
  })

  it('stops reading an answer that exceeds the limit after decompression', async () => {
    let closed = 0
    const base = await serve((incoming, response) => {
      incoming.socket.once('close', () => (closed += 1))
      if (incoming.url === '/bomb') {
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(40_000_000, ' ')))
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
      const outcome = await request(ask(base, { path }), send)
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'too-large', retryable: false } })
    }
    await expect.poll(() => closed).toBeGreaterThan(0)
  })

  it('keeps the status of a refusal whose body never ends or breaks off', async () => {
    const base = await serve((incoming, response) => {
      response.writeHead(409, { 'Content-Type': 'text/plain', 'Content-Length': '1000000000' })
      // Ends the connection after what was written, which destroying it could lose.
      if (incoming.url === '/breaks') return response.write('taken ', () => incoming.socket.end())
      return response.write('taken ' + 'x'.repeat(300 * 1024))
    })
    for (const path of ['/breaks', '/endless']) {
      const outcome = await request(ask(base, { path, method: 'POST', body: {} }), send)
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'conflict', status: 409 } })
      if (!outcome.ok) expect(outcome.failure.serviceWords).toContain('taken')
    }
  })

  it('shows no secret that it sent, with or without its scheme, in a failure', async () => {
    const secret = 'Zq9 of a creation'
    const base = await serve(
      (incoming, response) =>
        void incoming
          .resume()
          .on('end', () =>
            json(
              response,
              { detail: [{ loc: ['body', secret], msg: `not ${secret}, and not abcdefgh12` }] },
              403,
            ),
          ),
    )
    const target = { environmentId: 'e', baseUrl: base, headers: { Authorization: 'Bearer abcdefgh12' } }
    const creation = { method: 'POST', body: {}, secrets: [secret], target } as const
    const refused = await request(ask(base, creation), send)
    expect(refused).toMatchObject({ ok: false, failure: { code: 'forbidden' } })
    expect(JSON.stringify(refused)).toContain('not •••, and not •••')
    expect(JSON.stringify(refused)).not.toMatch(/Zq9|abcdefgh12/)
  })

  it('follows redirects within its origin, with its headers, and stops in a loop', async () => {
    const keys: unknown[] = []
    const base = await serve((incoming, response) => {
      keys.push(incoming.headers['x-api-key'])
      if (incoming.url === '/v2/deployments/') return json(response, 'there')
      const location = incoming.url === '/circle' ? '/circle' : '/v2/deployments/'
      return response.writeHead(307, { Location: location }).end()
    })
    expect(textOf(await request(ask(base), send))).toBe('"there"')
    expect(keys).toEqual(['the-secret-key', 'the-secret-key'])
    const circle = await request(ask(base, { path: '/circle' }), send)
    expect(circle).toMatchObject({ ok: false, failure: { code: 'redirected' } })
    expect(keys).toHaveLength(8)
  })

  it('follows no redirect to another origin, and none of a POST', async () => {
    let strangers = 0
    const other = await serve((_incoming, response) => {
      strangers += 1
      json(response, {})
    })
    let requests = 0
    const base = await serve((incoming, response) => {
      requests += 1
      const location = incoming.method === 'POST' ? '/elsewhere' : other
      response.writeHead(302, { Location: location }).end()
    })
    const get = await request(ask(base), send)
    expect(get).toMatchObject({ ok: false, failure: { code: 'redirected' } })
    if (!get.ok) expect(get.failure.message).toContain(other)
    const post = await request(ask(base, { method: 'POST', body: {} }), send)
    expect(post).toMatchObject({ ok: false, failure: { code: 'redirected' } })
    expect([strangers, requests]).toEqual([0, 2])
  })

  it('is sent again after a temporary failure if it is a GET, at most twice', async () => {
    let requests = 0
    const base = await serve((incoming, response) => {
      requests += 1
      if (incoming.url === '/recovers' && requests === 2) return json(response, 'good')
      if (requests % 2 === 0) return json(response, { detail: 'busy' }, 503)
      return incoming.socket.destroy()
    })
    expect(await request(ask(base, { path: '/recovers' }), send)).toMatchObject({ ok: true })
    requests = 0
    expect(await request(ask(base), send)).toMatchObject({ ok: false })
    expect(requests).toBe(3)
  })

  it('is sent once if it is a POST', async () => {
    for (const status of [429, 500, 502, 503, 504, null]) {
      let requests = 0
      const base = await serve((incoming, response) => {
        requests += 1
        if (status === null) incoming.socket.destroy()
        else json(response, {}, status)
      })
      const outcome = await request(ask(base, { method: 'POST', body: {} }), send)
      expect(outcome.ok).toBe(false)
      expect(requests).toBe(1)
    }
  })

  it('tells caches on the way not to answer a GET, unless the operator sets a header for that', async () => {
    const seen: IncomingMessage['headers'][] = []
    const base = await serve(({ headers }, response) => {
      seen.push(headers)
      json(response, 'good')
    })
    const target = { ...ask(base).target, headers: { 'CACHE-CONTROL': 'max-age=60' } }
    await request(ask(base), send)
    await request(ask(base, { target }), send)
    await request(ask(base, { method: 'POST', body: {} }), send)
    expect(seen[0]).toMatchObject({ 'cache-control': 'no-cache', pragma: 'no-cache' })
    expect(seen[1]).toMatchObject({ 'cache-control': 'max-age=60', pragma: 'no-cache' })
    expect(seen[2]).not.toHaveProperty('pragma')
  })

  it('waits as long as the service asks, up to ten seconds', async () => {
    const times: number[] = []
    const base = await serve((incoming, response) => {
      times.push(performance.now())
      if (times.length === 2) return json(response, 'good')
      const seconds = incoming.url === '/long' ? '3600' : '1'
      return response.writeHead(429, { 'Retry-After': seconds }).end()
    })
    expect(await request(ask(base), send)).toMatchObject({ ok: true })
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1000)
    times.length = 0
    expect(await request(ask(base, { path: '/long' }), send)).toMatchObject({
      ok: false,
      failure: { code: 'rate-limited', retryAfterSeconds: 3600 },
    })
    expect(times).toHaveLength(1)
  })

  it('can be cancelled before, during and between its attempts', async () => {
    let requests = 0
    let controller = new AbortController()
    const base = await serve((incoming, response) => {
      requests += 1
      if (incoming.url === '/busy') response.writeHead(503, { 'Retry-After': '5' }).end()
      else controller.abort()
    })
    // The signal of an attempt aborts when the attempt is over. The wait for the next one follows.
    const sendThenAbort: Send = (message, signal, tell) => {
      signal.addEventListener('abort', () => setImmediate(() => controller.abort()))
      return send(message, signal, tell)
    }
    const cancelled = { ok: false, failure: { code: 'cancelled' } }
    expect(await request(ask(base, { signal: AbortSignal.abort() }), send)).toMatchObject(cancelled)
    expect(requests).toBe(0)
    for (const [path, how] of [
      ['/silent', send],
      ['/busy', sendThenAbort],
    ] as const) {
      controller = new AbortController()
      const began = performance.now()
      const outcome = await request(ask(base, { path, signal: controller.signal }), how)
      expect(outcome, path).toMatchObject(cancelled)
      // Earlier than the time limit, and than the wait that the service requests.
      expect(performance.now() - began, path).toBeLessThan(4000)
    }
    expect(requests).toBe(2)
  })
})

describe('the wait before the next attempt', () => {
  it('grows, with full jitter', () => {
    const end = { kind: 'network', error: 'ERR_CONNECTION_RESET', status: null } as const
    expect(waitBeforeRetry(end, 0, () => 0)).toBe(0)
    expect(waitBeforeRetry(end, 0, () => 1)).toBe(waitsMs[0])
    expect(waitBeforeRetry(end, 1, () => 1)).toBe(waitsMs[1])
    expect(waitBeforeRetry(end, 2)).toBeNull()
  })

  it("is null after a time limit, a certificate, or an answer that won't change", () => {
    expect(waitBeforeRetry({ kind: 'time-limit', limitMs: 1, status: null, begun: true }, 0)).toBeNull()
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
