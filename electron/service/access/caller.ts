import type { IncomingMessage } from 'node:http'
import type { Context, HonoRequest, MiddlewareHandler } from 'hono'
import { refusal } from '../api/errors'
import { hashOf, type Role } from '../base/keys'
import { uploadsPath } from '../archives'
import type { KeyCheck, KeyRing } from './key-ring'
import type { WrongKeys } from './wrong-keys'

/** Who sent a request. */
export interface Caller {
  /** The name of the key. If there is no named key, a description that contains a space. */
  key: string
  role: Role
  /** The tenant whose deployments the request is about. */
  tenantId: string
}

declare module 'hono' {
  interface ContextVariableMap {
    caller: Caller
    /** The name that a request is about, for the audit. */
    subject: string
    /** The deployments that a request about several couldn't change, each with its status, for the audit. */
    undone: ReadonlyMap<string, { status: number }>
  }
}

/** The paths that need no API key: the checks, and the OpenAPI document. They show none of the service's data. */
const openPaths = new Set(['/health', '/ready', '/openapi.json'])

/** Whether a path needs no API key. The addresses of uploads are signed instead. */
const isOpen = (path: string): boolean => openPaths.has(path) || path.startsWith(uploadsPath)

/**
 * Identifies the caller by the key in `X-Api-Key` or `Authorization: Bearer`, and the tenant by the key and
 * `X-Tenant-Id`. Answers 401 without a valid key, 403 if the key isn't for that tenant or its role doesn't allow the
 * method, and 429 for a while after too many wrong keys.
 *
 * @param ownTenant the tenant of the installation, which requests without a tenant are about
 * @param addressOf the address whose wrong keys are counted together
 */
export function identifyCaller(
  ring: KeyRing,
  wrongKeys: WrongKeys,
  ownTenant: string,
  addressOf: (request: IncomingMessage) => string,
): MiddlewareHandler {
  return async (context, next) => {
    if (isOpen(context.req.path)) return next()
    const presented = presentedKey(context)
    await ring.refresh(presented?.key ?? null)
    if (!ring.isNeeded()) {
      const tenantId = requestedTenant(context) ?? ownTenant
      context.set('caller', { key: 'no key', role: 'create', tenantId })
      return next()
    }
    if (presented === null) {
      throw unauthorised(
        context,
        'The API key is missing: send it in the header X-Api-Key, or as "Authorization: Bearer KEY".',
      )
    }
    // No await between the check and the note: otherwise many concurrent requests could each try a key.
    const address = addressOf((context.env as { incoming: IncomingMessage }).incoming)
    const wait = wrongKeys.wait(address, presented.hash)
    if (wait > 0) {
      context.header('Retry-After', String(wait))
      throw refusal(
        429,
        `Too many wrong API keys came from this address. Try again in ${wait} s, with the right one.`,
      )
    }
    const check = ring.check(presented.key, presented.hash)
    wrongKeys.note(address, presented.hash, check.state === 'right')
    if (check.state !== 'right') throw unauthorised(context, whyRefused(check, presented.header))
    const { name: key, role } = check
    const requested = requestedTenant(context)
    const tenantId = check.tenantId?.toLowerCase() ?? requested ?? ownTenant
    context.set('caller', { key, role, tenantId })
    if (requested !== null && requested !== tenantId) {
      throw refusal(
        403,
        `The API key "${key}" belongs to another tenant than the one in X-Tenant-Id. Leave the header out.`,
      )
    }
    if (role === 'read' && !isReading(context.req)) {
      context.header('WWW-Authenticate', `${challenge}, error="insufficient_scope"`)
      throw refusal(
        403,
        `The API key "${key}" may only read. For everything else, use one with the role create.`,
      )
    }
    return next()
  }
}

/** The key of a request, and the header that has it. `X-Api-Key` takes precedence. */
function presentedKey({ req }: Context): { header: string; key: string; hash: string } | null {
  const key = req.header('x-api-key')
  if (key) return { header: 'X-Api-Key', key, hash: hashOf(key) }
  const token = /^Bearer +(\S+)$/i.exec(req.header('authorization') ?? '')?.[1]
  return token === undefined ? null : { header: 'Authorization', key: token, hash: hashOf(token) }
}

const challenge = 'Bearer realm="deployments"'

function unauthorised(context: Context, detail: string): Error {
  context.header('WWW-Authenticate', challenge)
  return refusal(401, detail)
}

function whyRefused(check: Exclude<KeyCheck, { state: 'right' }>, header: string): string {
  if (check.state === 'wrong') return `The API key in ${header} is wrong.`
  const what = check.state === 'expired' ? 'expired' : 'was revoked'
  return `The API key "${check.name}" in ${header} ${what} at ${check.since}. Ask for a new one.`
}

/** The tenant in `X-Tenant-Id`, in lower case; null without one. */
function requestedTenant({ req }: Context): string | null {
  const id = req.header('x-tenant-id') || null
  if (id !== null && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id))
    throw refusal(400, 'The header X-Tenant-Id must be a UUID.')
  return id?.toLowerCase() ?? null
}

const methods = new Set(['GET', 'HEAD'])

/** Logs that are requested by a POST with a body. */
const logs = /^\/v1\/projects\/[^/]+\/(?:revisions\/[^/]+\/)?(?:build|deploy)_logs$/

/** Whether a request only reads. The role `read` allows it, and the audit leaves it out. */
export function isReading({ method, path }: Pick<HonoRequest, 'method' | 'path'>): boolean {
  return methods.has(method) || (method === 'POST' && logs.test(path))
}
