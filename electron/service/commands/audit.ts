import { userInfo } from 'node:os'
import type { AuditEntry } from '../base/audit-entry'
import type { Store } from '../database/store'

/** How many entries are read at once. */
const mostAtOnce = 1_000

/** The audit as JSON lines, the oldest entry first. */
export async function* auditLines(store: Store): AsyncGenerator<string, void> {
  for (let after = 0; ;) {
    const found = await store.audit.read(after, mostAtOnce)
    for (const { entry } of found) yield lineOf(entry)
    if (found.length < mostAtOnce) return
    after = found.at(-1)!.sequence
  }
}

function lineOf({ at, requestId, by, tenantId, action, name, id, outcome }: AuditEntry): string {
  return JSON.stringify({ at, request_id: requestId, by, tenant_id: tenantId, action, name, id, outcome })
}

/** The entry of a command. */
export function commandEntry(
  action: 'keys add' | 'keys revoke' | 'repositories import',
  name: string | null,
  tenantId: string | null,
): AuditEntry {
  return {
    at: new Date().toISOString(),
    requestId: null,
    by: `command of ${userName()}`,
    tenantId,
    action,
    name,
    id: null,
    outcome: 'done',
  }
}

/** The user who runs the command; a number if it has no name, as in containers. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
