import type { MiddlewareHandler } from 'hono'
import { answerError } from '../api/errors'
import { hostInUrl, isLoopbackHost } from '../base/loopback'
import type { Network } from './types'

/** Paths that a proxy or a supervisor may request by an IP address, whatever the service's name. */
const checks = new Set(['/health', '/ready'])

/**
 * Answers 403 to requests under a name that isn't the service's. On loopback, only the names of this machine are
 * allowed, since a web page in its browser could use others (DNS rebinding), and pages of other origins are refused
 * too.
 */
export function refuseForeignPages(
  network: Pick<Network, 'host' | 'allowedHosts' | 'corsOrigins'>,
): MiddlewareHandler {
  const { host: served, allowedHosts, corsOrigins } = network
  const isLocal = isLoopbackHost(served)
  const localNames = isLocal ? [hostInUrl(served).toLowerCase(), '127.0.0.1', 'localhost', '[::1]'] : []
  return (context, next) => {
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
      const detail = `This service answers only as ${name}, not as "${host}".`
      return Promise.resolve(answerError(context, 403, detail))
    }
    const origin = context.req.header('origin')?.toLowerCase()
    const isForeign = origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`
    if (isLocal && isForeign && !corsOrigins.includes(origin)) {
      return Promise.resolve(
        answerError(context, 403, 'This service does not answer to pages of another origin.'),
      )
    }
    return next()
  }
}
