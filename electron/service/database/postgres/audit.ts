import type { AuditEntry } from '../../base/audit-entry'
import type { FoundEntry } from '../store'
import type { Statement } from './connection/servers'

/** A row of `selectEntries`. */
export interface AuditRow {
  sequence: string
  at: Date
  request_id: string | null
  by: string
  tenant_id: string | null
  action: string
  name: string | null
  id: string | null
  outcome: string
}

export const insertEntries: Statement = {
  name: 'insert-audit',
  text: `insert into slipway.audit (at, request_id, by, tenant_id, action, name, id, outcome)
         select * from unnest(
           $1::timestamptz[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::uuid[], $8::text[]
         )`,
}

export const selectEntries: Statement = {
  name: 'audit',
  text: 'select * from slipway.audit where sequence > $1 order by sequence limit $2',
}

/** Removes some entries that are no longer needed. */
export const removeOldEntries: Statement = {
  name: 'prune-audit',
  text: `delete from slipway.audit where sequence in (
           select sequence from (select sequence, at from slipway.audit order by sequence limit 10000) as oldest
           where at < now() - interval '365 days'
             or sequence <= (select max(sequence) - 1000000 from slipway.audit)
         ) returning sequence`,
}

/** The parameters of `insertEntries`: a list for each column. */
export function entryColumns(entries: readonly AuditEntry[]): unknown[][] {
  const columns: ((entry: AuditEntry) => unknown)[] = [
    ({ at }) => at,
    ({ requestId }) => requestId,
    ({ by }) => by,
    ({ tenantId }) => tenantId,
    ({ action }) => action,
    ({ name }) => name,
    ({ id }) => id,
    ({ outcome }) => outcome,
  ]
  return columns.map((read) => entries.map(read))
}

/** An entry from a row. */
export function entryOf({ sequence, at, request_id, tenant_id, ...entry }: AuditRow): FoundEntry {
  return {
    sequence: Number(sequence),
    entry: { ...entry, at: at.toISOString(), requestId: request_id, tenantId: tenant_id },
  }
}
