import type { AuditEntry } from '../../base/audit-entry'
import type { FoundEntry } from '../store'
import type { Connection } from './connection/open'

const columns = ['at', 'request_id', 'by', 'tenant_id', 'action', 'name', 'id', 'outcome'] as const

/** A row, with its texts as bytes: libsql ends the process on text that isn't UTF-8, and no start checks this table. */
type AuditRow = { sequence: number } & Record<(typeof columns)[number], ArrayBuffer | Uint8Array | null>

const decoder = new TextDecoder()

/** Prepares the statements about the audit on an open database. */
export function auditTable(database: Connection) {
  const insert = database.prepare<Record<string, string | null>>(
    `insert into audit (at, request_id, by, tenant_id, action, name, id, outcome)
     values (:at, :request_id, :by, :tenant_id, :action, :name, :id, :outcome)`,
  )
  const select = database.prepare<[number, number]>(
    `select sequence, ${columns.map((column) => `cast(${column} as blob) as ${column}`).join(', ')}
     from audit where sequence > ? order by sequence limit ?`,
  )
  const removeOld = database.prepare<[]>(
    `delete from audit where sequence in (
       select sequence from (select sequence, at from audit order by sequence limit 10000)
       where at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-365 days')
         or sequence <= (select max(sequence) - 1000000 from audit)
     )`,
  )
  return {
    insert({ requestId, tenantId, ...entry }: AuditEntry): void {
      insert.run({ ...entry, request_id: requestId, tenant_id: tenantId })
    },

    read: (after: number, most: number): FoundEntry[] =>
      (select.all(after, most) as AuditRow[]).map((row) => ({ sequence: row.sequence, entry: entryOf(row) })),

    /** Removes some entries that are no longer needed, and gives whether there were any. */
    prune: (): boolean => removeOld.run().changes > 0,
  }
}

/** An entry from a row. Damaged texts are shown as such. */
function entryOf(row: AuditRow): AuditEntry {
  const text = (bytes: ArrayBuffer | Uint8Array | null): string | null => bytes && decoder.decode(bytes)
  return {
    at: text(row.at) ?? '',
    requestId: text(row.request_id),
    by: text(row.by) ?? '',
    tenantId: text(row.tenant_id),
    action: text(row.action) ?? '',
    name: text(row.name),
    id: text(row.id),
    outcome: text(row.outcome) ?? '',
  }
}
