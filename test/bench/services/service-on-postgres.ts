import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { Pool } from 'pg'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import {
  columnsOf,
  insertDeployments,
  pageStatement,
} from '../../../electron/service/database/postgres/deployments'
import { startPostgres } from '../../support/service/postgres/postgres-server'
import { startService } from '../../support/service/service-process'
import { median } from '../measure'
import { bodyOf, exchange, inFlight, listPath, rate } from './requests'
import { ratioRow, type Row } from '../rows'

const sample = 1000
const turns = 5
const requests = { list: 1000, create: 400 }
const connections = 10

/**
 * Rows of the built-in service on PostgreSQL: requests per second against the same statements through the driver, and of
 * two instances against one. The server doesn't wait for its disk, so that the statements count.
 */
export async function benchServiceOnPostgres(send: (row: Row) => void): Promise<void> {
  const server = await startPostgres()
  await server.query('postgres', 'create database bench')
  const database = server.url('bench')
  const one = await startService({ database, connections, sample })
  const other = await startService({ database, connections })
  const pool = new Pool({ connectionString: database, max: connections / 2 })
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  try {
    const answer = JSON.parse(
      (await exchange(agent, `${one.url}/v2/deployments`, bodyOf())).body,
    ) as DeploymentAnswer
    const kinds = {
      list: {
        http: (url: string) => exchange(agent, url + listPath),
        direct: () => {
          const query = { tenantId: answer.tenant_id, limit: 20, offset: 100 }
          const { statement, values } = pageStatement(query, new Date().toISOString(), null)
          return pool.query({ ...statement, values })
        },
      },
      create: {
        http: (url: string) => exchange(agent, `${url}/v2/deployments`, bodyOf()),
        direct: () => {
          const own = { id: randomUUID(), name: `bench-${randomUUID()}`, latest_revision_id: randomUUID() }
          const readyAt = new Date(Date.now() + 2000).toISOString()
          const deployment = { answer: { ...answer, ...own }, readyAt, tagValueIds: [] }
          return pool.query({
            ...insertDeployments,
            values: columnsOf([{ deployment, tenantId: null, entry: null }]),
          })
        },
      },
    }
    for (const kind of ['list', 'create'] as const) {
      const { http, direct } = kinds[kind]
      const rates = { one: [] as number[], two: [] as number[], direct: [] as number[] }
      for (let turn = -1; turn < turns; turn += 1) {
        let next = 0
        const ofOne = await rate(requests[kind], () => http(one.url))
        const ofTwo = await rate(requests[kind], () => http((next += 1) % 2 === 0 ? one.url : other.url))
        const ofDriver = await rate(requests[kind], direct)
        // The first round warms up.
        if (turn < 0) continue
        rates.one.push(ofOne)
        rates.two.push(ofTwo)
        rates.direct.push(ofDriver)
      }
      send(
        ratioRow({
          what: `built-in service on PostgreSQL: ${kind}, requests per second`,
          floor: 'the same statement through the driver',
          goal: 0.5,
          atLeast: true,
          measured: median(rates.one),
          floorMeasured: median(rates.direct),
          unit: 'perSecond',
        }),
      )
      send(
        ratioRow({
          what: `two instances on PostgreSQL: ${kind}, requests per second`,
          floor: 'one instance',
          goal: 1.6,
          atLeast: true,
          measured: median(rates.two),
          floorMeasured: median(rates.one),
          unit: 'perSecond',
        }),
      )
    }
  } finally {
    agent.destroy()
    await pool.end()
    await Promise.all([one.dispose(), other.dispose()])
    await server.dispose()
  }
}
