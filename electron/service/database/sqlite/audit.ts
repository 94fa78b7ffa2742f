import type { AuditEntry } from '../../base/audit-entry'
import type { FoundEntry } from '../store'
import type { Connection } from './open'

interface AuditRow {
  sequence: number
  at: string
  request_id: string | null
  by: string
  tenant_id: string | null
  action: string
  name: string | null
  id: string | null
  outcome: string
}

/** Prepares the statements about the audit on an open database. */
export function auditTable(database: Connection) {
  const insert = database.prepare<Record<string, string | null>>(
    `insert into audit (at, request_id, by, tenant_id, action, name, id, outcome)
     values (:at, :request_id, :by, :tenant_id, :action, :name, :id, :outcome)`,
  )
  const select = database.prepare<[number, number]>(
    'select * from audit where sequence > ? order by sequence limit ?',
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
      (select.all(after, most) as AuditRow[]).map(({ sequence, request_id, tenant_id, ...entry }) => ({
        sequence,
        entry: { ...entry, requestId: request_id, tenantId: tenant_id },
      })),

    prune: (): void => void removeOld.run(),
  }
}
