import { createHash, timingSafeEqual } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { answerError } from './api/errors'
import { hostInUrl } from './base/loopback'

/** The paths that need no API key: the checks, and the OpenAPI document. */
const openPaths = new Set(['/health', '/ready', '/openapi.json'])

/**
 * Answers 401 to requests without the API key in `X-Api-Key` or `Authorization: Bearer`. The open paths show none of
 * the service's data.
 */
export function requireApiKey(apiKey: string): MiddlewareHandler {
  // Constant-time comparison needs inputs of equal length, so it compares digests.
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  const expected = digest(apiKey)
  return (context, next) => {
    if (openPaths.has(context.req.path)) return next()
    const given = givenKey(context)
    if (given !== null && timingSafeEqual(digest(given.key), expected)) return next()
    const detail =
      given === null
        ? 'The API key is missing: send it in the header X-Api-Key, or as "Authorization: Bearer KEY".'
        : `The API key in ${given.header} is wrong.`
    context.header('WWW-Authenticate', 'Bearer realm="deployments"')
    return Promise.resolve(answerError(context, 401, detail))
  }
}

/** The key of a request, and the header that has it. `X-Api-Key` counts first. */
function givenKey({ req }: Context): { header: string; key: string } | null {
  const key = req.header('x-api-key')
  if (key !== undefined) return { header: 'X-Api-Key', key }
  const token = /^Bearer +(\S+)$/i.exec(req.header('authorization') ?? '')?.[1]
  return token === undefined ? null : { header: 'Authorization', key: token }
}

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
