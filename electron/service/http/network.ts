import type { OpenAPIHono } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import { isLoopbackHost } from '../base/loopback'
import { compressLarge } from './compression'
import { refuseForeignPages } from './foreign-pages'
import type { TlsFiles } from './tls'

/** How the service is reached. */
export interface Network {
  /** The address to listen on. */
  host: string
  /** What is in front of all paths, such as `/deployments`; empty for nothing. */
  basePath: string
  /** Names, each with a port or for any, under which requests may ask; empty for the usual ones. */
  allowedHosts: readonly string[]
  /** Origins whose pages may use the service. */
  corsOrigins: readonly string[]
  /** Null to serve HTTP without TLS. */
  tls: TlsFiles | null
}

/** How long a browser may remember what a page of another origin is allowed, in seconds. */
const remembered = 600

/** Adds what is done to all requests of a network, before any is looked at. */
export function useNetwork(app: OpenAPIHono, network: Network): void {
  const isLocal = isLoopbackHost(network.host)
  // Within the machine, it costs more than it saves.
  if (!isLocal) app.use(compressLarge)
  if (network.corsOrigins.length > 0) {
    app.use(
      cors({
        origin: [...network.corsOrigins],
        exposeHeaders: ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
        maxAge: remembered,
      }),
    )
  }
  if (isLocal || network.allowedHosts.length > 0) app.use(refuseForeignPages(network))
}
