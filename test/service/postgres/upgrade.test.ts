import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrations } from '../../../electron/service/database/postgres/postgres-migrations'
import { type PostgresServer, startPostgres } from '../../support/service/postgres-server'
import { startService } from '../../support/service/service-process'
import { listAll } from '../client'
import { revisionsOf, settled } from '../life/requests'

let server: PostgresServer

beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.dispose())

it('a database from before revisions had times: what is active stays so, and what is on its way ends', async () => {
  await server.query('postgres', 'create database earlier')
  const first = await startService({ database: server.url('earlier'), sample: 20, provisionMs: 0 })
  const before = await listAll(first.url)
  await first.dispose()
  // Undoes the last three steps, of which one can be repeated, and leaves a deployment in the middle of its provisioning.
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
     update slipway.schema_version set version = ${migrations.length - 3}`,
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
