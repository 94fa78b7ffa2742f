import { expect, it } from 'vitest'
import { postgresPassword, suiteDatabases } from '../../support/service/postgres/postgres-server'
import { testOf } from '../../support/service/disposed-services'
import { run } from '../../support/service/service-here'
import { startService } from '../../support/service/service-process'
import { creation, exchange, list, post } from '../../support/service/client'

// What a start on PostgreSQL checks and reports.

const server = suiteDatabases()

async function refusalOn(database: string): Promise<string> {
  const { code, stderr } = await run(['--mode', 'cloud', '--port', '0', '--database', database])
  expect(code).toBe(1)
  expect(stderr).not.toContain(postgresPassword)
  return stderr
}

testOf(startService)(
  "several instances that start at once create the schema and the sample once, and leave another program's tables alone",
  async ({ started }) => {
    const database = await server.create('at_once')
    await server.query('at_once', 'create table public.deployments (theirs text)')
    const services = await Promise.all(
      Array.from({ length: 4 }, () => started({ database, sample: 30, connections: 4 })),
    )
    for (const { url } of services) expect((await list(url, { limit: 100 })).resources).toHaveLength(30)
    const answers = await Promise.all(services.map(({ url }) => post(url, creation())))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    // All answer for the sample's tenant, including those that found the sample.
    expect(new Set(answers.map(({ body }) => body.tenant_id)).size).toBe(1)
    expect(services.filter((service) => service.log().includes('--sample changed nothing'))).toHaveLength(3)
    for (const service of services) expect(service.log()).not.toContain(postgresPassword)
    expect(await server.query('at_once', 'select * from public.deployments')).toEqual([])
    const { text } = await exchange(`${services[0]!.url}/metrics`)
    expect(text).toMatch(/^slipway_database_connections\{pool="reads",state="idle"\} [1-9]/m)
  },
)

it('refuses a database that was made by another version', async () => {
  const database = await server.create('newer')
  await run(['keys', 'list', '--mode', 'cloud', '--database', database])
  await server.query('newer', `update slipway.kysely_migration set name = '0'`)
  expect(await refusalOn(database)).toContain('was made by another version of Slipway')
})

it('refuses a database with another encoding', async () => {
  const database = await server.create('latin', `encoding LATIN1 locale 'C' template template0`)
  expect(await refusalOn(database)).toContain('createdb --encoding=UTF8')
})

it('says why it has no access: no server, no database, a wrong password, no permission', async () => {
  const wrong = 'postgres://slipway:a-wrong-password@'
  expect(await refusalOn(`${wrong}127.0.0.1:1/postgres`)).toContain('ECONNREFUSED')
  expect(await refusalOn(server.url('missing'))).toContain('database "missing" does not exist')
  const refused = await refusalOn(`${wrong}${server.address}/postgres`)
  expect(refused).toContain('password authentication failed')
  expect(refused).not.toContain('a-wrong-password')
  const closed = await server.create('closed')
  await server.query('postgres', `create user guest password '${postgresPassword}'`)
  expect(await refusalOn(closed.replace('slipway:', 'guest:'))).toContain('permission denied')
})
