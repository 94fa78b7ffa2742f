import { afterAll, beforeAll, describe, expect, vi } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import { headersOf, type ServiceHere, startService } from '../../support/service/service-here'
import {
  ask,
  create,
  creation,
  type ErrorBody,
  nobody,
  post,
  revisionsOf,
  send,
  settled,
} from '../../support/service/client'

// An extension: logs of simulated builds and servers, as public clients read them.

interface Entry {
  id: string
  timestamp: string
  level: string
  message: string
}

interface LogPage {
  logs: Entry[]
  next_offset: string | null
}

const it = testOf(startService)
const secret = 'sk-very-secret'
let service: ServiceHere
let deployment: Awaited<ReturnType<typeof create>>
let revision: string

beforeAll(async () => {
  service = await startService({ provisionMs: 200 })
  deployment = await create(service.url, 'repohost', {
    source_config: {
      integration_id: nobody(),
      repo_url: `https://user:${secret}@github.com/northwind/agent`,
    },
    source_revision_config: { repo_ref: secret, graph_config_path: secret },
    secrets: [{ name: 'TOKEN', value: secret }],
  })
  revision = deployment.latest_revision_id!
  const isDeployed = async (): Promise<void> => {
    expect((await revisionsOf(service.url, deployment.id))[0]!.status).toBe('DEPLOYED')
  }
  await vi.waitFor(isDeployed, { timeout: 20_000 })
})
afterAll(() => service.dispose())

const logsOf = async (query: string, id = revision): Promise<LogPage> => {
  const { status, body } = await ask<LogPage>(
    service.url,
    'GET',
    `${deployment.id}/revisions/${id}/logs?${query}`,
  )
  expect(status).toBe(200)
  return body
}

const older = <T = LogPage>(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  base = service.url,
) =>
  send<T>(`${base}/v1/projects/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

describe('a log', () => {
  it('is the same every time, also after a restart, in order, and has no secrets', async () => {
    const before = await logsOf('type=build&limit=1000')
    const killed = service
    await killed.stop()
    const again = await startService({ data: killed.data, provisionMs: 200 })
    service = { ...again, dispose: () => again.stop().then(() => killed.dispose()) }
    expect(await logsOf('type=build&limit=1000')).toEqual(before)
    for (const type of ['build', 'deploy']) {
      const { logs, next_offset } = await logsOf(`type=${type}&limit=1000`)
      expect(next_offset).toBeNull()
      expect(logs.length).toBeGreaterThan(5)
      expect(logs.length).toBeLessThan(1_000)
      const times = logs.map(({ timestamp }) => timestamp)
      expect(times).toEqual([...times].sort())
      expect(new Set(logs.map(({ id }) => id)).size).toBe(logs.length)
      expect(JSON.stringify(logs)).not.toContain(secret)
      expect((await logsOf(`type=${type}&limit=1000`)).logs).toEqual(logs)
      expect((await logsOf(`type=${type}&limit=1000&order=desc`)).logs).toEqual([...logs].reverse())
    }
  })

  it('is paged in both orders by the returned offset', async () => {
    for (const order of ['asc', 'desc']) {
      const { logs: all } = await logsOf(`type=build&limit=1000&order=${order}`)
      const paged: Entry[] = []
      for (let offset: string | null = ''; offset !== null;) {
        const page: LogPage = await logsOf(`type=build&limit=7&order=${order}&offset=${offset}`)
        expect(page.logs.length).toBeGreaterThan(0)
        paged.push(...page.logs)
        offset = page.next_offset
      }
      expect(paged).toEqual(all)
    }
    expect((await logsOf('type=build')).logs.length).toBeLessThanOrEqual(50)
  })

  it('is filtered by text, level and time', async () => {
    const { logs: all } = await logsOf('type=build&limit=1000')
    const texts = await logsOf('type=build&limit=1000&query=IS%20BUILT')
    expect(texts.logs).toEqual(all.filter(({ message }) => message.includes('is built')))
    const levels = await logsOf('type=deploy&level=warning')
    expect(levels.logs.map(({ level }) => level)).toEqual(['WARNING'])
    const from = all[10]!.timestamp
    const to = all[20]!.timestamp
    const within = all.filter(({ timestamp }) => timestamp >= from && timestamp < to)
    expect((await logsOf(`type=build&start_time=${from}&end_time=${to}`)).logs).toEqual(within)
    expect((await logsOf(`type=build&start_time=${from.slice(0, -1)}&end_time=${to}`)).logs).toEqual(within)
    expect((await logsOf('type=build&query=nothing-has-this')).logs).toEqual([])
  })

  it('can be read the older way too, with a body, also for the whole deployment', async () => {
    const path = `${deployment.id}/revisions/${revision}`
    const { body: build } = await older(`${path}/build_logs`, { order: 'desc', limit: 30 })
    expect(build).toEqual(await logsOf('type=build&order=desc&limit=30'))
    const { body: deploy } = await older(`${path}/deploy_logs`, { limit: 100, order: 'desc' })
    expect(deploy.logs).toEqual((await logsOf('type=deploy&order=desc')).logs)
    expect((await older(`${deployment.id}/deploy_logs`, { limit: 100, order: 'desc' })).body).toEqual(deploy)
  })

  it('can be read by a cursor too, of a revision or of a deployment', async () => {
    const read = async (query: string) =>
      (
        await send<{ items: Entry[]; next_cursor: string | null }>(
          `${service.url}/v2/deployment-logs?deployment_id=${deployment.id}&${query}`,
        )
      ).body
    const { logs } = await logsOf('type=build&limit=1000')
    const items: Entry[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await read(`revision_id=${revision}&log_type=build&limit=30&cursor=${cursor}`)
      items.push(...page.items)
      cursor = page.next_cursor
    }
    expect(items).toEqual(logs)
    expect((await read('limit=1000')).items).toEqual((await logsOf('type=deploy&limit=1000')).logs)
    const nothing = await send(`${service.url}/v2/deployment-logs?deployment_id=${nobody()}`)
    expect(nothing.status).toBe(404)
  })

  it('grows with the build, and says so; an interruption ends it', async ({ started }) => {
    const slow = await started({ provisionMs: 6_000 })
    const { id, latest_revision_id } = await create(slow.url)
    const path = `${id}/revisions/${latest_revision_id}`
    const seen: Entry[] = []
    let offset: string | null = null
    const read = async (): Promise<number> => {
      const { body }: { body: LogPage } = await older(
        `${path}/build_logs`,
        { limit: 1000, offset },
        {},
        slow.url,
      )
      expect(typeof body.next_offset).toBe('string')
      seen.push(...body.logs)
      offset = body.next_offset
      return seen.length
    }
    await expect.poll(read, { timeout: 20_000 }).toBeGreaterThan(2)
    expect((await ask(slow.url, 'POST', `${path}/interrupt`)).status).toBe(200)
    const { body: end } = await older(`${path}/build_logs`, { limit: 1000, offset }, {}, slow.url)
    seen.push(...end.logs)
    expect(end.next_offset).toBeNull()
    expect(end.logs.at(-1)!.message).toContain('interrupted')
    const { body: whole } = await older(`${path}/build_logs`, { limit: 1000 }, {}, slow.url)
    expect(seen).toEqual(whole.logs)
    expect((await older(`${id}/deploy_logs`, {}, {}, slow.url)).body).toEqual({
      logs: [],
      next_offset: null,
    })
  })

  it('is empty for a build if there is none', async () => {
    const { id } = await create(service.url, 'internal_docker')
    await settled(service.url, id)
    const [{ id: made } = { id: '' }] = await revisionsOf(service.url, id)
    const path = `${id}/revisions/${made}`
    expect((await older(`${path}/build_logs`, {})).body).toEqual({ logs: [], next_offset: null })
    expect((await older(`${path}/deploy_logs`, {})).body.logs.length).toBeGreaterThan(5)
  })
})

it('invalid requests are refused', async () => {
  const path = `${deployment.id}/revisions/${revision}/logs`
  const wrong = [
    '',
    'type=other',
    'type=build&limit=0',
    'type=build&limit=1001',
    'type=build&offset=-1',
    'type=build&offset=x',
    'type=build&level=loud',
    'type=build&order=up',
    'type=build&start_time=yesterday',
    `type=build&query=${'x'.repeat(1_001)}`,
  ]
  for (const query of wrong) {
    const { status } = await ask(service.url, 'GET', `${path}?${query}`)
    expect([query.slice(0, 40), status]).toEqual([query.slice(0, 40), 422])
  }
  expect(
    (await ask(service.url, 'GET', `${deployment.id}/revisions/${nobody()}/logs?type=build`)).status,
  ).toBe(404)
  expect((await older<ErrorBody>(`${nobody()}/deploy_logs`, {})).status).toBe(404)
  expect((await older(`${deployment.id}/revisions/${nobody()}/build_logs`, {})).status).toBe(404)
})

it('a key with the role for reading may read logs', async ({ started }) => {
  const keyed = await started({ provisionMs: 100 })
  const writer = await headersOf(keyed.data, 'ci', '--role', 'create')
  const reader = await headersOf(keyed.data, 'board', '--role', 'read')
  const { body } = await post(keyed.url, creation(), { headers: writer })
  const paths = ['deploy_logs', `revisions/${body.latest_revision_id}/build_logs`]
  for (const path of paths) {
    const full = `${body.id}/${path}`
    expect((await older(full, {}, reader, keyed.url)).status).toBe(200)
    expect((await older(full, {}, {}, keyed.url)).status).toBe(401)
  }
  const revisions = `${keyed.url}/v2/deployments/${body.id}/revisions`
  expect((await send(revisions, { method: 'POST', headers: reader, body: '{}' })).status).toBe(403)
})
