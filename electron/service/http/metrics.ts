import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import type { Store } from '../database/store'
import { statusOf } from './request-log'

export type Metrics = Awaited<ReturnType<typeof createMetrics>>

/** Methods with a label of their own. All others share one. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** In seconds, from a millisecond to the longest time of a statement and its wait. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]

/**
 * Starts to count the service's metrics, for Prometheus. Labels contain no names, and nothing that clients choose.
 */
export async function createMetrics(store: Store) {
  // Not loaded in a sandbox, which has no metrics.
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client')
  const registry = new Registry()
  const registers = [registry]
  // Samples the event loop's delay once a second. Sampling more often would keep an idle machine awake.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 1_000 })
  const routes = new WeakMap<ServerResponse, string>()

  const requests = new Counter({
    name: 'slipway_http_requests_total',
    help: 'Requests that were answered, or aborted by the client (status "aborted").',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'slipway_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets,
    registers,
  })
  const running = new Gauge({
    name: 'slipway_http_requests_running',
    help: 'Requests that are being answered.',
    registers,
  })
  const connections = new Gauge({
    name: 'slipway_database_connections',
    help: 'Connections of this instance to PostgreSQL, by pool and state.',
    labelNames: ['pool', 'state'],
    registers,
  })
  const waiting = new Gauge({
    name: 'slipway_database_waiting',
    help: 'Statements that wait for a connection to PostgreSQL.',
    labelNames: ['pool'],
    registers,
  })
  new Gauge({
    name: 'slipway_provisionings',
    help: "Deployments that are being provisioned, in the whole database. Missing while it can't be read.",
    registers,
    async collect() {
      this.reset()
      const count = await store.deployments.provisioning().catch(() => null)
      if (count === null) this.remove()
      else this.set(count)
    },
  })
  new Counter({
    name: 'slipway_provisionings_ended_total',
    help: 'Provisionings that this instance began and that have ended.',
    registers,
    collect() {
      this.reset()
      this.inc(store.work().provisioned)
    },
  })

  return {
    /** Notes the route of a request. */
    noteRoute: (async (context: Context<{ Bindings: { outgoing: ServerResponse } }>, next) => {
      await next()
      routes.set(context.env.outgoing, routePath(context, -1))
    }) as MiddlewareHandler,
    /** Counts a request once it is answered or aborted. */
    observe(request: IncomingMessage, response: ServerResponse): void {
      const start = performance.now()
      running.inc()
      response.once('close', () => {
        running.dec()
        const method = methods.has(request.method ?? '') ? request.method! : 'other'
        const found = routes.get(response) ?? '/*'
        const route = found === '/*' ? 'none' : found
        const status = String(statusOf(response) ?? 'aborted')
        requests.inc({ method, route, status })
        durations.observe({ method, route }, (performance.now() - start) / 1_000)
      })
    },
    /** Counts data that couldn't be read as a request, by the status of its answer. */
    countUnread(status: number): void {
      requests.inc({ method: 'other', route: 'none', status: String(status) })
    },
    /** All metrics as text, and its content type. */
    async expose(): Promise<{ contentType: string; text: string }> {
      for (const { pool, open, idle, waiting: statements } of store.work().pools) {
        connections.set({ pool, state: 'idle' }, idle)
        connections.set({ pool, state: 'used' }, open - idle)
        waiting.set({ pool }, statements)
      }
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
