import { createHash, timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { answerError } from './api/errors'
import { hostInUrl } from './base/loopback'

/** The paths that need no API key: the health check and the OpenAPI document. */
const openPaths = new Set(['/health', '/openapi.json'])

/**
 * Answers 401 to requests without the API key in `X-Api-Key`. `/health` and `/openapi.json` are open: they show none
 * of the service's data.
 */
export function requireApiKey(apiKey: string): MiddlewareHandler {
  // Constant-time comparison needs inputs of equal length, so it compares digests.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const expected = digest(apiKey)
  return (context, next) => {
    if (openPaths.has(context.req.path)) return next()
    const given = context.req.header('x-api-key')
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return next()
    const detail =
      given === undefined ? 'The header X-Api-Key is missing.' : 'The API key in X-Api-Key is wrong.'
    return Promise.resolve(answerError(context, 401, detail))
  }
}

/**
 * On loopback, answers 403 to requests that a web page in this machine's browser could send: those with another host's
 * name (DNS rebinding) and those from another origin.
 *
 * @param served the host given by --host
 */
export function refuseForeignPages(served: string): MiddlewareHandler {
  const names = [hostInUrl(served), '127.0.0.1', 'localhost', '[::1]']
  return (context, next) => {
    const { socket } = (context.env as { incoming: { socket: { localPort?: number } } }).incoming
    const host = context.req.header('host') ?? ''
    const suffix = socket.localPort === 80 ? '' : `:${socket.localPort}`
    if (!names.some((name) => host === name + suffix)) {
      const detail = `This service answers only as ${names[0]}${suffix}, not as "${host}".`
      return Promise.resolve(answerError(context, 403, detail))
    }
    const origin = context.req.header('origin')
    if (origin !== undefined && origin !== `http://${host}`) {
      return Promise.resolve(
        answerError(context, 403, 'This service does not answer to pages of another origin.'),
      )
    }
    return next()
  }
}
