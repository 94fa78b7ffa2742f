import type { EventEmitter } from 'node:events'
import type { ClientRequest } from 'electron'

/**
 * Sends a body that Chromium can read only once, and begins the request, so that what Chromium sends again by itself has
 * no body and fails: .github/decisions/0008-creations-leave-once.md. The body's first byte goes ahead alone, and the rest
 * follows once that was taken: until then, the request cannot have been sent.
 *
 * @param mayLeave asked before the rest of the body leaves; where it says no, `holdBack` is called instead
 * @returns tells whether the body's first byte was taken
 */
export function sendOneTimeBody(
  request: ClientRequest,
  body: string,
  signal: AbortSignal,
  mayLeave: () => Promise<boolean>,
  holdBack: () => void,
): () => boolean {
  let isTaken = false
  const bytes = Buffer.from(body)
  request.chunkedEncoding = true
  // Electron's own stream to Chromium, which nobody listens to: its error, where a connection ends before the body does,
  // would end the process. The request itself says how it ended.
  ;(request as ClientRequest & { _body?: EventEmitter })._body?.on('error', () => undefined)
  request.write(bytes.subarray(0, 1), undefined, (error?: unknown) => {
    isTaken = true
    if (error || signal.aborted) return
    void mayLeave().then((may) => {
      if (signal.aborted) return
      if (may) request.end(bytes.subarray(1))
      else holdBack()
    }, holdBack)
  })
  return () => isTaken
}
