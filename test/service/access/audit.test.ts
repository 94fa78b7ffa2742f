import { randomUUID } from 'node:crypto'
import Libsql from 'libsql'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testOf } from '../../support/service/disposed-services'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import { databaseFile, runCommand, type ServiceHere, startService } from '../../support/service/service-here'
import { startService as startProcess } from '../../support/service/service-process'
import { creation, exchange, post, send } from '../../support/service/client'

interface Entry {
  at: string
  request_id: string | null
  by: string
  tenant_id: string | null
  action: string
  name: string | null
  id: string | null
  outcome: string
}

let service: ServiceHere

beforeAll(async () => {
  service = await startService({ sample: 5 })
})
afterAll(() => service.dispose())

/** A service's audit log, as the command prints it. */
async function entries({ data }: { data: string } = service): Promise<Entry[]> {
  const { code, stdout } = await runCommand(data, 'audit')
  expect(code).toBe(0)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry)
}

it('shows who created what, what was refused and to whom, and which keys were added and revoked', async () => {
  const tenant = randomUUID()
  const add = async (name: string, role: string, ...options: string[]) =>
    (await runCommand(service.data, 'keys', 'add', name, '--role', role, ...options)).stdout.trim()
  const open = await post(service.url, creation())
  const ci = await add('ci', 'create', '--tenant', tenant)
  const board = await add('board', 'read')
  const secret = 'a-value-that-must-not-be-found-4711'
  const body = creation('internal_source', { secrets: [{ name: 'A', value: secret }] })
  const as = (key: string, id: string) => ({
    headers: { 'content-type': 'application/json', 'x-api-key': key, 'x-request-id': id },
  })
  const made = await post<DeploymentAnswer>(service.url, body, as(ci, 'made-1'))
  expect(made.status).toBe(201)
  expect((await post(service.url, body, as(ci, 'taken-1'))).status).toBe(409)
  expect((await post(service.url, body, as(board, 'role-1'))).status).toBe(403)
  expect((await post(service.url, `{"name": "${secret}`, as(ci, 'broken-1'))).status).toBe(400)
  expect((await post(service.url, body, as(`${ci}x`, 'wrong-1'))).status).toBe(401)
  // Reads and requests to unknown paths aren't recorded.
  expect((await send(`${service.url}/v2/deployments`, as(ci, 'read-1'))).status).toBe(200)
  await runCommand(service.data, 'keys', 'revoke', 'board')

  await expect.poll(async () => (await entries()).length, { timeout: 20_000 }).toBe(8)
  const found = await entries()
  const byCommand: unknown = expect.stringMatching(/^command of \S+$/)
  const of = (request: string) => found.find(({ request_id }) => request_id === request)
  expect(found[0]).toMatchObject({ by: 'no key', action: 'create', name: open.body.name, outcome: 'done' })
  expect(found[1]).toMatchObject({ by: byCommand, action: 'keys add', name: 'ci', tenant_id: tenant })
  expect(found[2]).toMatchObject({ by: byCommand, action: 'keys add', name: 'board', tenant_id: null })
  expect(of('made-1')).toEqual({
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as unknown,
    request_id: 'made-1',
    by: 'ci',
    tenant_id: tenant,
    action: 'create',
    name: body.name,
    id: made.body.id,
    outcome: 'done',
  })
  expect(of('taken-1')).toMatchObject({ by: 'ci', action: 'create', name: body.name, outcome: 'refused 409' })
  expect(of('role-1')).toMatchObject({ by: 'board', action: 'create', name: null, outcome: 'refused 403' })
  expect(of('broken-1')).toMatchObject({ by: 'ci', action: 'create', name: null, outcome: 'refused 400' })
  // Refusals are written later.
  const revoked = found.find(({ action }) => action === 'keys revoke')
  expect(revoked).toMatchObject({ by: byCommand, name: 'board', outcome: 'done' })
  for (const hidden of [secret, ci.slice(-43), board.slice(-43)]) {
    expect(JSON.stringify(found)).not.toContain(hidden)
  }
})

it('has a refusal from right before the service ended', async () => {
  const { url } = service
  const key = (await runCommand(service.data, 'keys', 'add', 'last', '--role', 'read')).stdout.trim()
  const headers = { 'content-type': 'application/json', 'x-api-key': key, 'x-request-id': 'last-1' }
  expect((await post(url, creation(), { headers })).status).toBe(403)
  await service.stop()
  expect((await entries()).filter(({ request_id }) => request_id === 'last-1')).toHaveLength(1)
})

testOf(startProcess)(
  'has changes and deletions, although the service was killed right after its answer',
  async ({ started }) => {
    const own = await started({ provisionMs: 3_600_000 })
    const { id } = (await post(own.url, creation())).body
    const path = `/v2/deployments/${id}`
    const headers = { 'content-type': 'application/json' }
    const changes: [method: string, path: string, body?: unknown][] = [
      ['PATCH', path, { source_config: { build_on_push: true } }],
      ['POST', `${path}/revisions`, { source_revision_config: {} }],
      ['DELETE', path],
    ]
    for (const [method, target, body] of changes) {
      const { response } = await exchange(`${own.url}${target}`, {
        method,
        headers,
        body: JSON.stringify(body),
      })
      expect(response.ok, method).toBe(true)
    }
    await own.kill()
    const found = await entries(own)
    expect(found.map((entry) => [entry.action, entry.id, entry.outcome])).toEqual([
      ['create', id, 'done'],
      ['PATCH /v2/deployments/:deployment_id', id, 'done'],
      ['POST /v2/deployments/:deployment_id/revisions', id, 'done'],
      ['DELETE /v2/deployments/:deployment_id', id, 'done'],
    ])
  },
)

// The fault is one of SQLite's.
testOf(startService).skipIf(process.env.SLIPWAY_TEST_POSTGRES)(
  'shows a deletion among several that met a fault, which leaves the others deleted',
  async ({ started }) => {
    const own = await started({ provisionMs: 3_600_000 })
    const database = new Libsql(databaseFile(own.data))
    try {
      const [odd, other] = await Promise.all(
        [1, 2].map(async () => (await post(own.url, creation())).body.id),
      )
      database.exec(
        `create trigger odd before update on deployments when old.id = '${odd}'
       begin select raise(abort, 'an odd fault'); end`,
      )
      const several = `${own.url}/v2/deployments?deployment_ids=${odd}&deployment_ids=${other}`
      const { status, body } = await send(several, { method: 'DELETE' })
      const failed = [{ deployment_id: odd, detail: 'Internal error' }]
      expect([status, body]).toEqual([207, { deleted: [other], failed }])
      expect(own.log()).toContain('an odd fault')
      const outcomes = () =>
        database.prepare(`select id, outcome from audit where action = 'DELETE /v2/deployments'`).all()
      await expect.poll(outcomes).toMatchObject([
        { id: other, outcome: 'done' },
        { id: odd, outcome: 'failed 500' },
      ])
    } finally {
      database.close()
    }
  },
)
