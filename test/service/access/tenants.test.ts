import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sampleIntegrationId } from '@contract'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import { runCommand, type ServiceHere, startService } from '../../support/service/service-here'
import { creation, type ErrorBody, expectRefused, type Page, post, send } from '../../support/service/client'

// No tenant sees or changes anything of another.

const tenant = randomUUID()
const other = randomUUID()
let service: ServiceHere
let anyKey: string
let boundKey: string

async function addKey(name: string, ...options: string[]): Promise<string> {
  const { stdout } = await runCommand(service.data, 'keys', 'add', name, '--role', 'create', ...options)
  return stdout.trim()
}

beforeAll(async () => {
  service = await startService({ sample: 5 })
  anyKey = await addKey('any')
  boundKey = await addKey('bound', '--tenant', tenant.toUpperCase())
})
afterAll(() => service.dispose())

function headersOf(key: string, tenantId?: string): Record<string, string> {
  const common = { 'content-type': 'application/json', 'x-api-key': key }
  return tenantId === undefined ? common : { ...common, 'x-tenant-id': tenantId }
}

const create = (key: string, tenantId?: string, name?: string) =>
  post<DeploymentAnswer & ErrorBody>(service.url, creation('internal_source', name ? { name } : {}), {
    headers: headersOf(key, tenantId),
  })

async function namesOf(key: string, tenantId?: string, query = ''): Promise<string[]> {
  const url = `${service.url}/v2/deployments?limit=100&${query}`
  const { body } = await send<Page>(url, { headers: headersOf(key, tenantId) })
  return body.resources.map(({ name }) => name)
}

describe('a tenant', () => {
  it('has its own deployments, in every read', async () => {
    const { body } = await create(anyKey, other)
    expect(body.tenant_id).toBe(other)
    expect(await namesOf(anyKey, other)).toContain(body.name)
    expect(await namesOf(anyKey, other.toUpperCase())).toContain(body.name)
    for (const query of ['', `name_contains=${body.name}`, `deployment_ids=${body.id}`, 'status=READY']) {
      for (const names of [
        await namesOf(anyKey, undefined, query),
        await namesOf(boundKey, undefined, query),
      ]) {
        expect(names).not.toContain(body.name)
      }
    }
    const read = (headers: Record<string, string>) =>
      send(`${service.url}/v2/deployments/${body.id}`, { headers }).then(({ status }) => status)
    expect(await read(headersOf(anyKey, other))).toBe(200)
    expect(await read(headersOf(anyKey))).toBe(404)
    expect(await read(headersOf(boundKey))).toBe(404)
    expect(await namesOf(anyKey)).toHaveLength(5)
  })

  it('has its own names, each unique', async () => {
    const name = `shared-${randomUUID()}`
    const statuses = await Promise.all(
      [undefined, tenant, other].flatMap((id) => [create(anyKey, id, name), create(anyKey, id, name)]),
    )
    expect(statuses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409])
    const owners = statuses.filter(({ status }) => status === 201).map(({ body }) => body.tenant_id)
    expect(new Set(owners).size).toBe(3)
    expect(await namesOf(anyKey, tenant, `name_contains=${name}`)).toEqual([name])
  })

  it("has no integrations of the service's own tenant", async () => {
    const path = `${service.url}/v1/integrations/forge/repohost/${sampleIntegrationId}/repos`
    expect((await send(path, { headers: headersOf(anyKey) })).status).toBe(200)
    expect((await send(path, { headers: headersOf(anyKey, other) })).status).toBe(404)
  })

  it('that is not a UUID is refused', async () => {
    await expectRefused(
      send(`${service.url}/v2/deployments`, {
        headers: headersOf(anyKey, 'acme'),
      }),
      400,
      'X-Tenant-Id must be a UUID',
    )
  })
})

describe('a key that is bound to a tenant', () => {
  it('acts for that one without the header, and with it', async () => {
    const { status, body } = await create(boundKey)
    expect(status).toBe(201)
    expect(body.tenant_id).toBe(tenant)
    expect(await namesOf(boundKey)).toContain(body.name)
    expect(await namesOf(boundKey, tenant)).toContain(body.name)
    expect(await namesOf(anyKey, tenant)).toContain(body.name)
  })

  it('is refused for another tenant', async () => {
    for (const { status, body } of [await create(boundKey, other), await create(boundKey, randomUUID())]) {
      expect(status).toBe(403)
      expect(body.detail).toContain('"bound" belongs to another tenant')
    }
  })
})
