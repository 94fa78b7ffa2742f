import type { HonoRequest } from 'hono'

const methods = new Set(['GET', 'HEAD'])

/** Logs that are asked for by a body. */
const logs = /^\/v1\/projects\/[^/]+\/(?:revisions\/[^/]+\/)?(?:build|deploy)_logs$/

/** Whether a request only reads: what the role `read` may do, and the audit doesn't note. */
export function isReading({ method, path }: Pick<HonoRequest, 'method' | 'path'>): boolean {
  return methods.has(method) || (method === 'POST' && logs.test(path))
}
