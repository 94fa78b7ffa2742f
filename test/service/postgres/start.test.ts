import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type PostgresServer,
  postgresPassword,
  startPostgres,
} from '../../support/service/postgres/postgres-server'
import { runService, startService } from '../../support/service/service-process'
import { creation, exchange, list, post } from '../client'

// What a start on PostgreSQL checks and reports, with the test's own server.

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.dispose())

async function freshDatabase(name: string, more = ''): Promise<string> {
  await server.query('postgres', `create database ${name} ${more}`)
  return server.url(name)
}

async function refusalOn(database: string, args: string[] = []): Promise<string> {
  const { code, stdout, stderr } = await runService([
    ...['--mode', 'cloud', '--port', '0', '--database', database],
    ...args,
  ])
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).not.toContain(postgresPassword)
  expect(stderr).not.toMatch(/\n\s+at /)
  return stderr
}

it('several instances that start at once create the schema and the sample once', async () => {
  const database = await freshDatabase('at_once')
  const services = await Promise.all(
    Array.from({ length: 4 }, () => startService({ database, sample: 30, connections: 4 })),
  )
  try {
    for (const { url } of services) expect((await list(url, { limit: 100 })).resources).toHaveLength(30)
    const answers = await Promise.all(services.map(({ url }) => post(url, creation())))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    // All answer for the sample's tenant, including those that found the sample.
    expect(new Set(answers.map(({ body }) => body.tenant_id)).size).toBe(1)
    expect(services.filter((service) => service.log().includes('--sample changed nothing'))).toHaveLength(3)
    for (const service of services) expect(service.log()).not.toContain(postgresPassword)
    const { text } = await exchange(`${services[0]!.url}/metrics`)
    expect(text).toMatch(/^slipway_database_connections\{pool="reads",state="idle"\} [1-9]/m)
  } finally {
    await Promise.all(services.map((service) => service.dispose()))
  }
})

it('refuses a database that was made by another version', async () => {
  const database = await freshDatabase('newer')
  await (await startService({ database })).dispose()
  await server.query('newer', `update slipway.kysely_migration set name = '0'`)
  expect(await refusalOn(database)).toContain('was made by another version of Slipway')
})

it('refuses a database with another encoding', async () => {
  const database = await freshDatabase('latin', `encoding LATIN1 locale 'C' template template0`)
  expect(await refusalOn(database)).toContain('createdb --encoding=UTF8')
})

it('says why it has no access: no server, no database, a wrong password, no permission', async () => {
  const wrong = 'postgres://slipway:a-wrong-password@'
  expect(await refusalOn(`${wrong}127.0.0.1:1/postgres`)).toContain('ECONNREFUSED')
  expect(await refusalOn(server.url('missing'))).toContain('database "missing" does not exist')
  const refused = await refusalOn(`${wrong}${server.address}/postgres`)
  expect(refused).toContain('password authentication failed')
  expect(refused).not.toContain('a-wrong-password')
  await freshDatabase('closed')
  await server.query('postgres', `create user guest password '${postgresPassword}'`)
  const asGuest = server.url('closed').replace('slipway:', 'guest:')
  expect(await refusalOn(asGuest)).toContain('permission denied')
})

it("leaves another program's tables alone", async () => {
  const database = await freshDatabase('shared')
  await server.query('shared', 'create table public.deployments (theirs text)')
  const service = await startService({ database, sample: 3 })
  try {
    expect((await list(service.url)).resources).toHaveLength(3)
    expect(await server.query('shared', 'select * from public.deployments')).toEqual([])
  } finally {
    await service.dispose()
  }
})
