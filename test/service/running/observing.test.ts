import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type RunningService, startService } from '../../support/service/service-process'
import { creation, exchange, list, post } from '../client'

// What those who run the service see: metrics, and a log for programs.

const apiKey = 'the-key-of-these-tests'
const headers = { 'x-api-key': apiKey }
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

let services: RunningService[] = []
afterEach(async () => {
  await Promise.all(services.map((service) => service.dispose()))
  services = []
})

async function started(...[start]: Parameters<typeof startService>): Promise<RunningService> {
  const service = await startService(start)
  services.push(service)
  return service
}

describe('metrics', () => {
  /** The samples that Prometheus would read: a value by name and labels. */
  async function samples(url: string): Promise<Map<string, number>> {
    const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${apiKey}` } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(
      lines.map((line) => {
        const [, name = '', value] = /^([a-z_\d]+(?:\{.*\})?) (\S+)$/.exec(line) ?? []
        expect(name, line).not.toBe('')
        return [name, Number(value)]
      }),
    )
  }

  it('count requests by route and status, without names that clients choose', async () => {
    const { url } = await started({ apiKey })
    const request = { ...creation(), name: 'a-name-that-is-in-no-label' }
    const create = (): Promise<{ status: number }> =>
      post(url, request, { headers: { ...headers, 'content-type': 'application/json' } })
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(409)
    for (const path of ['/v2/deployments', '/v2/deployments?name_contains=a-name', '/a-path-of-a-client']) {
      await (await fetch(url + path, { headers })).text()
    }
    await (await fetch(`${url}/v2/deployments/11111111-1111-4111-8111-111111111111`, { headers })).text()
    await (await fetch(`${url}/v2/deployments`)).text()

    const found = await samples(url)
    const count = (method: string, route: string, status: number): number | undefined =>
      found.get(`slipway_http_requests_total{method="${method}",route="${route}",status="${status}"}`)
    expect(count('POST', '/v2/deployments', 201)).toBe(1)
    expect(count('POST', '/v2/deployments', 409)).toBe(1)
    expect(count('GET', '/v2/deployments', 200)).toBe(2)
    expect(count('GET', '/v2/deployments', 401)).toBe(1)
    expect(count('GET', '/v2/deployments/:deployment_id', 404)).toBe(1)
    expect(count('GET', 'none', 404)).toBe(1)
    const duration = 'slipway_http_request_duration_seconds'
    const labels = 'method="GET",route="/v2/deployments"'
    expect(found.get(`${duration}_count{${labels}}`)).toBe(3)
    expect(found.get(`${duration}_sum{${labels}}`)).toBeGreaterThan(0)
    expect(found.get('slipway_http_requests_running')).toBe(1)
    expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect([...found.keys()].join()).not.toMatch(/a-name|a-path|1111|the-key/)
  })

  it('count provisionings in progress, and those whose end was stored', async () => {
    const { url } = await started({ apiKey, provisionMs: 3_000 })
    await post(url, creation(), { headers: { ...headers, 'content-type': 'application/json' } })
    const counts = async (): Promise<unknown> => {
      const found = await samples(url)
      return [found.get('slipway_provisionings'), found.get('slipway_provisionings_ended_total')]
    }
    expect(await counts()).toEqual([1, 0])
    await expect.poll(counts, { timeout: 20_000 }).toEqual([0, 1])
  })

  it('require the API key', async () => {
    const { url } = await started({ apiKey })
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
  })
})

describe('the identifier of a request', () => {
  it.each([
    ['a UUID', '5f0c1f1e-3f3c-4d58-8d2c-1d1a5c1e9a10'],
    ['one of another kind', 'Root=1-67891233:abcdef_0~x.y'],
  ])('is taken over if it is %s', async (_what, id) => {
    const { url } = await started()
    const wellFormed = id.replace('=', '-')
    const response = await fetch(`${url}/v2/deployments`, { headers: { 'x-request-id': wellFormed } })
    expect(response.headers.get('x-request-id')).toBe(wellFormed)
  })

  it.each([
    ['missing', null],
    ['empty', ''],
    ['longer than 128 characters', 'x'.repeat(129)],
    ['with something else than letters, digits and . : _ ~ -', 'a"b'],
  ])('is made if it is %s', async (_what, id) => {
    const { url } = await started()
    const response = await fetch(`${url}/nothing`, { headers: id === null ? {} : { 'x-request-id': id } })
    expect(response.headers.get('x-request-id')).toMatch(uuid)
  })
})

describe('a log for programs', () => {
  const entries = (service: RunningService): Record<string, unknown>[] =>
    service
      .log()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  it('has an object in each line, with the identifier that the client got, and no key', async () => {
    const service = await started({ apiKey, args: ['--log-format', 'json'] })
    const answer = await fetch(`${service.url}/v2/deployments?name_contains=%0Aline`, { headers })
    await answer.text()
    await expect.poll(() => entries(service)).toHaveLength(1)
    expect(entries(service)[0]).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
      msg: 'request',
      request_id: answer.headers.get('x-request-id'),
      method: 'GET',
      path: '/v2/deployments?name_contains=%0Aline',
      status: 200,
      ms: expect.any(Number) as unknown,
    })
    expect(service.log()).not.toContain(apiKey)
  })

  it('has no key that a client sent in the URL by mistake', async () => {
    const service = await started({ apiKey, args: ['--log-format', 'json'] })
    const own = `slipway_0123456789abcdef_${'x'.repeat(43)}`
    for (const path of [
      `/v2/deployments?limit=1&api_key=${apiKey}`,
      `/v2/deployments?limit=1&%41ccess_Token=${apiKey}&offset=1`,
      `/v2/deployments/${own}?x=${own}`,
    ]) {
      expect((await fetch(service.url + path)).status).toBe(401)
    }
    await expect
      .poll(() => entries(service).map(({ path }) => path))
      .toEqual([
        '/v2/deployments?limit=1&api_key=...',
        '/v2/deployments?limit=1&Access_Token=...&offset=1',
        '/v2/deployments/slipway_0123456789abcdef_...?x=slipway_0123456789abcdef_...',
      ])
  })

  it('reports events other than requests in the same form', async () => {
    const first = await started({ sample: 3 })
    await first.stop()
    const second = await started({ data: first.data, sample: 3, args: ['--log-format', 'json'] })
    expect(entries(second)).toMatchObject([
      { level: 'error', msg: expect.stringContaining('--sample changed nothing') as unknown },
    ])
  })
})

describe('what is not a request', () => {
  /** Sends something, and gives the answer until the service disconnects. */
  function answerTo(url: string, text: string): Promise<string> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      let answer = ''
      const socket = connect(Number(port), hostname, () => socket.write(text))
      socket.setEncoding('utf8').on('data', (piece: string) => (answer += piece))
      socket.once('error', reject)
      socket.once('close', () => resolve(answer))
    })
  }

  it('is logged and counted once for each connection, without a word of it', async () => {
    const service = await started({ apiKey, args: ['--log-format', 'json'] })
    const found = []
    for (const [status, text] of [
      [400, 'a-secret of nobody\r\n\r\n'.repeat(3)],
      [431, `GET /?key=a-secret HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`],
    ] as const) {
      const answer = await answerTo(service.url, text)
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      const id = /\r\nX-Request-Id: (\S+)\r\n/i.exec(answer)?.[1]
      expect(id).toMatch(uuid)
      found.push({ level: 'info', msg: 'request', request_id: id, method: '-', path: '-', status })
    }
    const lines = (): string[] => service.log().trimEnd().split('\n')
    await expect.poll(lines).toHaveLength(2)
    expect(lines().map((line) => JSON.parse(line) as unknown)).toMatchObject(found)
    expect(service.log()).not.toContain('a-secret')
    const { text } = await exchange(`${service.url}/metrics`, { headers })
    for (const status of [400, 431]) {
      expect(text).toContain(
        `slipway_http_requests_total{method="other",route="none",status="${status}"} 1\n`,
      )
    }
  })
})

describe('a graceful shutdown', () => {
  it('is announced by /ready first, with requests still served; a second signal ends the wait', async () => {
    const service = await started({ sample: 3, args: ['--drain-ms', '3600000'] })
    const ready = async (): Promise<number> => (await fetch(`${service.url}/ready`)).status
    expect(await ready()).toBe(200)
    service.child.kill('SIGTERM')
    await expect.poll(ready).toBe(503)
    const { detail } = (await (await fetch(`${service.url}/ready`)).json()) as { detail: string }
    expect(detail).toContain('about to end')
    expect((await list(service.url)).resources).toHaveLength(3)
    expect((await post(service.url, creation())).status).toBe(201)
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
    expect((await service.stop()).code).toBe(0)
  })

  it('finishes the answers in progress', async () => {
    const service = await started()
    const labels = { text: 'x'.repeat(900_000) }
    for (let index = 0; index < 40; index += 1) {
      const source_config = { resource_spec: { labels } }
      expect((await post(service.url, creation('internal_source', { source_config }))).status).toBe(201)
    }
    const answer = await fetch(`${service.url}/v2/deployments?limit=40`)
    const ending = service.stop()
    // It accepts no further connections, but finishes this one.
    await expect.poll(() => fetch(`${service.url}/health`).catch(() => null)).toBeNull()
    const text = await answer.text()
    const { code } = await ending
    expect(code).toBe(0)
    expect((JSON.parse(text) as { resources: unknown[] }).resources).toHaveLength(40)
  })
})
