import { isIPv4 } from 'node:net'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'
import { cors } from 'hono/cors'
import { getPath } from 'hono/utils/url'
import { refusal } from '../api/errors'

/** PEM files: the certificate with its issuers', and its key. */
export interface TlsFiles {
  cert: string
  key: string
}

/** How the service is reached over the network. */
export interface Network {
  /** The address to listen on. */
  host: string
  /** The prefix of all paths, such as `/deployments`; empty for none. */
  basePath: string
  /** Host names that requests may use, with a port or for any; empty for the default ones. */
  allowedHosts: readonly string[]
  /** Origins whose pages may use the service. */
  corsOrigins: readonly string[]
  /** Addresses of proxies whose X-Forwarded-For is trusted, alone or with the length of a prefix. */
  trustedProxies: readonly string[]
  /** Null for HTTP without TLS. */
  tls: TlsFiles | null
}

/** Adds the middleware that every request passes first. */
export function useNetwork(app: OpenAPIHono, network: Network): void {
  const isLocal = isLoopbackHost(network.host)
  // On one machine, compression costs more than it saves.
  if (!isLocal) app.use(compress({ encoding: 'gzip' }))
  if (network.corsOrigins.length > 0) {
    app.use(
      cors({
        origin: [...network.corsOrigins],
        exposeHeaders: ['Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
        maxAge: 600,
      }),
    )
  }
  if (isLocal || network.allowedHosts.length > 0) app.use(refuseForeignPages(network))
}

/** In front of paths that aren't below the base path. No route has it, and no address can. */
const outside = '/\0'

/**
 * Gives the path of a request below a base path, for routes that don't know of it. A slash at its end is left out, since
 * clients that are configured with one send it.
 */
export function pathBelow(basePath: string): (request: Request) => string {
  return (request) => {
    const path = getPath(request)
    if (!path.startsWith(`${basePath}/`)) return outside + path
    return path.slice(basePath.length).replace(/(?<=.)\/$/, '')
  }
}

/** Paths that a proxy or a supervisor may request by an IP address, whatever the service's name. */
const checks = new Set(['/health', '/ready'])

/**
 * Answers 403 to requests under a name that isn't the service's. On loopback, only the names of this machine are
 * allowed, since a web page in its browser could use others (DNS rebinding), and pages of other origins are refused
 * too.
 */
function refuseForeignPages(
  network: Pick<Network, 'host' | 'allowedHosts' | 'corsOrigins'>,
): MiddlewareHandler {
  const { host: served, allowedHosts, corsOrigins } = network
  const isLocal = isLoopbackHost(served)
  const localNames = isLocal ? [hostInUrl(served).toLowerCase(), '127.0.0.1', 'localhost', '[::1]'] : []
  return async (context, next) => {
    const { socket } = (context.env as { incoming: { socket: { localPort?: number } } }).incoming
    // Host names are case-insensitive (RFC 9110, 4.2.3).
    const host = context.req.header('host')?.toLowerCase() ?? ''
    const suffix = socket.localPort === 80 ? '' : `:${socket.localPort}`
    const isAllowed =
      localNames.some((name) => host === name + suffix) ||
      allowedHosts.some((name) => host === name || host.replace(/:\d+$/, '') === name) ||
      // A page can't leave out the host, but a check over HTTP/1.0 can.
      ((!isLocal || host === '') && checks.has(context.req.path))
    if (!isAllowed) {
      const name = allowedHosts[0] ?? `${localNames[0]}${suffix}`
      throw refusal(403, `This service answers only as ${name}, not as "${host}".`)
    }
    const origin = context.req.header('origin')?.toLowerCase()
    const isForeign = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`
    if (isLocal && isForeign && !corsOrigins.includes(origin))
      throw refusal(403, 'This service does not answer to pages of another origin.')
    return next()
  }
}

/** Whether only this machine can reach a host (a name or address of --host). */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** A host as URLs write it: IPv6 addresses get brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
