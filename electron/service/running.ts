import { openAudit } from './access/audit'
import { isInForce } from './access/key-ring'
import { createApp } from './app'
import { openArchives } from './archives'
import type { ServiceOptions } from './arguments'
import type { Log } from './base/log'
import { isLoopbackHost } from './http/network'
import { Refusal } from './base/failures'
import { openStore, type Store } from './database/store'
import { createMetrics } from './http/metrics'
import { listen } from './http/server'
import { fillWithSample, sampleTenant } from './sample'

/** Whether the application runs the service as a sandbox, where nobody collects metrics. */
const isSandbox = 'electron' in process.versions

/** How often what is no longer needed is removed, in milliseconds. */
const tidyMs = 3_600_000

/** A service that is listening. */
export interface RunningService {
  url: string
  /** Lets `/ready` answer 503 from now on, while everything else is answered as before. */
  announceEnd(): void
  /** Accepts no new connections, lets running requests finish for a bounded time, and ends. */
  close(): Promise<void>
}

/** Opens the data, and serves. Throws a Refusal if that can't be done as asked. */
export async function runService(options: ServiceOptions, log: Log): Promise<RunningService> {
  const { mode, place, sample, archivePlan } = options
  const tenant = sample === undefined ? {} : { tenantId: sampleTenant(mode) }
  const store = await openStore(place, { mode, isService: true, ...tenant })
  await requireKeyFor(options, store)
  if (sample !== undefined && !(await fillWithSample(store, mode, sample))) {
    log.problem(
      `--sample changed nothing: ${'folder' in place ? place.folder : 'the database'} isn't empty. To get sample ` +
        `deployments and repositories, use an empty ${'folder' in place ? 'folder with --data' : 'database'}.`,
    )
  }
  let isEnding = false
  const audit = openAudit(store, log)
  const archives = archivePlan === null ? null : openArchives(archivePlan, store, log)
  const metrics = isSandbox ? null : await createMetrics(store)
  const app = createApp(options, { store, audit, archives, log, metrics, isEnding: () => isEnding })
  const server = await listen(app, { ...options, log, metrics })
  const tidy = (): void => {
    store
      .tidy()
      .catch((error: Error) => log.problem("What is no longer needed can't be removed yet.", error.message))
    void archives?.tidy()
  }
  tidy()
  const timer = setInterval(tidy, tidyMs).unref()
  return {
    url: server.url,
    announceEnd: () => void (isEnding = true),
    async close() {
      clearInterval(timer)
      await server.close()
      archives?.stop()
      await audit.close()
      await store.close()
    },
  }
}

/** Refuses to serve other machines if no key is required. */
async function requireKeyFor({ host, apiKey }: ServiceOptions, store: Store): Promise<void> {
  if (apiKey !== null || isLoopbackHost(host) || (await store.keys.all()).some(isInForce)) return
  throw new Refusal(
    `Refusing to serve ${host || 'every address'} without an API key: anyone in the network could create ` +
      'deployments. Add one with "keys add", set SLIPWAY_SERVICE_API_KEY, or use --host 127.0.0.1.',
    'arguments',
  )
}
