import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { protocol, type Session } from 'electron'
import { appHost, appScheme } from './app-origin'

/** What the renderer's build consists of; a file of any other kind is not served. */
const mimeTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/**
 * The page may load its own files and nothing else, and send nothing anywhere. Inline styles are allowed because
 * the component library creates style elements as its components are first used; scripts never are.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const securityHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** Makes app:// a standard and secure scheme. Must be called before the application is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: appScheme, privileges: { standard: true, secure: true, supportFetchAPI: false } },
  ])
}

/** Serves `folder` under app://slipway/ in `session`: GET only, the own host only, nothing outside the folder. */
export function serveApp(session: Session, folder: string): void {
  session.protocol.handle(appScheme, async (request) => {
    if (request.method !== 'GET') return refuse(405)
    const path = resolveAppPath(request.url, folder)
    if (path === null) return refuse(404)
    try {
      return new Response(await readFile(path), {
        headers: { ...securityHeaders, 'Content-Type': mimeTypes[extname(path)] ?? '' },
      })
    } catch {
      return refuse(404)
    }
  })
}

/** The file inside `folder` that an app:// URL means, or null where there is none that may be served. */
export function resolveAppPath(text: string, folder: string): string | null {
  try {
    const url = new URL(text)
    if (url.protocol !== `${appScheme}:` || url.host !== appHost) return null
    const path = decodeURIComponent(url.pathname)
    if (/[\0\\]/.test(path)) return null
    const root = normalize(folder + sep)
    const file = normalize(join(root, path === '/' ? 'index.html' : path))
    return file.startsWith(root) && extname(file) in mimeTypes ? file : null
  } catch {
    return null
  }
}

function refuse(status: number): Response {
  return new Response(null, { status, headers: securityHeaders })
}
