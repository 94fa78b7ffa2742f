import { readFile } from 'node:fs/promises'
import { protocol, type Session } from 'electron'
import { appFile } from './app-file'
import { appScheme } from './app-origin'

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
    const file = appFile(request.url, folder)
    if (file === null) return refuse(404)
    try {
      return new Response(await readFile(file.path), {
        headers: { ...securityHeaders, 'Content-Type': file.type },
      })
    } catch {
      return refuse(404)
    }
  })
}

function refuse(status: number): Response {
  return new Response(null, { status, headers: securityHeaders })
}
