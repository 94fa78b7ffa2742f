import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { visitDatabase } from '../../../electron/service/database/sqlite/connection/open'
import { type RunningService, startService, temporaryFolder } from '../../support/service/service-process'
import { creation, post } from '../client'
import { ask, revisionsOf } from '../life/requests'

let data: string
let service: RunningService | null = null
beforeEach(() => {
  data = temporaryFolder()
})
afterEach(async () => {
  await service?.dispose()
  rmSync(data, { recursive: true, force: true })
})

it('what was made while the clock was years ahead is settled at once, in order', async () => {
  service = await startService({ data, provisionMs: 3_600_000 })
  const { body: made } = await post(service.url, creation())
  const { body: other } = await post(service.url, creation())
  await service.dispose()
  const database = visitDatabase(data, null)
  const years = 3 * 365 * 86_400_000
  const later = (column: string): string =>
    `strftime('%Y-%m-%dT%H:%M:%fZ', julianday(${column}) + ${years / 86_400_000})`
  database.exec(`update deployments set ready_at = ${later('ready_at')} where id = '${made.id}'`)
  database.exec(
    `update revisions set starts_at = starts_at + ${years}, ends_at = ends_at + ${years}
     where id = '${made.latest_revision_id}'`,
  )
  // The next revision is queued.
  database.exec(
    `insert into revisions (deployment_sequence, id, number, created_at, starts_at, ends_at, source_revision_config)
     select deployment_sequence, 'ffffffff-0000-4000-8000-000000000000', number + 1, created_at, ends_at,
            ends_at + 600000, source_revision_config
     from revisions where id = '${made.latest_revision_id}'`,
  )
  database.close()
  service = await startService({ data, provisionMs: 3_600_000 })
  const { url } = service
  const read = async () => (await ask(url, 'GET', made.id)).body
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe('READY')
  const ready = await read()
  expect([ready.status, ready.active_revision_id]).toEqual(['READY', made.latest_revision_id])
  expect(Math.abs(Date.parse(ready.updated_at) - Date.now())).toBeLessThan(60_000)
  const statuses = (await revisionsOf(url, made.id)).map(({ status }) => status)
  expect(statuses[1]).toBe('DEPLOYED')
  expect(['AWAITING_BUILD', 'BUILDING', 'AWAITING_DEPLOY', 'DEPLOYING', 'CREATING']).toContain(statuses[0])
  expect((await revisionsOf(url, other.id))[0]!.status).not.toBe('DEPLOYED')
})
