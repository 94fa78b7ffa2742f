import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import { sampleIntegrationId } from '@contract'
import { type ServiceHere, startService } from '../../support/service/service-here'
import { startService as startProcess } from '../../support/service/service-process'
import {
  creation,
  detailOf,
  type ErrorBody,
  getWith,
  post,
  send,
  sendRaw,
} from '../../support/service/client'

const apiKey = 'a-key-of-some-length'
const secret = 'secret-that-must-not-be-seen'
let open: ServiceHere
let locked: ServiceHere

beforeAll(async () => {
  open = await startService({ mode: 'cloud', sample: 3 })
  locked = await startService({ mode: 'cloud', sample: 3, apiKey })
})
afterAll(() => Promise.all([open.dispose(), locked.dispose()]))

describe('the API key', () => {
  const paths = ['/v2/deployments', '/v1/integrations/forge/repohost/x/repos', '/nothing']

  it.each(paths)('is required at %s', async (path) => {
    for (const headers of [
      {},
      { 'x-api-key': 'wrong' },
      { 'x-api-key': `${apiKey}x` },
      { 'x-api-key': '' },
    ]) {
      const answer = await send<ErrorBody>(locked.url + path, { headers: headers as HeadersInit })
      const { status, body } = answer
      expect(status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="deployments"')
      expect(body.detail).toContain('X-Api-Key')
      expect(body.detail).not.toContain(apiKey)
    }
  })

  it('gives access to everything, and is checked before a creation is read', async () => {
    expect((await post<ErrorBody>(locked.url, '{ no json')).status).toBe(401)
    const headers = { 'X-API-KEY': apiKey, 'content-type': 'application/json' }
    expect((await send(`${locked.url}/v2/deployments`, { headers })).status).toBe(200)
    expect((await post(locked.url, creation(), { headers })).status).toBe(201)
    expect((await send(`${locked.url}/nothing`, { headers })).status).toBe(404)
  })

  it('may be a bearer token', async () => {
    const ask = (authorization: string) =>
      send<ErrorBody>(`${locked.url}/v2/deployments`, { headers: { authorization } })
    expect((await ask(`Bearer ${apiKey}`)).status).toBe(200)
    expect((await ask(`bearer ${apiKey}`)).status).toBe(200)
    for (const [authorization, words] of [
      [`Bearer ${apiKey}x`, 'in Authorization is wrong'],
      [`Basic ${apiKey}`, 'is missing'],
      ['Bearer', 'is missing'],
    ] as const) {
      const { status, body, headers } = await ask(authorization)
      expect(status).toBe(401)
      expect(body.detail).toContain(words)
      expect(headers.get('www-authenticate')).toContain('Bearer')
    }
    const both = { 'x-api-key': 'wrong', authorization: `Bearer ${apiKey}` }
    expect((await send(`${locked.url}/v2/deployments`, { headers: both })).status).toBe(401)
  })

  it("isn't required for checks and the document, nor if the service has none", async () => {
    for (const path of ['/health', '/ready', '/openapi.json'])
      expect((await send(locked.url + path)).status).toBe(200)
    expect((await send(`${open.url}/v2/deployments`, { headers: { 'x-api-key': 'any' } })).status).toBe(200)
  })
})

it("a page in a browser on this machine can't reach the service by another name, or from another origin", async () => {
  const { port } = new URL(open.url)
  const list = (headers: Record<string, string>) => getWith(`${open.url}/v2/deployments`, headers)
  for (const headers of [
    ...['evil.example', `evil.example:${port}`, '127.0.0.1:1', '169.254.169.254', 'localhost'].map(
      (host) => ({
        host,
      }),
    ),
    ...['https://evil.example', 'null', 'http://127.0.0.1:1', 'app://slipway'].map((origin) => ({ origin })),
  ]) {
    const answer = await list(headers)
    expect(answer.status).toBe(403)
    expect(detailOf(answer)).toContain('host' in headers ? headers.host : 'origin')
  }
  const own = [`localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`].map((host) => ({ host }))
  for (const headers of [...own, { origin: open.url }]) expect((await list(headers)).status).toBe(200)
})

describe('methods', () => {
  it.each([
    ['/v2/deployments', ['PUT', 'PATCH', 'OPTIONS'], 'GET, HEAD, POST, DELETE'],
    [
      `/v1/integrations/forge/repohost/${sampleIntegrationId}/repos`,
      ['POST', 'DELETE', 'OPTIONS'],
      'GET, HEAD',
    ],
    ['/v2/deployments/00000000-0000-4000-8000-000000000000', ['PUT', 'POST'], 'GET, HEAD, PATCH, DELETE'],
    ['/health', ['POST', 'PUT'], 'GET, HEAD'],
    ['/openapi.json', ['POST'], 'GET, HEAD'],
  ])("that %s doesn't have get 405 with the allowed ones", async (path, methods, allowed) => {
    for (const method of methods) {
      const { status, body, headers } = await send<ErrorBody>(open.url + path, { method })
      expect(status).toBe(405)
      expect(headers.get('allow')).toBe(allowed)
      expect(body.detail).toContain(method)
    }
  })
})

describe('invalid HTTP', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'HTTP'],
    ['no host', 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Host is missing'],
    ['a host that is none', 'GET /health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400, 'Host'],
    ['an unknown expectation', 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: banana\r\n\r\n', 417, 'Expect'],
  ])('is refused, with the reason: %s', async (_what, text, status, words) => {
    const answer = await sendRaw(open.url, text)
    expect(answer.startsWith(`HTTP/1.1 ${status} `)).toBe(true)
    expect(answer).not.toMatch(/\n\s+at /)
    const body = JSON.parse(/\{.*\}/.exec(answer)![0]) as ErrorBody
    expect(body.detail).toContain(words)
  })
})

describe('the log', () => {
  testOf(startProcess)(
    'has one line for each request, without query values, headers or bodies',
    async ({ started }) => {
      const service = await started({ mode: 'cloud', apiKey: secret })
      const headers = { 'x-api-key': secret, 'content-type': 'application/json' }
      await send(`${service.url}/v2/deployments?limit=3`, { headers })
      await send(`${service.url}/v2/deployments?name_contains=${'x'.repeat(5_000)}`, { headers })
      await post(service.url, creation('internal_source', { secrets: [{ name: 'A', value: secret }] }), {
        headers,
      })
      await post(service.url, `{"broken": "${secret}`, { headers })
      await send(`${service.url}/nothing`, { headers: { ...headers, cookie: secret } })
      const { stderr } = await service.stop()
      const lines = stderr
        .trimEnd()
        .split('\n')
        // The test client reads this once, to check answers against it.
        .filter((line) => !line.includes(' GET /openapi.json '))
      expect(lines).toHaveLength(5)
      expect(lines[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z GET \/v2\/deployments\?limit=3 200 \d+\.\d ms$/)
      expect(lines[1]!.length).toBeLessThan(400)
      expect(lines[2]).toMatch(/ POST \/v2\/deployments 201 /)
      expect(lines[3]).toMatch(/ POST \/v2\/deployments 400 /)
      expect(lines[4]).toMatch(/ GET \/nothing 404 /)
      expect(stderr).not.toContain(secret)
    },
  )
})
