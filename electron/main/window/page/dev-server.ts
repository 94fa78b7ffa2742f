/**
 * The files of app:// under `npm run dev`: the answers of the development server. No other build contains this file.
 */
// eslint-disable-next-line @typescript-eslint/no-restricted-imports -- to the development server on this machine, and in no other build
import { get } from 'node:http'
import type { ProtocolRequest } from 'electron'
import { appHost, type ServedFile } from './app-file'

/**
 * Requests the file of an app:// URL from the development server on 127.0.0.1 at `port`.
 *
 * @returns null if the page has no such URL, or the server doesn't answer
 */
export function askDevServer(port: number, { url, headers }: ProtocolRequest): Promise<ServedFile | null> {
  const { host, pathname, search } = new URL(url)
  if (host !== appHost) return Promise.resolve(null)
  // Vite uses this header to tell pages and stylesheets from modules.
  const accept = headers['Accept'] ?? '*/*'
  return new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port, path: pathname + search, headers: { accept } },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.once('error', () => resolve(null))
        response.once('end', () => {
          const type = response.headers['content-type'] ?? 'application/octet-stream'
          resolve({ statusCode: response.statusCode ?? 502, type, content: Buffer.concat(pieces) })
        })
      },
    )
    request.once('error', () => resolve(null))
  })
}
