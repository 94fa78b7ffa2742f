import type { IncomingMessage } from 'node:http'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { Env } from 'hono'
import proxyAddr from 'proxy-addr'
import { type Audit, auditRequests } from './access/audit'
import { identifyCaller } from './access/caller'
import { createKeyRing } from './access/key-ring'
import { slowDownWrongKeys } from './access/wrong-keys'
import { answerError, answerInvalid, answerThrown, refusal } from './api/errors'
import type { Archives } from './archives'
import type { ServiceOptions } from './arguments'
import type { Log } from './base/log'
import type { Store } from './database/store'
import type { Metrics } from './http/metrics'
import { pathBelow, useNetwork } from './http/network'
import { addAboutRoutes } from './routes/about'
import { addDeploymentRoutes } from './routes/deployments'
import { addLogRoutes } from './routes/logs'
import { addOtherRoutes } from './routes/not-offered'
import { operationsOf } from './routes/operation'
import { addRepositoryRoutes } from './routes/repositories'
import { addRevisionRoutes } from './routes/revisions'
import { addUploadRoutes } from './routes/uploads'

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
  const { store, audit, log, metrics, isEnding } = running
  const { basePath } = options
  const app = new OpenAPIHono<Env>({ defaultHook: answerInvalid, getPath: pathBelow(basePath) })
  if (metrics) app.use(metrics.noteRoute)
  useNetwork(app, options)
  const ring = createKeyRing(store.keys, options.apiKey)
  app.use(auditRequests(audit))
  const isTrusted = proxyAddr.compile([...options.trustedProxies])
  // The last address in X-Forwarded-For that isn't a trusted proxy's. The client can make up everything before it.
  const addressOf = (request: IncomingMessage): string => proxyAddr(request, isTrusted)
  app.use(identifyCaller(ring, slowDownWrongKeys(), store.tenantId, addressOf))
  const parts = { ...options, ...running }
  // Before the paths with identifiers, which match these paths too.
  const add = operationsOf(app)
  addOtherRoutes(add, store)
  addDeploymentRoutes(add, parts)
  addRevisionRoutes(add, parts)
  addUploadRoutes(add, parts, basePath)
  addLogRoutes(add, store)
  addRepositoryRoutes(add, store)
  const needsKey = async (): Promise<boolean> => {
    // Without the database, the document shows the last known state.
    await ring.refresh(null).catch(() => undefined)
    return ring.isNeeded()
  }
  addAboutRoutes(app, add, { store, metrics, isEnding, basePath, needsKey })
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
      throw refusal(405, `${context.req.method} is not possible here, only ${allowed.join(', ')}.`)
    })
  }
}
