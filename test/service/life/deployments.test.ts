import { afterAll, beforeAll, describe, expect } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import { type ServiceHere, startService } from '../../support/service/service-here'
import {
  ask,
  create,
  creation,
  type ErrorBody,
  exchange,
  expectRefused,
  list,
  listAll,
  nobody,
  post,
  remove,
  revisionsOf,
  send,
  settled,
} from '../../support/service/client'
import { randomUUID } from 'node:crypto'

// An extension: changes and deletions, as public clients of such services make them.

const it = testOf(startService)
let service: ServiceHere
let slow: ServiceHere

beforeAll(async () => {
  ;[service, slow] = await Promise.all([
    startService({ provisionMs: 200 }),
    startService({ provisionMs: 3_600_000 }),
  ])
})
afterAll(() => Promise.all([service.dispose(), slow.dispose()]))

const isGone = async (base: string, id: string): Promise<boolean> =>
  (await send(`${base}/v2/deployments/${id}`)).status === 404

describe('changing', () => {
  it('applies the given members, keeps the others, and is durable', async () => {
    const made = await create(service.url, 'repohost')
    const before = await settled(service.url, made.id)
    const { status, body } = await ask(service.url, 'PATCH', made.id, {
      source_config: { build_on_push: true, install_command: null, resource_spec: { cpu: 0.5 } },
      secrets: [],
      anything: 'else',
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...before,
      updated_at: body.updated_at,
      source_config: { ...before.source_config, build_on_push: true, resource_spec: { cpu: 0.5 } },
    })
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(before.updated_at))
    expect((await ask(service.url, 'GET', made.id)).body).toEqual(body)
    expect((await list(service.url, { deployment_ids: made.id })).resources).toEqual([body])
    expect(await revisionsOf(service.url, made.id)).toHaveLength(1)
  })

  it('of the source or of secrets makes a revision, which becomes active', async () => {
    const made = await create(service.url, 'internal_docker', { secrets: [{ name: 'OLD', value: 'x' }] })
    const before = await settled(service.url, made.id)
    const changes = [
      { source_revision_config: { image_uri: 'registry.example/agent:2' } },
      { secrets: [{ name: 'NEW', value: 'unseen' }] },
    ]
    for (const change of changes) {
      const { status, body } = await ask(service.url, 'PATCH', made.id, change)
      expect([status, body.status]).toEqual([200, 'READY'])
      const [latest, earlier] = await revisionsOf(service.url, made.id)
      expect(latest!.id).toBe(body.latest_revision_id)
      expect(body.active_revision_id).toBe(earlier!.id)
      const after = await settled(service.url, made.id)
      expect(after.active_revision_id).toBe(after.latest_revision_id)
      expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(body.updated_at))
    }
    const after = (await ask(service.url, 'GET', made.id)).body
    expect(after.secrets).toEqual([{ name: 'NEW', value: '' }])
    expect(after.source_revision_config.image_uri).toBe('registry.example/agent:2')
    const revisions = await revisionsOf(service.url, made.id)
    expect(revisions.map(({ source_revision_config: { image_uri } }) => image_uri)).toEqual([
      'registry.example/agent:2',
      'registry.example/agent:2',
      null,
    ])
    expect(revisions.at(-1)!.id).toBe(before.latest_revision_id)
    expect(JSON.stringify([after, revisions])).not.toContain('unseen')
  })

  it('of the resources makes a revision for an external image alone', async ({ started }) => {
    const selfHosted = await started({ mode: 'self-hosted', provisionMs: 0 })
    const change = { source_config: { resource_spec: { cpu: 2 } } }
    for (const [base, source, count] of [
      [selfHosted.url, 'external_docker', 2],
      [service.url, 'internal_docker', 1],
    ] as const) {
      const { id } = await create(base, source)
      const { status, body } = await ask(base, 'PATCH', id, change)
      expect([status, body.source_config.resource_spec]).toEqual([200, { cpu: 2 }])
      expect(await revisionsOf(base, id)).toHaveLength(count)
    }
  })

  it("refuses members that can't be changed and values that break a rule, and changes nothing", async () => {
    const made = await create(service.url, 'repohost')
    const before = await settled(service.url, made.id)
    const refused: [body: object, words: string][] = [
      [{ name: 'another' }, "name can't be changed"],
      [{ source: 'internal_docker' }, "source can't be changed"],
      [{ revision_source: 'internal_docker' }, "revision_source can't be changed"],
      [{ source_config: { repo_url: 'https://github.com/other/agent' } }, 'source_config.repo_url'],
      [{ source_config: { integration_id: nobody() } }, 'source_config.integration_id'],
      [{ source_config: { deployment_type: 'prod' } }, 'source_config.deployment_type'],
      [{ source_config: { listener_id: nobody() } }, 'source_config.listener_id'],
      [{ source_config: { listener_config: { k8s_namespace: 'a' } } }, 'k8s_namespace'],
      [{ source_config: { custom_url: 'https://a.example' } }, 'custom URL'],
      [{ secret_references: [{ name: 'A', secret_name: 'b', secret_key: 'c' }] }, 'secret_references'],
    ]
    for (const [body, words] of refused) {
      const answer = await ask<ErrorBody>(service.url, 'PATCH', made.id, body)
      expect([body, answer.status]).toEqual([body, 400])
      expect(answer.body.detail).toContain(words)
    }
    const same = {
      name: made.name,
      source: made.source,
      source_config: { repo_url: made.source_config.repo_url },
    }
    expect((await ask(service.url, 'PATCH', made.id, same)).status).toBe(200)
    const after = (await ask(service.url, 'GET', made.id)).body
    expect(after).toEqual({ ...before, updated_at: after.updated_at })
  })

  it('answers 404, 415 and 422 as a creation does', async () => {
    const { id } = await create(service.url)
    const missing = await ask<ErrorBody>(service.url, 'PATCH', nobody(), {})
    expect(missing.status).toBe(404)
    expect(missing.body.detail).toMatch(/^Deployment ID \S+ not found\.$/)
    expect((await ask(service.url, 'PATCH', 'none', {})).status).toBe(422)
    const wrong = {
      secrets: [
        { name: 'A', value: '' },
        { name: 'A', value: '' },
      ],
    }
    expect((await ask(service.url, 'PATCH', id, wrong)).status).toBe(422)
    expect((await send(`${service.url}/v2/deployments/${id}`, { method: 'PATCH', body: '{}' })).status).toBe(
      415,
    )
  })
})

it('a deployment of another tenant is not found', async () => {
  const { id, latest_revision_id: revision } = await create(service.url)
  const before = await settled(service.url, id)
  const headers = { 'content-type': 'application/json', 'x-tenant-id': nobody() }
  const path = `/v2/deployments/${id}`
  for (const [method, target] of [
    ['PATCH', path],
    ['DELETE', path],
    ['GET', `${path}/revisions`],
    ['POST', `${path}/revisions`],
    ['GET', `${path}/revisions/${revision}`],
    ['POST', `${path}/revisions/${revision}/redeploy`],
    ['POST', `${path}/revisions/${revision}/interrupt`],
    ['POST', `${path}/upload-url`],
    ['GET', `${path}/revisions/${revision}/logs?type=build`],
    ['POST', `/v1/projects/${id}/deploy_logs`],
    ['POST', `/v1/projects/${id}/revisions/${revision}/build_logs`],
  ] as const) {
    const body = method === 'GET' ? {} : { body: '{}' }
    expect([target, (await send(service.url + target, { method, headers, ...body })).status]).toEqual([
      target,
      404,
    ])
  }
  const bulk = await send(`${service.url}/v2/deployments?deployment_ids=${id}`, { method: 'DELETE', headers })
  expect(bulk.body).toMatchObject({ deleted: [] })
  expect((await ask(service.url, 'GET', id)).body).toEqual(before)
})

describe('deleting', () => {
  it('takes a while; then the deployment is gone, and its name stays taken', async () => {
    const made = await create(slow.url)
    expect(await remove(slow.url, made.id)).toBe(204)
    expect((await ask(slow.url, 'GET', made.id)).body.status).toBe('AWAITING_DELETE')
    expect((await list(slow.url, { status: 'AWAITING_DELETE' })).resources).toHaveLength(1)
    expect(await remove(slow.url, made.id)).toBe(204)
    for (const path of [made.id, `${made.id}/revisions`]) {
      const method = path === made.id ? 'PATCH' : 'POST'
      const { status, body } = await ask<ErrorBody>(slow.url, method, path, {})
      expect([status, body.detail]).toEqual([409, `Deployment ID ${made.id} is being deleted.`])
    }

    const brief = await create(service.url)
    expect(await remove(service.url, brief.id)).toBe(204)
    await expect.poll(() => isGone(service.url, brief.id), { timeout: 10_000 }).toBe(true)
    expect((await list(service.url, { name_contains: brief.name })).resources).toEqual([])
    expect(await remove(service.url, brief.id)).toBe(404)
    expect((await ask(service.url, 'GET', `${brief.id}/revisions`)).status).toBe(404)
    await expectRefused(
      post(service.url, creation('internal_source', { name: brief.name })),
      409,
      'tracing project',
    )
  })

  it('together with its tracing project frees its name, and can be forced once it has begun', async () => {
    const made = await create(slow.url)
    const path = `${slow.url}/v2/deployments/${made.id}`
    const remove = async (query: string) =>
      (await exchange(`${path}?${query}`, { method: 'DELETE' })).response.status
    expect(await remove('force=true')).toBe(400)
    expect(await remove('delete_tracing_project=true')).toBe(204)
    const again = creation('internal_source', { name: made.name })
    expect((await post<ErrorBody>(slow.url, again)).body.detail).toContain('A deployment named')
    expect(await remove('force=true')).toBe(204)
    expect(await isGone(slow.url, made.id)).toBe(true)
    expect((await post(slow.url, again)).status).toBe(201)
    expect((await post(slow.url, again)).status).toBe(409)
  })

  it('of several answers 200 if all are being deleted, and otherwise 207 with the reasons', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => create(service.url)))
    const bulk = (ids: string[]) =>
      send<{ deleted: string[]; failed: { deployment_id: string; detail: string }[] }>(
        `${service.url}/v2/deployments?${ids.map((id) => `deployment_ids=${id}`).join('&')}`,
        { method: 'DELETE' },
      )
    const [first, ...others] = made.map(({ id }) => id)
    const one = await bulk([first!.toUpperCase(), first!])
    expect([one.status, one.body]).toEqual([200, { deleted: [first], failed: [] }])
    const stranger = nobody()
    const some = await bulk([...others, stranger])
    expect(some.status).toBe(207)
    expect(some.body).toEqual({
      deleted: others,
      failed: [{ deployment_id: stranger, detail: `Deployment ID ${stranger} not found.` }],
    })
    for (const { id } of made)
      await expect.poll(() => isGone(service.url, id), { timeout: 10_000 }).toBe(true)
    for (const ids of [[], ['none'], Array.from({ length: 101 }, nobody)]) {
      expect((await bulk(ids)).status).toBe(422)
    }
  })

  it('between two pages of a list makes it skip none and repeat none', async ({ started }) => {
    const own = await started({ provisionMs: 0 })
    const made: DeploymentAnswer[] = []
    for (let index = 0; index < 40; index += 1) made.unshift(await create(own.url))
    const left = new Set(made.map(({ id }) => id))
    const seen: string[] = []
    let offset = 0
    for (;;) {
      const page = await list(own.url, { limit: 7, offset })
      seen.push(...page.resources.map(({ id }) => id))
      if (page.resources.length === 0) break
      // Some clients take a short page for the last one.
      if (page.resources.length < 7) expect(seen.at(-1)).toBe(made.at(-1)!.id)
      offset = page.offset
      // Deletes from the pages already read, from those still to be read, and a whole page.
      for (const id of [page.resources[0]!.id, page.resources[3]?.id, made[offset + 2]?.id]) {
        if (id !== undefined && left.delete(id)) expect(await remove(own.url, id)).toBe(204)
      }
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect([...left].every((id) => seen.includes(id))).toBe(true)
    const listed = (await listAll(own.url)).map(({ id }) => id)
    expect(listed).toEqual(made.map(({ id }) => id).filter((id) => left.has(id)))
    // Also page by page, with other limits.
    for (const limit of [1, 2, 7, 9]) {
      expect((await listAll(own.url, { limit })).map(({ id }) => id)).toEqual(listed)
    }
  })
})

describe('what is not offered', () => {
  it('a push token is refused with a message that says what to do, or what is wrong with the deployment', async () => {
    const tokenFor = async (id: string) => {
      const { status, body } = await ask<ErrorBody>(service.url, 'POST', `${id}/push-token`)
      return [status, body.detail]
    }
    const id = randomUUID()
    expect(await tokenFor(id)).toEqual([404, `Deployment ID ${id} not found.`])
    expect(await tokenFor((await create(service.url)).id)).toEqual([
      400,
      "A push token is only available for 'internal_docker' source deployments.",
    ])
    expect(await tokenFor((await create(service.url, 'internal_docker')).id)).toEqual([
      501,
      expect.stringContaining('source_revision_config.image_uri'),
    ])
  })

  it.each([
    ['GET', '/v2/deployments/free-count', 'no plans'],
    ['GET', '/v2/listeners', 'no listeners'],
    ['POST', '/v2/listeners', 'no listeners'],
    ['GET', `/v2/listeners/${randomUUID()}`, 'no listeners'],
    ['PATCH', '/v2/listeners/any', 'no listeners'],
    ['DELETE', `/v2/listeners/${randomUUID()}`, 'no listeners'],
  ])('%s %s is not offered', async (method, path, words) => {
    await expectRefused(send(service.url + path, { method }), 501, words)
  })
})
