import type { EventEmitter } from 'node:events'
import type { ClientRequest } from 'electron'

/**
 * Starts a request with a body that Chromium can read only once. If Chromium sends the request again by itself, that
 * has no body and fails: .github/decisions/0008-creations-leave-once.md. The first byte of the body is offered alone,
 * and the rest follows once Chromium has taken it. Before that, the request can't have been sent.
 *
 * @param mayLeave asked before the rest of the body leaves; if it says no, `holdBack` is called instead
 * @returns whether Chromium has taken the first byte
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
  // Nobody listens to Electron's own stream to Chromium. If a connection ends before the body does, its error would end
  // the process. The request itself reports how it ended.
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
