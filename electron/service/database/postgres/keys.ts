import type { AuditEntry } from '../../base/audit-entry'
import { roles } from '../../base/role'
import type { StoredKey } from '../store'
import { promptMs, type Statement } from './connection/servers'

/** A row of `selectKeys`. */
export interface KeyRow {
  id: string
  name: string
  hash: Buffer
  role: string
  tenant_id: string | null
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
}

export const selectKeys: Statement = {
  name: 'keys',
  text: `select id, name, hash, role, tenant_id, created_at, expires_at, revoked_at
         from slipway.api_keys order by sequence`,
  query_timeout: promptMs,
}

/** Inserts a key with its entry, and gives a row unless a key that isn't revoked has its name. */
export const insertKey: Statement = {
  name: 'insert-key',
  text: withEntry(
    `insert into slipway.api_keys (id, name, hash, role, tenant_id, created_at, expires_at, revoked_at)
     values ($6, $4, $7, $8, $3, $9, $10, $11)
     on conflict (name) where revoked_at is null do nothing
     returning id`,
  ),
}

/** Revokes the key of a name with its entry, and gives a row if there is one. */
export const revokeKey: Statement = {
  name: 'revoke-key',
  text: withEntry(
    'update slipway.api_keys set revoked_at = $1 where name = $4 and revoked_at is null returning id',
  ),
}

/** A statement about a key that also writes an entry, from the first five parameters, if it gives a row. */
function withEntry(text: string): string {
  return `with done as (${text}), noted as (
            insert into slipway.audit (at, by, tenant_id, action, name, outcome)
            select $1::timestamptz, $2::text, $3::uuid, $5::text, $4::text, 'done' from done
          )
          select id from done`
}

/** The parameters of `revokeKey`, and the first ones of `insertKey`. */
export function entryValues({ at, by, tenantId, name, action }: AuditEntry): unknown[] {
  return [at, by, tenantId, name, action]
}

/** The parameters of `insertKey`. */
export function keyValues(key: StoredKey, entry: AuditEntry): unknown[] {
  const { id, hash, role, createdAt, expiresAt, revokedAt } = key
  return [...entryValues(entry), id, hash, role, createdAt, expiresAt, revokedAt]
}

/** A key from a row. */
export function keyOf(row: KeyRow): StoredKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    // A role of a later version counts as the weakest.
    role: roles.find((role) => role === row.role) ?? 'read',
    tenantId: row.tenant_id,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }
}
