import type { EventEmitter } from 'node:events'
import type { ClientRequest } from 'electron'

/**
 * Sends a body that Chromium can read only once, and begins the request.
 *
 * Where a service says that it did not process a request, Chromium sends it again by itself, a POST too, up to twice
 * more: after 421, after HTTP/2's HTTP_1_1_REQUIRED and REFUSED_STREAM, and after a GOAWAY that leaves it out (RFC 9110,
 * 15.5.20; RFC 9113, 7 and 8.7). No setting prevents that, and no event tells of it. But Electron hands out a body in
 * chunks only once: the request that Chromium sends again has no body, is never whole, and fails.
 *
 * Chromium asks for a body once it has a connection to send the request on, and not before. So the body's first byte
 * goes ahead alone, and the rest follows once that was taken: until then, the request cannot have been sent.
 *
 * @returns tells whether the body's first byte was taken
 */
export function sendOneTimeBody(request: ClientRequest, body: string, signal: AbortSignal): () => boolean {
  let isTaken = false
  const bytes = Buffer.from(body)
  request.chunkedEncoding = true
  // Electron's own stream to Chromium, which nobody listens to: its error, where a connection ends before the body does,
  // would end the process. The request itself says how it ended.
  ;(request as ClientRequest & { _body?: EventEmitter })._body?.on('error', () => undefined)
  request.write(bytes.subarray(0, 1), undefined, (error?: unknown) => {
    isTaken = true
    if (!error && !signal.aborted) request.end(bytes.subarray(1))
  })
  return () => isTaken
}
