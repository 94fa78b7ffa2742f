import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deploymentTable } from '../../../electron/service/database/sqlite/deployments'
import { revisionTable } from '../../../electron/service/database/sqlite/revisions'
import { openDatabase } from '../../../electron/service/database/sqlite/connection/open'
import { createSqliteStore } from '../../../electron/service/database/sqlite/store'
import { textLog } from '../../../electron/service/base/log'
import { inTransaction } from '../../../electron/service/database/sqlite/connection/transaction'
import { fillWithSample } from '../../../electron/service/sample'
import type { DeploymentAnswer } from '../../../electron/service/api/schemas'
import { startService } from '../../support/service/service-process'
import { median, timed } from '../measure'
import { startHelper } from '../processes'
import { bodyOf, exchange, inFlight, listPath, rate } from './requests'
import { ratioRow, type Row } from '../rows'

const sample = 1000
const turns = 5
const requests = { list: 1000, create: 400 }

/** Rows of the built-in service: requests per second against the slower of its statements and of bare node:http. */
export async function benchBuiltInService(send: (row: Row) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
  const service = await startService({ mode: 'cloud', sample })
  const database = openDatabase(join(folder, 'data'), 'cloud')
  const store = createSqliteStore(database, textLog)
  const deployments = deploymentTable(database, revisionTable(database))
  try {
    await fillWithSample(store, 'cloud', sample)
    const listed = (await exchange(agent, service.url + listPath)).body
    const created = await exchange(agent, `${service.url}/v2/deployments`, bodyOf())
    if (created.status !== 201) throw new Error(`the service answered ${created.status}`)
    const answer = JSON.parse(created.body) as DeploymentAnswer
    const files = [listed, created.body].map((body, index) => {
      const file = join(folder, String(index))
      writeFileSync(file, body)
      return file
    })
    const bare = startHelper('bare-service', files)
    const { url: bareUrl } = await bare.next<{ url: string }>()

    const kinds = {
      list: {
        http: (url: string) => () => exchange(agent, url + listPath),
        direct: () => {
          const query = { tenantId: answer.tenant_id, limit: 20, offset: 100 }
          deployments.find(query, new Date().toISOString(), null)
        },
      },
      create: {
        http: (url: string) => () => exchange(agent, `${url}/v2/deployments`, bodyOf()),
        direct: () => {
          const own = { id: randomUUID(), name: `bench-${randomUUID()}`, latest_revision_id: randomUUID() }
          inTransaction(database, 'immediate', () => {
            deployments.nameHolder(own.name, null)
            const readyAt = new Date(Date.now() + 2000).toISOString()
            deployments.insert({ answer: { ...answer, ...own }, readyAt, tagValueIds: [] }, null)
          })
        },
      },
    }
    for (const kind of ['list', 'create'] as const) {
      const { http, direct } = kinds[kind]
      const count = requests[kind]
      const rates = { service: [] as number[], bare: [] as number[], direct: [] as number[] }
      for (let turn = -1; turn < turns; turn += 1) {
        const ofService = await rate(count, http(service.url))
        const ofBare = await rate(count, http(bareUrl))
        const directMs = timed(() => {
          for (let index = 0; index < count; index += 1) direct()
        })
        // The first round warms up.
        if (turn < 0) continue
        rates.service.push(ofService)
        rates.bare.push(ofBare)
        rates.direct.push((count * 1000) / directMs)
      }
      const bareRate = median(rates.bare)
      const directRate = median(rates.direct)
      send(
        ratioRow({
          what: `built-in service: ${kind}, requests per second`,
          floor: 'the slower of its SQL called directly and bare node:http',
          goal: 0.5,
          atLeast: true,
          measured: median(rates.service),
          floorMeasured: Math.min(bareRate, directRate),
          unit: 'perSecond',
          more: { bareHttp_perSecond: bareRate, sql_perSecond: directRate },
        }),
      )
    }
    bare.process.disconnect()
  } finally {
    agent.destroy()
    await store.close()
    await service.dispose()
    rmSync(folder, { recursive: true, force: true })
  }
}
