import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { apiKeyPattern } from '../base/keys'
import { type Log, printable } from '../base/log'

/** The form of identifiers that are accepted from a proxy or a client. It allows nothing that breaks a line. */
const wellFormedId = /^[\w.:~-]{1,128}$/

/**
 * Gives a request an identifier, and sends it back in `X-Request-Id`. Uses the request's own if that is well formed.
 */
export function identify(request: IncomingMessage, response: ServerResponse): string {
  const received = request.headers['x-request-id']
  const id = typeof received === 'string' && wellFormedId.test(received) ? received : randomUUID()
  response.setHeader('X-Request-Id', id)
  return id
}

/** The status of a request's answer; null without one. */
export function statusOf(response: ServerResponse): number | null {
  return response.headersSent ? response.statusCode : null
}

/** Logs a request once it is answered or aborted. */
export function logRequest(log: Log, id: string, request: IncomingMessage, response: ServerResponse): void {
  const start = performance.now()
  response.once('close', () => {
    log.request({
      id,
      method: request.method ?? '',
      path: printable(withoutSecrets(request.url ?? '')),
      status: statusOf(response),
      ms: performance.now() - start,
    })
  })
}

/** Matches the names of parameters with secrets: an upload's signature, or a key that was sent in the wrong place. */
const secretName = /signature|key|token|secret|password|auth/i

const keys = new RegExp(apiKeyPattern, 'g')

/** An address without signatures and keys. */
function withoutSecrets(url: string): string {
  return url
    .replace(/([?&])([^=&]*)=[^&]*/g, (parameter, start: string, name: string) =>
      secretName.test(decoded(name)) ? `${start}${decoded(name)}=...` : parameter,
    )
    .replace(keys, 'slipway_$1_...')
}

/** A name as the routes read it. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
