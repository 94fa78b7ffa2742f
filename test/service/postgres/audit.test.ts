import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../support/service/postgres/postgres-server'
import { runService, startService } from '../../support/service/service-process'
import { creation, post } from '../client'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.dispose())

it('an entry of the audit log is never changed, and removed only after a year or after a million newer ones', async () => {
  await server.query('postgres', 'create database audited')
  const service = await startService({ database: server.url('audited') })
  try {
    await post(service.url, creation())
    for (const change of [
      `update slipway.audit set by = 'nobody'`,
      'delete from slipway.audit',
      'truncate slipway.audit',
    ]) {
      await expect(server.query('audited', change)).rejects.toThrow('Entries of the audit')
    }
    await server.query(
      'audited',
      `insert into slipway.audit (at, by, action, outcome)
       values (now() - interval '366 days', 'somebody', 'create', 'done')`,
    )
    await server.query('audited', `delete from slipway.audit where by = 'somebody'`)
    expect(await server.query('audited', 'select by from slipway.audit')).toEqual([{ by: 'no key' }])
  } finally {
    await service.dispose()
  }
})

it('removes all entries that are too old at once, however many', async () => {
  await server.query('postgres', 'create database old')
  const database = server.url('old')
  const first = await startService({ database })
  await post(first.url, creation())
  await first.dispose()
  await server.query(
    'old',
    `insert into slipway.audit (at, by, action, outcome)
     select now() - interval '366 days', 'somebody', 'create', 'done' from generate_series(1, 25000)`,
  )
  // The entry that stays has the lowest sequence, so that no batch is full.
  const service = await startService({ database })
  try {
    const count = (): Promise<unknown> =>
      server.query('old', 'select count(*)::int as entries from slipway.audit')
    await expect.poll(count, { timeout: 20_000 }).toEqual([{ entries: 1 }])
  } finally {
    await service.dispose()
  }
})

it('several instances refuse a revoked key, and share the audit log', async () => {
  await server.query('postgres', 'create database several')
  const database = server.url('several')
  const instances = await Promise.all(Array.from({ length: 3 }, () => startService({ database })))
  try {
    const command = (...args: string[]) => runService([...args, '--database', database])
    const key = (await command('keys', 'add', 'ci', '--role', 'create')).stdout.trim()
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const statuses = () =>
      Promise.all(instances.map(async ({ url }) => (await post(url, creation(), { headers })).status))
    expect(await statuses()).toEqual([201, 201, 201])
    await command('keys', 'revoke', 'ci')
    await expect.poll(statuses, { timeout: 5_000 }).toEqual([401, 401, 401])
    const { stdout } = await command('audit')
    const lines = stdout.trimEnd().split('\n')
    expect(
      lines.filter((line) => line.includes('"action":"create"') && line.includes('"by":"ci"')).length,
    ).toBeGreaterThanOrEqual(3)
  } finally {
    await Promise.all(instances.map((instance) => instance.dispose()))
  }
})
