import { describe, expect } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import { startService as startHere } from '../../support/service/service-here'
import { type RunningService, startService } from '../../support/service/service-process'
import { creation, exchange, list, post, sendRaw } from '../../support/service/client'

// What those who run the service see: metrics, and a log for programs.

const apiKey = 'the-key-of-these-tests'
const headers = { 'x-api-key': apiKey }
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const it = testOf(startHere)
const inProcess = testOf(startService)

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

  it('count requests by route and status, without names that clients choose, for those with a key', async ({
    started,
  }) => {
    const { url } = await started({ apiKey })
    const request = { ...creation(), name: 'a-name-that-is-in-no-label' }
    const create = (): Promise<{ status: number }> =>
      post(url, request, { headers: { ...headers, 'content-type': 'application/json' } })
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(409)
    for (const path of [
      '/v2/deployments',
      '/v2/deployments?name_contains=a-name',
      '/a-path-of-a-client',
      '/v2/deployments/11111111-1111-4111-8111-111111111111',
    ]) {
      await (await fetch(url + path, { headers })).text()
    }
    expect((await fetch(`${url}/v2/deployments`)).status).toBe(401)
    expect((await fetch(`${url}/metrics`)).status).toBe(401)

    const found = await samples(url)
    const counts = [
      ['POST', '/v2/deployments', 201, 1],
      ['POST', '/v2/deployments', 409, 1],
      ['GET', '/v2/deployments', 200, 2],
      ['GET', '/v2/deployments', 401, 1],
      ['GET', '/v2/deployments/:deployment_id', 404, 1],
      ['GET', 'none', 404, 1],
    ] as const
    for (const [method, route, status, count] of counts) {
      const labels = `method="${method}",route="${route}",status="${status}"`
      expect(found.get(`slipway_http_requests_total{${labels}}`), labels).toBe(count)
    }
    const duration = 'slipway_http_request_duration_seconds'
    const labels = 'method="GET",route="/v2/deployments"'
    expect(found.get(`${duration}_count{${labels}}`)).toBe(3)
    expect(found.get(`${duration}_sum{${labels}}`)).toBeGreaterThan(0)
    expect(found.get('slipway_http_requests_running')).toBe(1)
    expect(found.get('process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect([...found.keys()].join()).not.toMatch(/a-name|a-path|1111|the-key/)
  })

  it('count provisionings in progress, and those that are over', async ({ started }) => {
    const { url } = await started({ apiKey, provisionMs: 3_000 })
    await post(url, creation(), { headers: { ...headers, 'content-type': 'application/json' } })
    const counts = async (): Promise<unknown> => {
      const found = await samples(url)
      return [found.get('slipway_provisionings'), found.get('slipway_provisionings_ended_total')]
    }
    expect(await counts()).toEqual([1, 0])
    await expect.poll(counts, { timeout: 20_000 }).toEqual([0, 1])
  })
})

it('a request keeps its identifier if that is well formed, and otherwise gets one', async ({ started }) => {
  const { url } = await started()
  const idFor = async (id?: string): Promise<string | null> =>
    (await fetch(`${url}/nothing`, { headers: id === undefined ? {} : { 'x-request-id': id } })).headers.get(
      'x-request-id',
    )
  for (const id of ['5f0c1f1e-3f3c-4d58-8d2c-1d1a5c1e9a10', 'Root-1-67891233:abcdef_0~x.y'])
    expect(await idFor(id)).toBe(id)
  for (const id of [undefined, '', 'x'.repeat(129), 'a"b']) expect(await idFor(id)).toMatch(uuid)
})

describe('a log for programs', () => {
  const entries = (service: RunningService): Record<string, unknown>[] =>
    service
      .log()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  inProcess(
    'has an object in each line, with the identifier that the client got, and no key',
    async ({ started }) => {
      const service = await started({ apiKey, args: ['--log-format', 'json'] })
      const answer = await fetch(`${service.url}/v2/deployments?name_contains=%0Aline`, { headers })
      await answer.text()
      // Keys that were sent in the wrong place.
      const own = `slipway_0123456789abcdef_${'x'.repeat(43)}`
      const wrong = [
        [`/v2/deployments?limit=1&api_key=${apiKey}`, '/v2/deployments?limit=1&api_key=...'],
        [
          `/v2/deployments?limit=1&%41ccess_Token=${apiKey}&offset=1`,
          '/v2/deployments?limit=1&Access_Token=...&offset=1',
        ],
        [
          `/v2/deployments/${own}?x=${own}`,
          '/v2/deployments/slipway_0123456789abcdef_...?x=slipway_0123456789abcdef_...',
        ],
      ] as const
      for (const [path] of wrong) expect((await fetch(service.url + path)).status).toBe(401)
      await expect.poll(() => entries(service)).toHaveLength(4)
      const [first, ...others] = entries(service)
      expect(first).toEqual({
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
        msg: 'request',
        request_id: answer.headers.get('x-request-id'),
        method: 'GET',
        path: '/v2/deployments?name_contains=%0Aline',
        status: 200,
        ms: expect.any(Number) as unknown,
      })
      expect(others.map(({ path }) => path)).toEqual(wrong.map(([, shown]) => shown))
      expect(service.log()).not.toContain(apiKey)
    },
  )

  inProcess(
    'has events other than requests, and what is none: once for each connection, without a word of it',
    async ({ started }) => {
      const first = await started({ sample: 3 })
      await first.stop()
      const service = await started({ data: first.data, sample: 3, args: ['--log-format', 'json'] })
      const found: object[] = [
        { level: 'error', msg: expect.stringContaining('--sample changed nothing') as unknown },
      ]
      for (const [status, text] of [
        [400, 'a-secret of nobody\r\n\r\n'.repeat(3)],
        [431, `GET /?key=a-secret HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`],
      ] as const) {
        const answer = await sendRaw(service.url, text)
        expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
        const id = /\r\nX-Request-Id: (\S+)\r\n/i.exec(answer)?.[1]
        expect(id).toMatch(uuid)
        found.push({ level: 'info', msg: 'request', request_id: id, method: '-', path: '-', status })
      }
      await expect.poll(() => entries(service)).toHaveLength(3)
      expect(entries(service)).toMatchObject(found)
      expect(service.log()).not.toContain('a-secret')
      const { text } = await exchange(`${service.url}/metrics`, { headers })
      for (const status of [400, 431]) {
        expect(text).toContain(
          `slipway_http_requests_total{method="other",route="none",status="${status}"} 1\n`,
        )
      }
    },
  )
})

describe('a graceful shutdown', () => {
  inProcess(
    'is announced by /ready first, with requests still served; a second signal ends the wait',
    async ({ started }) => {
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
    },
  )

  it('finishes the answers in progress', async ({ started }) => {
    const service = await started()
    const labels = { text: 'x'.repeat(900_000) }
    for (let index = 0; index < 10; index += 1) {
      const source_config = { resource_spec: { labels } }
      expect((await post(service.url, creation('internal_source', { source_config }))).status).toBe(201)
    }
    const answer = await fetch(`${service.url}/v2/deployments`)
    const ending = service.stop()
    // It accepts no further connections, but finishes this one.
    await expect.poll(() => fetch(`${service.url}/health`).catch(() => null)).toBeNull()
    const text = await answer.text()
    await ending
    expect((JSON.parse(text) as { resources: unknown[] }).resources).toHaveLength(10)
  })
})
