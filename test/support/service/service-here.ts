import { rmSync } from 'node:fs'
import { join } from 'node:path'
import Libsql from 'libsql'
import { openAudit } from '../../../electron/service/access/audit'
import { createApp } from '../../../electron/service/app'
import { openArchives } from '../../../electron/service/archives'
import { textLog } from '../../../electron/service/base/log'
import { openStore } from '../../../electron/service/database/store'
import { listen } from '../../../electron/service/http/server'
import { temporaryFolder } from './service-process'

/** A built-in service in this process. */
export interface ServiceHere {
  url: string
  /** Its folder. */
  data: string
  /** Another connection to its database. */
  database: Libsql.Database
  dispose(): Promise<void>
}

/** Starts a service in this process, so that a test can make its disk fail. */
export async function startServiceHere(provisionMs: number): Promise<ServiceHere> {
  const data = temporaryFolder()
  const store = await openStore({ folder: data }, { mode: 'cloud', isService: true })
  const options = {
    host: '127.0.0.1',
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
    archivePlan: { folder: join(data, 'archives'), bounds: { count: 100, bytes: 1024 * 1024 } },
    logFormat: 'text',
    drainMs: 0,
    apiKey: null,
  } as const
  const audit = openAudit(store, textLog)
  const archives = openArchives(options.archivePlan, store, textLog)
  const running = { store, audit, archives, log: textLog, metrics: null, isEnding: () => false }
  const server = await listen(createApp(options, running), { ...options, log: textLog, metrics: null })
  const database = new Libsql(join(data, 'deployments.sqlite'), { timeout: 2_500 })
  return {
    url: server.url,
    data,
    database,
    async dispose() {
      await server.close()
      archives.stop()
      await audit.close()
      database.close()
      await store.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
