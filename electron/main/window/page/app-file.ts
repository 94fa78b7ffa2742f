import { extname, join, normalize, sep } from 'node:path'

/** Scheme and host of the application's own page. */
export const appScheme = 'app'
export const appHost = 'slipway'
export const appUrl = `${appScheme}://${appHost}/index.html`

/**
 * Whether a URL is the application's own page. Compares parsed URLs: text with the same beginning can lead elsewhere.
 */
export function isAppUrl(text: string): boolean {
  try {
    const url = new URL(text)
    return (
      url.protocol === `${appScheme}:` && url.host === appHost && ['/', '/index.html'].includes(url.pathname)
    )
  } catch {
    return false
  }
}

/** The file types of the renderer's build. Others aren't served. */
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

/** A file that the application may load, and its MIME type. */
export interface AppFile {
  path: string
  type: string
}

/** The answer to a URL of the page. */
export interface ServedFile {
  /** As in HTTP. */
  statusCode: number
  /** Its MIME type. */
  type: string
  content: Buffer
}

/** The file inside `folder` for an app:// URL; null if there is none that may be served. */
export function appFile(text: string, folder: string): AppFile | null {
  try {
    const url = new URL(text)
    if (url.protocol !== `${appScheme}:` || url.host !== appHost) return null
    const path = decodeURIComponent(url.pathname)
    if (/[\0\\]/.test(path)) return null
    const root = normalize(folder + sep)
    const file = normalize(join(root, path === '/' ? 'index.html' : path))
    const type = mimeTypes[extname(file)]
    return file.startsWith(root) && type !== undefined ? { path: file, type } : null
  } catch {
    return null
  }
}
