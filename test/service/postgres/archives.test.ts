import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../support/service/postgres/postgres-server'
import { type RunningService, startService, temporaryFolder } from '../../support/service/service-process'
import { type ErrorBody, send } from '../client'
import { ask, create, remove } from '../life/requests'

// Instances that share a folder of archives, and one without a folder.

const folder = temporaryFolder()
let server: PostgresServer
let sharing: RunningService[] = []
let without: RunningService

beforeAll(async () => {
  server = await startPostgres()
  const start = { database: server.url('postgres'), provisionMs: 200 }
  sharing = await Promise.all([1, 2].map(() => startService({ ...start, args: ['--archives', folder] })))
  without = await startService(start)
})
afterAll(async () => {
  await Promise.all([...sharing, without].map((service) => service.dispose()))
  await server.dispose()
  rmSync(folder, { recursive: true, force: true })
})

it('an instance accepts uploads to addresses of another, and removes what another leaves behind', async () => {
  const [first, second] = sharing
  const { id, tenant_id } = await create(first!.url)
  const { body } = await ask<{ upload_url: string }>(first!.url, 'POST', `${id}/upload-url`)
  const answer = await send(body.upload_url.replace(first!.url, second!.url), {
    method: 'PUT',
    headers: { 'content-type': 'application/gzip' },
    body: new Uint8Array(gzipSync('an agent')),
  })
  expect(answer.status).toBe(200)
  const owners = (): string[] => readdirSync(join(folder, tenant_id)).map((name) => name.split('.')[0]!)
  expect(owners()).toContain(id)
  expect(await remove(second!.url, id)).toBe(204)
  await expect.poll(owners, { timeout: 20_000 }).not.toContain(id)
})

it('a service without a folder says so', async () => {
  const { id } = await create(without.url)
  const { status, body } = await ask<ErrorBody>(without.url, 'POST', `${id}/upload-url`)
  expect(status).toBe(501)
  expect(body.detail).toContain('--archives')
})
