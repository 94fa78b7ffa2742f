import type { HonoRequest } from 'hono'

const methods = new Set(['GET', 'HEAD'])

/** Logs that are requested by a POST with a body. */
const logs = /^\/v1\/projects\/[^/]+\/(?:revisions\/[^/]+\/)?(?:build|deploy)_logs$/

/** Whether a request only reads. The role `read` allows it, and the audit leaves it out. */
export function isReading({ method, path }: Pick<HonoRequest, 'method' | 'path'>): boolean {
  return methods.has(method) || (method === 'POST' && logs.test(path))
}
