import type { IncomingMessage, ServerResponse } from 'node:http'

/** The longest path in a line. The rest is cut. */
const longestPath = 300

/**
 * Logs a request to standard error once it is answered or aborted: time, method, path, status ("-" without an
 * answer), milliseconds. Never headers or bodies, which contain keys and secrets.
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

/** A text on one line: cut to a length, with everything but printable ASCII escaped. */
function printable(text: string): string {
  const cut = text.length > longestPath ? `${text.slice(0, longestPath)}...` : text
  return cut.replace(/[^ -~]/g, (character) => encodeURIComponent(character))
}
