import { OpenAPIHono } from '@hono/zod-openapi'
import type { Env } from 'hono'
import type { ServiceOptions } from './arguments'
import type { Log } from './base/log'
import type { Store } from './database/store'
import { answerError, answerInvalid, answerThrown } from './api/errors'
import { type Audit, auditRequests } from './access/audit'
import { identifyCaller } from './access/caller'
import { clientAddressBehind } from './access/client-address'
import { createKeyRing } from './access/key-ring'
import { slowDownWrongKeys } from './access/wrong-keys'
import { pathBelow } from './http/base-path'
import type { Archives } from './archives/archives'
import type { Metrics } from './http/metrics'
import { useNetwork } from './http/network'
import { addAboutRoutes } from './routes/about'
import { addDeploymentRoutes } from './routes/deployments'
import { addDocumentRoute } from './routes/document'
import { addLifeRoutes } from './routes/life/deployments'
import { addLogRoutes } from './routes/life/logs'
import { addOtherRoutes } from './routes/life/not-offered'
import { addRevisionRoutes } from './routes/life/revisions'
import { addUploadRoutes } from './routes/life/uploads'
import { addMetricsRoute } from './routes/metrics'
import { addRepositoryRoutes } from './routes/repositories'

/** What a running service has in addition to its options. */
export interface Running {
  store: Store
  audit: Audit
  /** Null if the service doesn't store archives. */
  archives: Archives | null
  log: Log
  /** Null in a sandbox, which has no metrics. */
  metrics: Metrics | null
  /** Whether the service is about to end, so that a proxy should send no further requests. */
  isEnding: () => boolean
}

/** The service without its HTTP server. */
export function createApp(options: ServiceOptions, running: Running): OpenAPIHono {
  const { store, audit, archives, log, metrics, isEnding } = running
  const { basePath } = options
  const app = new OpenAPIHono<Env>({
    defaultHook: answerInvalid,
    getPath: pathBelow(basePath),
  })
  if (metrics) app.use(metrics.noteRoute)
  useNetwork(app, options)
  const ring = createKeyRing(store.keys, options.apiKey)
  app.use(auditRequests(audit))
  const addressOf = clientAddressBehind(options.trustedProxies)
  app.use(identifyCaller(ring, slowDownWrongKeys(), () => store.tenantId, addressOf))
  const parts = { store, archives, log, provisionMs: options.provisionMs }
  // Before the paths with identifiers, which match these paths too.
  addOtherRoutes(app, store)
  addDeploymentRoutes(app, parts, options)
  addLifeRoutes(app, parts, options)
  addRevisionRoutes(app, parts, options)
  addUploadRoutes(app, store, archives, basePath)
  addLogRoutes(app, store)
  addRepositoryRoutes(app, store)
  addAboutRoutes(app, store, isEnding)
  if (metrics) addMetricsRoute(app, metrics)
  addDocumentRoute(app, basePath, async () => {
    // Without the database, the document shows the last known state.
    await ring.refresh(null).catch(() => undefined)
    return ring.isNeeded()
  })
  refuseOtherMethods(app)
  app.notFound((context) =>
    answerError(context, 404, `There is nothing at ${new URL(context.req.url).pathname}.`),
  )
  app.onError(answerThrown(log))
  return app
}

/** Answers 405 to a method that a known path doesn't have. Call it after all routes are added. */
function refuseOtherMethods(app: OpenAPIHono): void {
  const methods = new Map<string, string[]>()
  for (const { path, method } of app.routes) {
    if (method === 'ALL') continue
    const known = methods.get(path) ?? []
    const added = method === 'GET' ? ['GET', 'HEAD'] : [method]
    methods.set(path, [...new Set([...known, ...added])])
  }
  for (const [path, allowed] of methods) {
    app.all(path, (context) => {
      context.header('Allow', allowed.join(', '))
      return answerError(
        context,
        405,
        `${context.req.method} is not possible here, only ${allowed.join(', ')}.`,
      )
    })
  }
}
