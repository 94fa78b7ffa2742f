import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect } from 'vitest'
import { inProject } from '../../../electron/launcher/base.mjs'
import { postgresPassword, programs, suiteDatabases } from '../../support/service/postgres/postgres-server'
import { testOf } from '../../support/service/disposed-services'
import { run as runHere, type ServiceHere, startService } from '../../support/service/service-here'
import { temporaryFolder } from '../../support/service/service-process'
import {
  ask,
  create,
  creation,
  keepCreating,
  list,
  listAll,
  post,
  revisionsOf,
  settled,
} from '../../support/service/client'

// The recipe of OPTIONS.md, word for word: a backup made while a service creates, restored into another database.

const [dump, restore] = ['pg_dump', 'pg_restore'].map((program) => {
  const found = new RegExp(`\`(${program} [^\`]+)\``).exec(
    readFileSync(inProject('.github/OPTIONS.md'), 'utf8'),
  )
  return found![1]!
})
const folder = temporaryFolder()
const server = suiteDatabases()
let service: ServiceHere

beforeAll(async () => {
  const database = await server.create('deployments')
  service = await startService({ database, sample: 200, provisionMs: 300 })
})
afterAll(async () => {
  await service.dispose()
  rmSync(folder, { recursive: true, force: true })
})

async function run(command: string): Promise<void> {
  const [program, ...args] = command.split(' ')
  const [host, port] = server.address.split(':')
  await promisify(execFile)(join(programs(), program!), args, {
    cwd: folder,
    env: { ...process.env, PGHOST: host, PGPORT: port, PGUSER: 'slipway', PGPASSWORD: postgresPassword },
  })
}

testOf(startService)(
  'has everything that was created before, and a service continues from it',
  async ({ started }) => {
    const [first, second] = [await create(service.url), await create(service.url)]
    expect((await ask(service.url, 'POST', `${first.id}/revisions`, {})).status).toBe(201)
    const before = [await settled(service.url, first.id), await settled(service.url, second.id)]
    const revisions = await revisionsOf(service.url, first.id)
    const meanwhile = keepCreating(service.url)
    await run(dump!)
    await meanwhile.stop()
    expect(meanwhile.accepted.length).toBeGreaterThan(0)

    await run('createdb --encoding=UTF8 --template=template0 restored')
    await run(restore!)
    const restored = await started({ database: server.url('restored'), provisionMs: 300 })
    const all = await listAll(restored.url)
    expect(all.filter(({ id }) => id === first.id || id === second.id)).toEqual(before.reverse())
    expect(all.length).toBeGreaterThanOrEqual(202)
    expect(await revisionsOf(restored.url, first.id)).toEqual(revisions)
    // Deployments in progress are included: the next service finishes them.
    const rest = async () =>
      (await list(restored.url, { status: 'AWAITING_DATABASE', name_contains: 'test-' })).resources
    await expect.poll(rest, { timeout: 20_000 }).toEqual([])

    expect((await post(restored.url, creation('internal_source', { name: first.name }))).status).toBe(409)
    expect((await post(restored.url, creation())).body.tenant_id).toBe(first.tenant_id)
    const { stdout } = await runHere(['audit', '--database', server.url('restored')])
    expect(stdout).toContain(`"id":"${first.id}"`)
  },
)
