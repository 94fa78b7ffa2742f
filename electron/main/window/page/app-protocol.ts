import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { protocol, type ProtocolRequest, type Session } from 'electron'
import { appFile, appScheme, type ServedFile } from './app-file'

/** The placeholder of the nonce in the built page, as electron.vite.config.ts sets it. */
const noncePlaceholder = 'nonce-of-this-answer'

/**
 * The page may load its own files and nothing else, and send nothing anywhere. Style elements need the nonce of the
 * answer, which the page gives to those of the component library. Style attributes in markup are ignored. The sandbox
 * forbids message boxes and printing. The main process refuses new windows and downloads. Under `npm run dev`, the page
 * may listen to the development server for changes.
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    DEV_SERVER_PORT === null ? "connect-src 'none'" : `connect-src ws://127.0.0.1:${DEV_SERVER_PORT}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'sandbox allow-same-origin allow-scripts allow-forms allow-popups allow-downloads',
  ].join('; ')
}

function securityHeaders(nonce: string): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(nonce),
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'X-DNS-Prefetch-Control': 'off',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  }
}

/** Makes app:// a standard and secure scheme. Must be called before the application is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: false } },
  ])
}

/** The answer to a URL; null if there is none. */
async function findFile(request: ProtocolRequest, folder: string): Promise<ServedFile | null> {
  if (DEV_SERVER_PORT !== null) {
    const { askDevServer } = await import('./dev-server')
    return askDevServer(DEV_SERVER_PORT, request)
  }
  const file = appFile(request.url, folder)
  return file && { statusCode: 200, type: file.type, content: await readFile(file.path) }
}

/**
 * Serves `folder` under app://slipway/ in `session`: GET only, this host only, nothing outside the folder.
 *
 * Uses the older of Electron's two APIs: the first answer of `protocol.handle` loads all of Node's fetch, which takes
 * longer than everything else before the first paint.
 */
export function serveApp(session: Session, folder: string): void {
  session.protocol.registerBufferProtocol(appScheme, (request, answer) => {
    const nonce = randomBytes(16).toString('base64')
    const headers = securityHeaders(nonce)
    const refuse = (statusCode: number): void => answer({ statusCode, headers, data: Buffer.alloc(0) })
    if (request.method !== 'GET') {
      refuse(405)
      return
    }
    findFile(request, folder).then(
      (file) => {
        if (!file) {
          refuse(404)
          return
        }
        const { statusCode, type, content } = file
        const isPage = type.startsWith('text/html')
        answer({
          statusCode,
          headers: { ...headers, 'Content-Type': type },
          data: isPage ? Buffer.from(content.toString().replaceAll(noncePlaceholder, nonce)) : content,
        })
      },
      () => refuse(404),
    )
  })
}
