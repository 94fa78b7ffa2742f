import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openAudit } from '../../../electron/service/access/audit'
import { openArchives } from '../../../electron/service/archives/archives'
import { createApp } from '../../../electron/service/app'
import { type Connection, openDatabase } from '../../../electron/service/database/sqlite/connection/open'
import { createSqliteStore } from '../../../electron/service/database/sqlite/store'
import { textLog } from '../../../electron/service/base/log'
import { listen, type ServerOptions } from '../../../electron/service/http/server'
import { deploymentsIn } from '../../../electron/service/routes/parts/read-deployment'
import { temporaryFolder } from './service-process'

/** A built-in service in this process, with its database at hand. */
export interface ServiceHere {
  url: string
  database: Connection
  dispose(): Promise<void>
}

/** What a test can change, compared with a service that is started by its command. */
type Differences = Partial<Pick<ServerOptions, 'requestMs' | 'log' | 'tls'>>

/** Starts a service in this process, so that a test can make its database fail, or its limits shorter. */
export async function startServiceHere(
  provisionMs: number,
  differences: Differences = {},
): Promise<ServiceHere> {
  const data = temporaryFolder()
  const database = openDatabase(data, 'cloud')
  const store = createSqliteStore(database, textLog)
  const host = '127.0.0.1'
  const options = {
    host,
    basePath: '',
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    tls: null,
    port: 0,
    mode: 'cloud',
    place: { folder: data },
    sample: null,
    provisionMs,
    checksRepositories: false,
    archives: { folder: join(data, 'archives'), bounds: { count: 100, bytes: 1024 * 1024 } },
    logFormat: 'text',
    drainMs: 0,
    apiKey: null,
  } as const
  const audit = openAudit(store, textLog)
  const archives = openArchives(options.archives, deploymentsIn(store), textLog)
  const server = await listen(
    createApp(options, { store, audit, archives, log: textLog, metrics: null, isEnding: () => false }),
    {
      ...options,
      log: textLog,
      metrics: null,
      ...differences,
    },
  )
  return {
    url: server.url,
    database,
    async dispose() {
      await server.close()
      archives.stop()
      await audit.close()
      await store.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
