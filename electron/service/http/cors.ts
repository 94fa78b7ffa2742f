import type { IncomingMessage, ServerResponse } from 'node:http'

/** Headers of answers that pages of other origins may read, beside those that they always may. */
export const exposedHeaders = ['Retry-After', 'WWW-Authenticate', 'X-Request-Id']

/**
 * Lets the page that sent a request read its answer if its origin is allowed, also when the answer doesn't come from the
 * application, as that to a request without a Host.
 */
export function allowOrigin(
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
  allowed: readonly string[],
): void {
  if (origin === undefined || !allowed.includes(origin)) return
  response.setHeader('Access-Control-Allow-Origin', origin)
  response.setHeader('Access-Control-Expose-Headers', exposedHeaders.join())
  response.setHeader('Vary', 'Origin')
}
