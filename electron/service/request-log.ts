import type { IncomingMessage, ServerResponse } from 'node:http'

/** The longest path that a line shows; the rest is cut off. */
const longestPath = 300

/**
 * Writes one line on standard error once a request is answered or given up: when, method, path, status (or "-" when
 * nothing was answered), milliseconds. Never headers or bodies: they hold keys and secrets.
 */
export function logRequest(request: IncomingMessage, response: ServerResponse): void {
  const start = performance.now()
  response.once('close', () => {
    const status = response.headersSent ? response.statusCode : '-'
    const time = (performance.now() - start).toFixed(1)
    const target = printable(`${request.method} ${request.url}`)
    process.stderr.write(`${new Date().toISOString()} ${target} ${status} ${time} ms\n`)
  })
}

/** A text in one line: cut to a length, with everything but printable ASCII escaped. */
function printable(text: string): string {
  const cut = text.length > longestPath ? `${text.slice(0, longestPath)}...` : text
  return cut.replace(/[^ -~]/g, (character) => encodeURIComponent(character))
}
