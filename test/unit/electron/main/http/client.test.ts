import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { gzipSync } from 'node:zlib'
import type { Outcome } from '@contract'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { request } from '../../../../../electron/main/http/client'
import { noteCredentials, redactCredentials } from '../../../../../electron/main/http/credentials'
import type { HttpAnswer, HttpRequest, HttpTarget } from '../../../../../electron/main/http/types'
import { retries, waitBeforeRetry } from '../../../../../electron/main/http/failures/retry'
import type { Send } from '../../../../../electron/main/http/exchange'
import { least } from '../../../../support/least'
import { encoders } from '../../../../support/main/encoders'

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
    age: headers.get('age'),
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

const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

const textOf = (outcome: Outcome<HttpAnswer>): string | null =>
  outcome.ok ? Buffer.from(outcome.value.body).toString() : null

const apiKey = 'Sk-live+4f9a/"2b71'
const password = 'proxy-Passw0rd-77'
const unnamed = 'unnamed4711credential'
const foreign = 'key-4711-for-£-and-more'

const unicodeEscape = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

describe('credentials in an answer', () => {
  const target: HttpTarget = {
    environmentId: 'e',
    baseUrl: 'http://service.example',
    headers: {
      'X-Api-Key': apiKey,
      Authorization: `Basic ${Buffer.from('someone:their-own-Password-1').toString('base64')}`,
      'X-Token': 'production-1',
      'X-Tenant-Id': '3f0c1d2e-aaaa-4bbb-8ccc-000000000001',
      'X-Team': 'team-of-many-people-1',
      'X-Account-Id': 'account-of-many-people-1',
      'X-Cluster': '3f0c1d2e-aaaa-4bbb-8ccc-000000000002',
      'X-Marked': unnamed,
      'X-Foreign-Key': foreign,
    },
    network: {
      trust: { kind: 'system' },
      proxy: {
        mode: 'manual',
        host: 'proxy.example',
        port: 3128,
        credentials: { userName: 'someone', password },
      },
    },
  }
  const clean = async (text: string): Promise<string> =>
    Buffer.from((await redactCredentials(Buffer.from(text), target))?.body ?? '').toString()

  it.each<[string, (secret: string) => string]>([
    ['as they are', (secret) => JSON.stringify({ secret })],
    ['in other case', (secret) => JSON.stringify({ secret: secret.toUpperCase() })],
    ['in JSON in JSON', (secret) => JSON.stringify({ text: JSON.stringify({ text: secret }) })],
    ['with escaped slashes', (secret) => JSON.stringify(secret).replaceAll('/', '\\/')],
    ['in a URL', (secret) => JSON.stringify(`https://a.example/?k=${encodeURIComponent(secret)}`)],
    ['in base64', (secret) => JSON.stringify(Buffer.from(`ab:${secret}:c`).toString('base64'))],
    ['in hexadecimal', (secret) => JSON.stringify(Buffer.from(secret).toString('hex'))],
    ['as a name', (secret) => JSON.stringify({ [secret]: 1 })],
    ['with one letter escaped', (secret) => JSON.stringify(secret).replace(/[a-z]/, unicodeEscape)],
    ['in ASCII', (secret) => JSON.stringify(secret).replace(/[^ -~]/g, unicodeEscape)],
    ['with what HTML needs escaped', (secret) => JSON.stringify(secret).replace(/[<>&='+]/g, unicodeEscape)],
    [
      'behind an escaped backslash',
      (secret) => JSON.stringify(`\\${secret}`).replace(/[a-z]/, unicodeEscape),
    ],
    [
      'escaped',
      (secret) =>
        `"${[...secret].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`,
    ],
  ])('are removed %s', async (_how, write) => {
    for (const secret of [apiKey, password, unnamed, foreign, 'their-own-Password-1']) {
      const cleaned = await clean(`{"before":"ä",${'"x":"y",'.repeat(7)}"at":${write(secret)},"after":"ö"}`)
      const { before, at, after } = JSON.parse(cleaned) as Record<string, unknown>
      expect([before, after]).toEqual(['ä', 'ö'])
      expect(JSON.stringify(at)).toContain('•••')
      for (const part of [
        '4f9a',
        'Passw0rd',
        'own-Password',
        '4711',
        Buffer.from(secret).toString('hex').slice(0, 12),
      ])
        expect(cleaned.toLowerCase()).not.toContain(part.toLowerCase())
    }
  })

  it.each(Object.entries(encoders))('are removed as %s writes them', async (encoder, write) => {
    const key = `aB3+dE5/fG7hI9jK1lM2&nO4<pQ6!rS8t'${'x7Y'.repeat(/base64/.test(encoder) ? 20 : 1)}==`
    const at = { ...target, headers: { 'X-Api-Key': key }, baseUrl: 'http://encoding.example' }
    const text = JSON.stringify({ at: `before ${write(key)} after` })
    const cleaned = Buffer.from((await redactCredentials(Buffer.from(text), at))!.body).toString()
    expect((JSON.parse(cleaned) as { at: string }).at).toMatch(/^before •••(?:\r?\n•••)* after$/)
  })

  it('are removed in every form, whatever was sent to the service earlier', async () => {
    const before = (header: string) => ({
      ...target,
      baseUrl: 'http://budget.example',
      headers: { 'X-Api-Key': header },
    })
    for (let index = 0; index < 20; index += 1) noteCredentials(before(`${index}-${'Ab3+'.repeat(2_000)}`))
    const own = before('Bearer lsv2-pt.Ab3dEf0123456789')
    const text = JSON.stringify(Buffer.from('key=lsv2-pt.Ab3dEf0123456789;').toString('base64'))
    expect((await redactCredentials(Buffer.from(text), own))?.unmasked).not.toBeNull()
  })

  it('are removed in every form, shortest first, in any order of the headers', async () => {
    const token = (length: number): string =>
      Array.from({ length }, (_, index) => 'aB3dE5fG7'[(index * index + index) % 9]).join('')
    const long = { Cookie: `session=${token(8_000)}; token=${token(150)}`, 'X-Auth-Token': token(8_191) }
    for (const headers of [
      { ...long, 'X-Api-Key': apiKey },
      { 'X-Api-Key': apiKey, ...long },
    ]) {
      const at = { ...target, headers, baseUrl: 'http://shortest.example' }
      const text = JSON.stringify(Buffer.from(apiKey).toString('base64'))
      expect((await redactCredentials(Buffer.from(text), at))?.unmasked).not.toBeNull()
    }
  })

  it("don't block the process if every character of the answer is escaped", async () => {
    const body = Buffer.from(`"${'\\u0041'.repeat(2_000_000)}"`)
    let turns = 0
    let next = setImmediate(function turn() {
      turns += 1
      next = setImmediate(turn)
    })
    const cleaned = await redactCredentials(body, target)
    clearImmediate(next)
    expect(cleaned?.body).toBe(body)
    // Two million escapes, 50,000 in a turn.
    expect(turns).toBeGreaterThanOrEqual(30)
  })

  it('are removed in every encoding if slashes are escaped, as in PHP', async () => {
    const key = 'Xk?>~?o?Ab3d9f?>~?kk?12'
    const at = { ...target, headers: { 'X-Api-Key': key }, baseUrl: 'http://slashes.example' }
    const php = (value: unknown): string => JSON.stringify(value).replaceAll('/', '\\/')
    const encoded = Buffer.from(key).toString('base64')
    expect(encoded).toContain('/')
    const shown = { link: 'https://a.example/b', version: `v ${encoded}`, path: 'C:\\/' }
    const cleaned = Buffer.from((await redactCredentials(Buffer.from(php(shown)), at))!.body).toString()
    expect(JSON.parse(cleaned)).toEqual({ ...shown, version: expect.stringMatching(/^v •••.=$/) as string })
    // Nothing can be removed from JSON inside a text.
    for (const inner of [JSON.stringify({ text: php(shown) }), php({ text: php(shown) })])
      expect(await redactCredentials(Buffer.from(inner), at)).toBeNull()
    const other = Buffer.from(php({ link: 'https://a.example/b', text: php({ link: '/' }) }))
    expect(await redactCredentials(other, at)).toEqual({ body: other, unmasked: null })
  })

  it('leave the meaning of escaped text unchanged', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            '\\u003d',
            '\\u0022',
            '\\u005c',
            '\\\\',
            '\\/',
            '/',
            '\\u00e9',
            '\\n',
            'u003d',
            'ä',
            '=',
          ),
        ),
        async (parts) => {
          const text = `["${parts.join('')}"]`
          expect(JSON.parse(await clean(text))).toEqual(JSON.parse(text))
        },
      ),
    ))

  it("don't include names, tenant identifiers or other headers", async () => {
    const text = JSON.stringify({
      ...target.headers,
      Authorization: '',
      'X-Api-Key': '',
      'X-Marked': '',
      'X-Foreign-Key': '',
    })
    const body = Buffer.from(text)
    expect(await redactCredentials(body, target)).toEqual({ body, unmasked: null })
    expect(body.toString()).toBe(text)
  })

  const random = 'q7w8e9r0t1y2u3i4o5p6a7'
  const id = '3f0c1d2e-aaaa-4bbb-8ccc-000000000003'
  /** A service of its own, to which other tests have sent no secrets. */
  const own = (name: string): HttpTarget => ({
    ...target,
    baseUrl: `http://${name.replace('_', '-')}.example`,
  })

  it('include those of earlier requests to the same service after a value was changed', async () => {
    const at = own('rotated')
    const text = JSON.stringify({ image_version: `created by ${random}` })
    for (const value of [random, 'its-Successor-0001'])
      await redactCredentials(Buffer.from(''), { ...at, headers: { 'X-Api-Key': value } })
    const now = { ...at, headers: { 'X-Api-Key': 'its-Successor-0001' } }
    expect(Buffer.from((await redactCredentials(Buffer.from(text), now))!.body).toString()).toBe(
      '{"image_version":"created by •••"}',
    )
    const other = { ...own('another'), headers: now.headers }
    expect((await redactCredentials(Buffer.from(text), other))?.unmasked).toBeNull()
  })

  it('include the values of single cookies and parameters', async () => {
    const at = { ...own('cookies'), headers: { Cookie: `a=1; sid=${random}; theme=dark` } }
    const cleaned = await redactCredentials(Buffer.from(`{"session":"${random}"}`), at)
    expect(Buffer.from(cleaned!.body).toString()).toBe('{"session":"•••"}')
  })

  it('are removed if only some characters are escaped, as many services do', async () => {
    const padded = 'QWxhZGRpbjpvcGVu&IHNlc2FtZTEyMzQ1Njc4OQ=='
    const at = { ...own('escaping'), headers: { 'X-Api-Key': padded } }
    const escape = (text: string, which: RegExp): string =>
      text.replace(which, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)
    const escaped = String.raw`\u00e9\u0022\\u003d\n`
    for (const which of [/[=&]/g, /=$/g, /[a-q]/g, /./g]) {
      const text = `{"key":"${escape(padded, which)}","kept":"${escaped}"}`
      const cleaned = Buffer.from((await redactCredentials(Buffer.from(text), at))!.body).toString()
      expect(JSON.parse(cleaned)).toEqual({ key: '•••', kept: 'é"\\u003d\n' })
      const inner = JSON.stringify({ text })
      expect(await redactCredentials(Buffer.from(inner), at)).toBeNull()
    }
    const other = Buffer.from(`{"text":"a \\u003d b","inner":"\\\\u003d"}`)
    expect(await redactCredentials(other, at)).toEqual({ body: other, unmasked: null })
  })

  it.each([
    ...['Authorization', 'Cookie', 'X-API-KEY', 'XApiKey', 'apikey', 'PRIVATE-TOKEN', 'X-Amz-Security-Token'],
    ...['CF-Access-Client-Secret', 'X_Session_Id', 'X-Signature-256', 'X-Auth', 'X-Jwt-Assertion', 'X-Key-2'],
  ])('include any value of the header %s', async (name) => {
    for (const value of [random, id, 'quite-ordinary-words'])
      expect(
        (await redactCredentials(Buffer.from(value), { ...own(name), headers: { [name]: value } }))?.body,
      ).toEqual(Buffer.from('•••'))
  })

  it.each([
    ...['X-Author', 'X-Bypass-Cache', 'X-Keycloak-Realm', 'X-Auth-Request-Email', 'X-Auth-Workspace'],
    ...['X-Namespace', 'X-Cluster', 'X-Customer', 'X-Domain', 'X-Monkey', 'X-Tenant-Id'],
  ])('include a value of the header %s only if it looks random', async (name) => {
    const hidden = async (value: string) =>
      (await redactCredentials(Buffer.from(value), { ...own(name), headers: { [name]: value } }))
        ?.unmasked !== null
    for (const value of ['team-platform-prod', 'someone@northwind.example', id, '/services/of-northwind/v2'])
      expect(await hidden(value), value).toBe(false)
    expect(await hidden(random)).toBe(!/Tenant|Workspace/.test(name))
  })

  it('are removed at every position, and nothing else changes', async () => {
    const pieces = fc.array(fc.oneof(fc.constantFrom(apiKey, password), fc.string({ maxLength: 30 })))
    await fc.assert(
      fc.asyncProperty(pieces, async (texts) => {
        // Together, two adjacent values could form a third.
        const text = texts.join('\n')
        const expected = texts.map((one) => ([apiKey, password].includes(one) ? '•••' : one)).join('\n')
        expect(await clean(text)).toBe(expected)
      }),
    )
  })

  it('take almost no time if there are none, and little if the answer consists of them', async () => {
    const usual = JSON.stringify(
      Array.from({ length: 20_000 }, (_, index) => ({
        name: `deployment-${index}`,
        status: 'READY',
        n: index,
      })),
    )
    const cpu = async (work: () => unknown): Promise<number> => {
      await work()
      const began = process.cpuUsage()
      for (let round = 0; round < 5; round += 1) await work()
      return process.cpuUsage(began).user / 5_000
    }
    const body = Buffer.from(usual)
    const ratio = async (): Promise<number> =>
      (await cpu(() => redactCredentials(body, target))) / (await cpu(() => JSON.parse(usual)))
    expect(await least(1, ratio)).toBeLessThan(1)
    const full = Buffer.from(apiKey.repeat(1_000_000))
    const began = process.cpuUsage()
    expect((await redactCredentials(full, target))?.body.length).toBe(9_000_000)
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(5_000)
  })

  it("don't block the process if values and answer are made to be slow to search", async () => {
    // Every piece of every value begins at every position of the answer.
    const piece = (number: number): string => 'a'.repeat(60) + String(1_000 + number)
    const value = (index: number): string =>
      Array.from({ length: 128 }, (_, part) => piece(index * 128 + part)).join('')
    const headers = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`X-Key-${index}`, value(index)]),
    )
    const body = Buffer.alloc(8_000_000, 'a')
    const longest = monitorEventLoopDelay({ resolution: 5 })
    longest.enable()
    const redacted = await redactCredentials(body, { ...target, headers })
    longest.disable()
    expect(redacted === null).toBe(true)
    expect(longest.percentile(50) / 1e6).toBeLessThan(100)
  })

  it("don't reach the caller", async () => {
    const base = await serve((incoming, response) => json(response, { headers: incoming.headers }))
    const outcome = await request(
      ask(base, { target: { ...target, baseUrl: base, network: undefined } }),
      send,
      limits,
    )
    expect(textOf(outcome)).toContain('"x-api-key":"•••"')
    expect(textOf(outcome)).not.toContain('4f9a')
    // Only to compare it with what was sent.
    expect(outcome.ok && Buffer.from(outcome.value.unmasked!).toString()).toContain('4f9a')
  })
})

describe('a credential of another environment', () => {
  it('is still known after a page tried many others at the same origin', async () => {
    const at = (environmentId: string | null, headers: Record<string, string>) => ({
      environmentId,
      baseUrl: 'http://shared.example',
      headers,
    })
    noteCredentials(at('first', { 'X-Api-Key': 'KEY-FIRST-Abcdefgh12345678' }))
    const tried = Array.from({ length: 50 }, (_, index): [string, string] => [
      `X-Key-${index}`,
      `Tried-key-${index}-0123456789`,
    ])
    noteCredentials(at(null, Object.fromEntries<string>(tried)))
    const body = Buffer.from('{"by":"KEY-FIRST-Abcdefgh12345678"}')
    const cleaned = await redactCredentials(
      body,
      at('second', { 'X-Api-Key': 'KEY-SECOND-Abcdefgh12345678' }),
    )
    expect(Buffer.from(cleaned!.body).toString()).toBe('{"by":"•••"}')
  })
})

describe('a header that was only tried', () => {
  const id = '5f0c1d2e-0000-4000-8000-000000000001'
  const page = JSON.stringify({ resources: [{ id, name: 'production-agent-eu', secret_references: null }] })
  const poison = {
    'X-Key': '{"resources":[{"',
    'X-Token': 'production-agent-eu',
    'X-Secret': id,
    'X-Auth': 'secret_references',
  }
  const key = 'Sk-live-key-0123456789'

  it('changes no answer to an environment of the same origin', async () => {
    let go: () => void = () => undefined
    const held = new Promise<void>((resolve) => (go = resolve))
    const base = await serve(({ headers }, response) => {
      if (headers['x-key'] !== undefined) json(response, {}, 401)
      else if (headers['x-held'] === undefined) response.end(page)
      else void held.then(() => response.end(page))
    })
    const at = (environmentId: string | null, headers: Record<string, string>) =>
      request(ask(base, { target: { environmentId, baseUrl: base, headers } }), send, limits)
    const before = at('e', { 'X-Api-Key': key, 'X-Held': 'yes' })
    expect((await at(null, poison)).ok).toBe(false)
    go()
    expect(textOf(await before)).toBe(page)
    expect(textOf(await at('e', { 'X-Api-Key': key }))).toBe(page)
    expect(textOf(await at('f', {}))).toBe(page)
  })

  it('is removed from the answer to the check, like credentials of environments', async () => {
    const base = await serve(({ headers }, response) =>
      json(response, { was: key, is: headers['x-api-key'] }),
    )
    const at = (environmentId: string | null, value: string) =>
      request(
        ask(base, { target: { environmentId, baseUrl: base, headers: { 'X-Api-Key': value } } }),
        send,
        limits,
      )
    await at('e', key)
    expect(textOf(await at(null, 'a-Tried-key-0123456789'))).toBe('{"was":"•••","is":"•••"}')
  })

  it('is removed from later failures of the service', async () => {
    const tried = 'a-Tried-key-0123456789'
    const base = await serve((_, response) => json(response, { detail: `The last one was ${tried}.` }, 403))
    const at = (environmentId: string | null, value: string) =>
      request(
        ask(base, { target: { environmentId, baseUrl: base, headers: { 'X-Api-Key': value } } }),
        send,
        limits,
      )
    await at(null, tried)
    const outcome = await at('e', key)
    expect(outcome.ok).toBe(false)
    expect(JSON.stringify(outcome)).toContain('The last one was •••.')
  })
})

describe('a credential that was changed', () => {
  it('is removed from later answers even if it was refused', async () => {
    const old = 'an-Old-key-0123456789'
    const base = await serve(({ headers }, response) =>
      json(response, { was: `the key ${old} was replaced` }, headers['x-api-key'] === old ? 401 : 200),
    )
    const withKey = (value: string) =>
      ask(base, { target: { environmentId: 'e', baseUrl: base, headers: { 'X-Api-Key': value } } })
    expect((await request(withKey(old), send, limits)).ok).toBe(false)
    expect(textOf(await request(withKey('a-New-key-0123456789'), send, limits))).toBe(
      '{"was":"the key ••• was replaced"}',
    )
  })
})

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
    await request(ask(`${base}/api-host`, { query }), send, limits)
    const outcome = await request(ask(base, { method: 'POST', body: { name: 'ä' } }), send, limits)
    expect(outcome).toMatchObject({ ok: true, value: { status: 201 } })
    expect(textOf(outcome)).toBe('{"id":1}')
    expect(outcome.ok && Date.parse(outcome.value.date ?? '')).toBeGreaterThan(0)
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
      const outcome = await request(ask(base, { path, timeLimitMs: 400 }), send, limits)
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
      // Ends the connection after what was written, which destroying it could lose.
      if (incoming.url === '/breaks') return response.write('taken ', () => incoming.socket.end())
      return response.write('taken ' + 'x'.repeat(300 * 1024))
    })
    for (const path of ['/breaks', '/endless']) {
      const outcome = await request(ask(base, { path, method: 'POST', body: {} }), send, limits)
      expect(outcome).toMatchObject({ ok: false, failure: { code: 'conflict', status: 409 } })
      if (!outcome.ok) expect(outcome.failure.serviceWords).toContain('taken')
    }
  })

  it('shows no secret that was sent to its service earlier, but shows what only others were sent', async () => {
    const secret = 'Zq9 of an earlier creation'
    const refuse: Handler = (incoming, response) =>
      incoming.method === 'POST'
        ? void incoming.resume().on('end', () => incoming.socket.destroy())
        : json(
            response,
            { detail: [{ loc: ['body', secret], msg: `not ${encodeURIComponent(secret)}` }] },
            403,
          )
    const [own, other] = [await serve(refuse), await serve(refuse)]
    const creation = { method: 'POST', body: { secrets: [{ name: 'S', value: secret }] } } as const
    const lost = await request(ask(own, { ...creation, secrets: [secret] }), send, limits)
    expect(lost).toMatchObject({ ok: false, failure: { code: 'connection-lost' } })
    const prefixed = await request(ask(`${own}/behind/a/prefix`), send, limits)
    for (const looked of [await request(ask(own), send, limits), prefixed]) {
      expect(looked).toMatchObject({ ok: false, failure: { code: 'forbidden' } })
      expect(JSON.stringify(looked)).toContain('not •••')
      expect(JSON.stringify(looked)).not.toContain('Zq9')
    }
    expect(JSON.stringify(await request(ask(other), send, limits))).toContain('Zq9')
  })

  it('follows redirects within its origin, with its headers, and stops in a loop', async () => {
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

  it("doesn't follow a status that isn't a redirect", async () => {
    const base = await serve((_incoming, response) => response.writeHead(304).end())
    const outcome = await request(ask(base), send, limits)
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'unexpected-status', status: 304 } })
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
    const get = await request(ask(base), send, limits)
    expect(get).toMatchObject({ ok: false, failure: { code: 'redirected' } })
    if (!get.ok) expect(get.failure.message).toContain(other)
    const post = await request(ask(base, { method: 'POST', body: {} }), send, limits)
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
    expect(await request(ask(base, { path: '/recovers' }), send, limits)).toMatchObject({ ok: true })
    requests = 0
    expect(await request(ask(base), send, limits)).toMatchObject({ ok: false })
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
      const outcome = await request(ask(base, { method: 'POST', body: {} }), send, limits)
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
    await request(ask(base), send, limits)
    await request(ask(base, { target }), send, limits)
    await request(ask(base, { method: 'POST', body: {} }), send, limits)
    expect(seen[0]).toMatchObject({ 'cache-control': 'no-cache', pragma: 'no-cache' })
    expect(seen[1]).toMatchObject({ 'cache-control': 'max-age=60', pragma: 'no-cache' })
    expect(seen[2]).not.toHaveProperty('pragma')
  })

  it.each([
    [null, false],
    ['0', false],
    ['1', true],
    ['600', true],
    ['-1', true],
    ['some time', true],
  ])('knows whether an answer with Age %s is older than the request', async (age, isStale) => {
    const base = await serve((_incoming, response) => {
      if (age !== null) response.setHeader('Age', age)
      json(response, 'good')
    })
    const outcome = await request(ask(base), send, limits)
    expect(outcome).toMatchObject({ ok: true, value: { isStale } })
    // The time in such an answer isn't the service's current time.
    expect(outcome.ok && outcome.value.date === null).toBe(isStale)
  })

  it("accepts a cached answer that isn't older than the request", async () => {
    const base = await serve((_incoming, response) => {
      // The header has whole seconds, so the request has to be older than one.
      setTimeout(() => json(response.setHeader('Age', '1'), 'good'), 1_050)
    })
    expect(await request(ask(base), send, limits)).toMatchObject({ ok: true, value: { isStale: false } })
  })

  it('waits as long as the service asks, up to ten seconds', async () => {
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
    expect(await request(ask(base, { signal: AbortSignal.abort() }), send, limits)).toMatchObject(cancelled)
    expect(requests).toBe(0)
    for (const [path, how] of [
      ['/silent', send],
      ['/busy', sendThenAbort],
    ] as const) {
      controller = new AbortController()
      const began = performance.now()
      const outcome = await request(ask(base, { path, signal: controller.signal }), how, limits)
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
    expect(waitBeforeRetry(end, 0, () => 1)).toBe(retries.firstWaitMs)
    expect(waitBeforeRetry(end, 1, () => 1)).toBe(2 * retries.firstWaitMs)
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
