import type { MiddlewareHandler } from 'hono'
import { answerError } from './api/errors'
import { hostInUrl } from './base/loopback'

/**
 * On loopback, answers 403 to requests that a web page in this machine's browser could send: those with another host's
 * name (DNS rebinding) and those from another origin.
 *
 * @param served the host given by --host
 */
export function refuseForeignPages(served: string): MiddlewareHandler {
  const names = [hostInUrl(served).toLowerCase(), '127.0.0.1', 'localhost', '[::1]']
  return (context, next) => {
    const { socket } = (context.env as { incoming: { socket: { localPort?: number } } }).incoming
    // Names of hosts are the same in upper and lower case (RFC 9110, 4.2.3).
    const host = context.req.header('host')?.toLowerCase() ?? ''
    const suffix = socket.localPort === 80 ? '' : `:${socket.localPort}`
    if (!names.some((name) => host === name + suffix)) {
      const detail = `This service answers only as ${names[0]}${suffix}, not as "${host}".`
      return Promise.resolve(answerError(context, 403, detail))
    }
    const origin = context.req.header('origin')?.toLowerCase()
    if (origin !== undefined && origin !== `http://${host}`) {
      return Promise.resolve(
        answerError(context, 403, 'This service does not answer to pages of another origin.'),
      )
    }
    return next()
  }
}
