import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../support/service/postgres/postgres-server'
import { runService, startService } from '../../support/service/service-process'
import { creation, post } from '../client'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.dispose())

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
