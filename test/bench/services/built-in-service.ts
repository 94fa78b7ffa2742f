import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import type { Place } from '../../../electron/service/database/database'
import { openStore, type Store } from '../../../electron/service/database/store'
import { fillWithSample } from '../../../electron/service/sample'
import { startPostgres } from '../../support/service/postgres/postgres-server'
import { startService } from '../../support/service/service-process'
import { median } from '../measure'
import { startHelper } from '../processes'
import { ratioRow, type Row } from '../rows'
import { bodyOf, exchange, inFlight, listPath, rate } from './requests'

const sample = 1000
const turns = 5
const requests = { list: 1000, create: 400 }
const connections = 10

/** Rows of the built-in service: requests per second against the slower of its statements and of bare node:http. */
export async function benchBuiltInService(send: (row: Row) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  const service = await startService({ mode: 'cloud', sample })
  try {
    await benchService('built-in service', [service.url], { folder: join(folder, 'data') }, send)
  } finally {
    await service.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The same on PostgreSQL, and rows of two instances against one. The server doesn't wait for its disk, so that the
 * statements count.
 */
export async function benchServiceOnPostgres(send: (row: Row) => void): Promise<void> {
  const server = await startPostgres()
  await server.query('postgres', 'create database bench')
  const database = server.url('bench')
  const one = await startService({ database, connections, sample })
  const other = await startService({ database, connections })
  try {
    const place = { connectionString: database, connections }
    await benchService('built-in service on PostgreSQL', [one.url, other.url], place, send)
  } finally {
    await Promise.all([one.dispose(), other.dispose()])
    await server.dispose()
  }
}

/** Measures instances of a service, and their statements on a store of their own. */
async function benchService(
  name: string,
  urls: readonly [string, ...string[]],
  place: Place,
  send: (row: Row) => void,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const store = await openStore(place, { mode: 'cloud', isService: true })
  try {
    await fillWithSample(store, 'cloud', sample)
    const listed = (await exchange(agent, urls[0] + listPath)).body
    const created = await exchange(agent, `${urls[0]}/v2/deployments`, bodyOf())
    if (created.status !== 201) throw new Error(`the service answered ${created.status}`)
    const files = [listed, created.body].map((body, index) => {
      const file = join(folder, String(index))
      writeFileSync(file, body)
      return file
    })
    const bare = startHelper('bare-service', files)
    const { url: bareUrl } = await bare.next<{ url: string }>()
    for (const kind of ['list', 'create'] as const) {
      const http = (url: string) =>
        kind === 'list' ? exchange(agent, url + listPath) : exchange(agent, `${url}/v2/deployments`, bodyOf())
      const direct = statementsOf(store, JSON.parse(created.body) as DeploymentAnswer)[kind]
      const count = requests[kind]
      const rates = { one: [] as number[], all: [] as number[], bare: [] as number[], direct: [] as number[] }
      for (let turn = -1; turn < turns; turn += 1) {
        let next = 0
        const ofOne = await rate(count, () => http(urls[0]))
        const ofAll = await rate(count, () => http(urls[(next += 1) % urls.length]!))
        const ofBare = await rate(count, () => http(bareUrl))
        const ofDirect = await rate(count, direct)
        // The first round warms up.
        if (turn < 0) continue
        rates.one.push(ofOne)
        rates.all.push(ofAll)
        rates.bare.push(ofBare)
        rates.direct.push(ofDirect)
      }
      const [bareRate, directRate] = [median(rates.bare), median(rates.direct)]
      const common = { atLeast: true, unit: 'perSecond' } as const
      send(
        ratioRow({
          ...common,
          what: `${name}: ${kind}, requests per second`,
          floor: 'the slower of its statements called directly and bare node:http',
          goal: 0.5,
          measured: median(rates.one),
          floorMeasured: Math.min(bareRate, directRate),
          more: { bareHttp_perSecond: bareRate, sql_perSecond: directRate },
        }),
      )
      if (urls.length === 1) continue
      const both = ratioRow({
        ...common,
        what: `two instances on PostgreSQL: ${kind}, requests per second`,
        floor: 'one instance',
        goal: 1,
        measured: median(rates.all),
        floorMeasured: median(rates.one),
      })
      // One machine has too few cores for more.
      send({ ...both, goal: 'none on one machine', reached: null })
    }
    bare.process.disconnect()
  } finally {
    agent.destroy()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a service does for a request, without HTTP. */
function statementsOf(store: Store, answer: DeploymentAnswer) {
  return {
    list: () => store.deployments.find({ tenantId: store.tenantId, limit: 20, offset: 100 }, Date.now()),
    create: () => {
      const own = { id: randomUUID(), name: `bench-${randomUUID()}`, latest_revision_id: randomUUID() }
      const made = { ...answer, ...own, tenant_id: store.tenantId }
      const readyAt = Date.now() + 2000
      const entry = {
        at: made.created_at,
        request_id: null,
        by: 'bench',
        tenant_id: null,
        action: 'create',
        name: null,
        id: null,
        outcome: 'done',
      }
      return store.create({ answer: made, readyAt, tagValueIds: [], failure: null }, entry)
    },
  }
}
