import type { Context, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { requestIdOf } from '../api/errors'
import type { AuditEntry } from '../database/tables'
import type { Log } from '../base/log'
import type { Store } from '../database/store'
import { type Caller, isReading } from './caller'

/** How long entries wait for others, in milliseconds, so that they share one write. */
const delayMs = 200

/** How long to wait after a failed write, in milliseconds. */
const retryMs = 5_000

/** How many entries can wait, and how many are written at once. */
const mostWaiting = 10_000
const mostAtOnce = 500

/**
 * How many entries of one key are written in a minute. Beyond that, its refused requests are only counted, in one entry
 * for each action and outcome. So a key that may only read can't push the entries of others out of the audit.
 */
const mostOfKey = 100
const minuteMs = 60_000

export type Audit = ReturnType<typeof openAudit>

/**
 * Starts to write entries in the background, so that a refused client doesn't wait for a disk. A change writes its own
 * entry.
 */
export function openAudit(store: Pick<Store, 'audit'>, log: Log) {
  let waiting: AuditEntry[] = []
  let noted = new Map<string, number>()
  let further = new Map<string, { entry: AuditEntry; count: number }>()
  let lost = 0
  let isFailing = false
  let timer: NodeJS.Timeout | null = null
  let writing: Promise<void> | null = null

  /** Writes some entries. One write at a time: another would write the same entries again. */
  function flush(): Promise<void> {
    writing ??= write().finally(() => {
      writing = null
      if (waiting.length > 0) wake(isFailing ? retryMs : 0)
    })
    return writing
  }

  async function write(): Promise<void> {
    const entries = waiting.slice(0, mostAtOnce)
    if (entries.length === 0) return
    try {
      await store.audit.append(entries)
      waiting = waiting.slice(entries.length)
      if (lost > 0) log.problem(`${lost} entries of the audit were lost: too many waited for the database.`)
      lost = 0
      isFailing = false
    } catch (error) {
      if (!isFailing)
        log.problem("The audit can't be written yet.", error instanceof Error ? error.message : error)
      isFailing = true
    }
  }

  function wake(ms: number): void {
    timer ??= setTimeout(() => {
      timer = null
      void flush()
    }, ms).unref()
  }

  function add(entry: AuditEntry): void {
    if (waiting.length >= mostWaiting) lost += 1
    else waiting.push(entry)
    wake(delayMs)
  }

  /** Adds the entries of requests that were only counted in the past minute. */
  function endMinute(): void {
    for (const { entry, count } of further.values()) {
      add(count === 1 ? entry : { ...entry, outcome: `${entry.outcome}, ${count} times` })
    }
    noted = new Map()
    further = new Map()
  }

  const minutes = setInterval(endMinute, minuteMs).unref()
  return {
    note(entry: AuditEntry): void {
      const before = noted.get(entry.by) ?? 0
      noted.set(entry.by, before + 1)
      if (before < mostOfKey) return add(entry)
      const kind = JSON.stringify([entry.by, entry.action, entry.outcome])
      const earlier = further.get(kind)
      further.set(kind, { entry: alike(entry, earlier?.entry ?? entry), count: (earlier?.count ?? 0) + 1 })
    },
    /** Writes the waiting entries, and ends. */
    async close(): Promise<void> {
      clearInterval(minutes)
      endMinute()
      await writing
      for (let left = -1; waiting.length > 0 && waiting.length !== left;) {
        left = waiting.length
        if (timer !== null) clearTimeout(timer)
        await flush()
      }
      if (timer !== null) clearTimeout(timer)
    },
  }
}

/** An entry with only what it shares with another one. */
function alike(entry: AuditEntry, other: AuditEntry): AuditEntry {
  const same = <Name extends keyof AuditEntry>(name: Name) =>
    entry[name] === other[name] ? entry[name] : null
  return {
    ...entry,
    request_id: same('request_id'),
    tenant_id: same('tenant_id'),
    name: same('name'),
    id: same('id'),
  }
}

/** Adds entries for refused and failed requests. Changes write their own entries, and reads have none. */
export function auditRequests(audit: Audit): MiddlewareHandler {
  return async (context, next) => {
    await next()
    if (isReading(context.req)) return
    const caller = context.get('caller') as Caller | undefined
    // Without a caller, or with an unknown path, the log is enough: otherwise anyone could fill the audit.
    if (caller === undefined || routePath(context, -1) === '/*') return
    const entry = { ...entryOf(context, caller), name: context.get('subject') ?? null }
    const { status } = context.res
    const undone: ReadonlyMap<string, { status: number }> = context.get('undone') ?? new Map()
    for (const [id, one] of undone) audit.note({ ...entry, id, outcome: outcomeOf(one.status) })
    if (undone.size === 0 && status >= 400) audit.note({ ...entry, outcome: outcomeOf(status) })
  }
}

/**
 * The entry of a creation or another change before it is carried out.
 *
 * @param about the deployment's identifier if the path doesn't have it, and its name
 */
export function changeEntry(context: Context, about: { id?: string; name?: string } = {}): AuditEntry {
  const entry = entryOf(context, context.get('caller'))
  return { ...entry, name: about.name ?? null, id: about.id ?? entry.id, outcome: 'done' }
}

function entryOf(context: Context, { key, tenantId }: Caller) {
  const { method } = context.req
  const path = routePath(context, -1)
  const id = context.req.param('deployment_id')
  return {
    at: new Date().toISOString(),
    request_id: requestIdOf(context) ?? null,
    by: key,
    tenant_id: tenantId,
    action: method === 'POST' && path === '/v2/deployments' ? 'create' : `${method} ${path}`,
    id: id !== undefined && /^[0-9a-f-]{36}$/i.test(id) ? id.toLowerCase() : null,
  }
}

function outcomeOf(status: number): string {
  return `${status < 500 ? 'refused' : 'failed'} ${status}`
}
