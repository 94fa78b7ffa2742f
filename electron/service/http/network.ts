import type { OpenAPIHono } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import { isLoopbackHost } from '../base/loopback'
import { compressLarge } from './compression'
import { exposedHeaders } from './cors'
import { refuseForeignPages } from './foreign-pages'
import type { Network } from './types'

/** How long a browser may cache the permissions of another origin's pages, in seconds. */
const remembered = 600

/** Adds the middleware that every request passes first. */
export function useNetwork(app: OpenAPIHono, network: Network): void {
  const isLocal = isLoopbackHost(network.host)
  // On one machine, compression costs more than it saves.
  if (!isLocal) app.use(compressLarge)
  if (network.corsOrigins.length > 0) {
    app.use(
      cors({
        origin: [...network.corsOrigins],
        exposeHeaders: exposedHeaders,
        maxAge: remembered,
      }),
    )
  }
  if (isLocal || network.allowedHosts.length > 0) app.use(refuseForeignPages(network))
}
