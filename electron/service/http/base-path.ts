import { getPath } from 'hono/utils/url'

/** In front of paths that aren't below the base path. No route has it, and no address can. */
const outside = '/\0'

/**
 * Gives the path of a request below a base path, for routes that don't know of it. A slash at its end is left out, since
 * clients that are configured with one send it.
 */
export function pathBelow(basePath: string): (request: Request) => string {
  return (request) => {
    const path = getPath(request)
    if (!path.startsWith(`${basePath}/`)) return outside + path
    return path.slice(basePath.length).replace(/(?<=.)\/$/, '')
  }
}
