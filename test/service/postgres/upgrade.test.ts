import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations } from '../../../electron/service/database/postgres/connection/postgres-migrations'
import { type PostgresServer, startPostgres } from '../../support/service/postgres/postgres-server'
import { startService } from '../../support/service/service-process'
import { creation, listAll, post } from '../client'
import { revisionsOf, settled } from '../life/requests'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.dispose())

it('a database from before revisions had times: active revisions stay active, and those in progress end', async () => {
  await server.query('postgres', 'create database earlier')
  const first = await startService({ database: server.url('earlier'), sample: 20, provisionMs: 0 })
  const before = await listAll(first.url)
  await first.dispose()
  // Undoes the last four migrations, of which two can be repeated, and leaves a deployment in the middle of its
  // provisioning.
  const [onItsWay] = before.filter(
    ({ status, active_revision_id }) => status === 'READY' && active_revision_id,
  )
  await server.query(
    'earlier',
    `drop index slipway.deployments_gone;
     alter table slipway.deployments drop column gone_at;
     delete from slipway.revisions where number = 0;
     drop index slipway.revisions_oldest_first;
     alter table slipway.revisions drop column number, drop column starts_at, drop column ends_at,
       drop column interrupted_at;
     update slipway.deployments set status = 'AWAITING_DATABASE', active_revision_id = null,
       ready_at = now() + interval '1 second' where id = '${onItsWay!.id}';
     update slipway.schema_version set version = ${migrations.length - 4}`,
  )
  const second = await startService({ database: server.url('earlier') })
  try {
    const after = await settled(second.url, onItsWay!.id)
    expect([after.status, after.active_revision_id]).toEqual(['READY', onItsWay!.latest_revision_id])
    for (const deployment of await listAll(second.url)) {
      const revisions = await revisionsOf(second.url, deployment.id)
      const { latest_revision_id: latest, active_revision_id: active } = deployment
      const ids = revisions.map(({ id }) => id)
      if (active !== null) expect(ids).toContain(active)
      expect(ids[0] ?? null).toBe(latest)
      for (const { id, status } of revisions) expect(status).toBe(id === active ? 'DEPLOYED' : 'QUEUED')
    }
  } finally {
    await second.dispose()
  }
})

it('what was made while a clock was years ahead is settled at the next look', async () => {
  await server.query('postgres', 'create database ahead')
  const service = await startService({ database: server.url('ahead'), provisionMs: 3_600_000 })
  try {
    const { body: made } = await post(service.url, creation())
    const { body: other } = await post(service.url, creation())
    await server.query(
      'ahead',
      `update slipway.revisions set starts_at = starts_at + 94608000000, ends_at = ends_at + 94608000000
         where id = '${made.latest_revision_id}';
       update slipway.deployments set ready_at = ready_at + interval '94608000 seconds' where id = '${made.id}'`,
    )
    const ready = await settled(service.url, made.id)
    expect([ready.status, ready.active_revision_id]).toEqual(['READY', made.latest_revision_id])
    expect(Math.abs(Date.parse(ready.updated_at) - Date.now())).toBeLessThan(60_000)
    expect((await revisionsOf(service.url, other.id))[0]!.status).not.toBe('DEPLOYED')
  } finally {
    await service.dispose()
  }
})
