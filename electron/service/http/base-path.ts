import { getPath } from 'hono/utils/url'

/** In front of paths that aren't below the base path. No route has it, and no address can. */
const outside = '/\0'

/** Gives the path of a request below a base path, for routes that don't know of it. */
export function pathBelow(basePath: string): (request: Request) => string {
  return (request) => {
    const path = getPath(request)
    return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : outside + path
  }
}
