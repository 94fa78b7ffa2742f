import { Agent, request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isLong } from '../../support/properties/runs'
import { suiteDatabases } from '../../support/service/postgres/postgres-server'
import {
  type RunningService,
  runService,
  startService,
  temporaryFolder,
} from '../../support/service/service-process'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import {
  ask,
  create as createDeployment,
  creation,
  expectRefused,
  list,
  listAll,
  post,
  remove,
  type Revision,
  revisionsOf,
  send,
  settled,
} from '../../support/service/client'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

// Several instances on one database. Any of them may be killed at any time without losing anything that was answered.

const creations = isLong ? 10_000 : 300
const clients = isLong ? 200 : 60
const instances = 4
const kills = 4
const waiting = { timeout: 300_000, interval: 2 }
vi.setConfig({ testTimeout: 300_000 + 60 * creations })

const server = suiteDatabases()
const running: RunningService[] = []
const agent = new Agent({ keepAlive: true, maxSockets: clients })

afterAll(async () => {
  agent.destroy()
  await Promise.all(running.map((service) => service.dispose()))
})

async function started(database: string, provisionMs: number): Promise<RunningService> {
  const service = await startService({ database, connections: 6, provisionMs })
  running.push(service)
  return service
}

/** Creates a deployment. Returns the status, or null if no answer arrived. */
function create(base: string, name: string): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' }
    const outgoing = request(`${base}/v2/deployments`, { agent, method: 'POST', headers }, (incoming) => {
      incoming.resume()
      incoming.once('end', () => resolve(incoming.statusCode ?? null))
      incoming.once('error', () => resolve(null))
    })
    outgoing.once('error', () => resolve(null))
    outgoing.end(JSON.stringify(creation('internal_source', { name })))
  })
}

it(`${creations} creations of half as many names, while instances are killed, create each name once`, async ({
  task,
}) => {
  const database = await server.create('burst')
  const alive = await Promise.all(Array.from({ length: instances }, () => started(database, 500)))
  // Each name twice: far apart for some, close together for others.
  const names = Array.from({ length: creations / 2 }, (_, index) => `agent-${index}`)
  const left = [...names, ...names].map((name, index) => ({ name, at: (index * 7_919) % creations }))
  left.sort((one, other) => one.at - other.at)
  const created: string[] = []
  const statuses = new Map<number | null, number>()

  const work = async (client: number): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      for (let attempt = 0; ; attempt += 1) {
        const status = await create(alive[(client + attempt) % instances]!.url, next.name)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status === 201) created.push(next.name)
        if (status === 201 || status === 409) break
        // After no answer or a 503, a client tries another instance.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  /** Kills and restarts one instance after the other while clients create, each in the middle of its work. */
  const killInTurn = async (): Promise<void> => {
    const restarts: Promise<void>[] = []
    for (let kill = 1; kill <= kills; kill += 1) {
      await vi.waitUntil(() => left.length < creations * (1 - kill / (kills + 1)), waiting)
      const index = kill % instances
      await alive[index]!.kill()
      restarts.push(
        started(database, 500).then((service) => {
          alive[index] = service
        }),
      )
    }
    await Promise.all(restarts)
  }
  await Promise.all([killInTurn(), ...Array.from({ length: clients }, (_, client) => work(client))])

  // A killed instance leaves requests without an answer. Without any, the test would have tried nothing.
  expect(statuses.get(null) ?? 0).toBeGreaterThan(kills)
  for (const status of statuses.keys()) expect([201, 409, 503, null]).toContain(status)
  expect(new Set(created).size).toBe(created.length)
  // Creations whose answer didn't arrive exist only once, too.
  const pending = async () => (await list(alive[0]!.url, { status: 'AWAITING_DATABASE' })).resources
  await expect.poll(pending, { timeout: 30_000 }).toEqual([])
  const listed = await listAll(alive[0]!.url)
  expect(listed.map(({ name }) => name).sort()).toEqual([...names].sort())
  expect(new Set(listed.map(({ status }) => status))).toEqual(new Set(['READY']))
  for (const { active_revision_id, latest_revision_id } of listed)
    expect(active_revision_id).toBe(latest_revision_id)
  for (const service of running) expect(service.log()).not.toMatch(/ 500 |\n\s+at /)
  Object.assign(task.meta, { tried: creations })
})

it('revisions that a killed instance left are still deployed, each once', async () => {
  const database = await server.create('revisions')
  const [first, second] = await Promise.all(Array.from({ length: 2 }, () => started(database, 500)))
  const made = await createDeployment(first!.url)
  // From both instances at the same time, as by two clients.
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      ask<Revision>([first, second][index % 2]!.url, 'POST', `${made.id}/revisions`, {}),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 201))
  await first!.kill()
  const after = await settled(second!.url, made.id)
  const revisions = await revisionsOf(second!.url, made.id)
  expect(
    revisions
      .map(({ id }) => id)
      .slice(0, 6)
      .sort(),
  ).toEqual(answers.map(({ body }) => body.id).sort())
  expect(revisions.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 'DEPLOYED'))
  expect([after.active_revision_id, after.latest_revision_id]).toEqual([revisions[0]!.id, revisions[0]!.id])
  // One after the other.
  const times = await server.query<{ starts_at: string; ends_at: string }>(
    'revisions',
    'select starts_at, ends_at from slipway.revisions order by number',
  )
  times.slice(1).forEach(({ starts_at }, index) => {
    expect(Number(starts_at)).toBeGreaterThanOrEqual(Number(times[index]!.ends_at))
  })
})

it('a change that waited for a deployment sees the revisions that were made meanwhile', async () => {
  const service = await started(await server.create('waiting'), 0)
  const made = await createDeployment(service.url)
  await settled(service.url, made.id)
  const id = '11111111-1111-4111-8111-111111111111'
  // Stands in for another instance that makes a revision, which is deployed at once.
  const release = await server.hold(
    'waiting',
    `insert into slipway.revisions (deployment_sequence, id, number, created_at, starts_at, ends_at, source_revision_config)
       select sequence, '${id}', 2, 1, 1, 2, '{}' from slipway.deployments;
     update slipway.deployments set latest_revision_id = '${id}', ready_at = 1,
       document = replace(document, '${made.latest_revision_id}', '${id}')`,
    'commit',
  )
  const change = ask<DeploymentAnswer>(service.url, 'PATCH', made.id, {
    source_config: { install_command: 'make' },
  })
  const blocked = `select from pg_stat_activity where datname = 'waiting' and wait_event_type = 'Lock'`
  await expect.poll(() => server.query('postgres', blocked), { timeout: 20_000 }).not.toEqual([])
  await release()
  expect((await change).body).toMatchObject({ latest_revision_id: id, active_revision_id: id })
})

it('several instances refuse a revoked key, and share the audit log', async () => {
  const database = await server.create('several')
  const several = await Promise.all(Array.from({ length: 3 }, () => started(database, 0)))
  const command = (...args: string[]) => runService([...args, '--database', database])
  const key = (await command('keys', 'add', 'ci', '--role', 'create')).stdout.trim()
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const statuses = () =>
    Promise.all(several.map(async ({ url }) => (await post(url, creation(), { headers })).status))
  expect(await statuses()).toEqual([201, 201, 201])
  await command('keys', 'revoke', 'ci')
  await expect.poll(statuses, { timeout: 5_000 }).toEqual([401, 401, 401])
  const { stdout } = await command('audit')
  const lines = stdout.trimEnd().split('\n')
  expect(
    lines.filter((line) => line.includes('"action":"create"') && line.includes('"by":"ci"')).length,
  ).toBeGreaterThanOrEqual(3)
})

describe('archives', () => {
  // Instances that share a folder of archives, and one without a folder.

  const folder = temporaryFolder()
  let sharing: RunningService[] = []
  let without: RunningService

  beforeAll(async () => {
    const start = { database: await server.create('archives'), provisionMs: 200 }
    sharing = await Promise.all([1, 2].map(() => startService({ ...start, args: ['--archives', folder] })))
    without = await startService(start)
  })
  afterAll(async () => {
    await Promise.all([...sharing, without].map((service) => service.dispose()))
    rmSync(folder, { recursive: true, force: true })
  })

  it('an instance accepts uploads to addresses of another, and removes what another leaves behind', async () => {
    const [first, second] = sharing
    const { id, tenant_id } = await createDeployment(first!.url)
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
    const { id } = await createDeployment(without.url)
    await expectRefused(ask(without.url, 'POST', `${id}/upload-url`), 501, '--archives')
  })
})
