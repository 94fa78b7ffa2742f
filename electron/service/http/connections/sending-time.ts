import type { IncomingMessage } from 'node:http'

/**
 * Calls `end` if a request's body isn't complete after `ms` milliseconds. Node has one limit for all requests, which is
 * that of uploads.
 */
export function limitSending(request: IncomingMessage, ms: number, end: () => void): void {
  const { headers } = request
  if ((headers['content-length'] ?? '0') === '0' && headers['transfer-encoding'] === undefined) return
  const timer = setTimeout(() => {
    if (!request.complete) end()
  }, ms).unref()
  const stop = (): void => clearTimeout(timer)
  request.once('end', stop)
  request.once('close', stop)
}
