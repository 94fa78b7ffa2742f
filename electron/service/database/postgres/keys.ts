import { roles } from '../../base/role'
import type { StoredKey } from '../store'
import type { Statement } from './servers'

/** A row of `selectKeys`. */
export interface KeyRow {
  id: string
  name: string
  hash: Buffer
  role: string
  created_at: Date
  expires_at: Date | null
  revoked_at: Date | null
}

export const selectKeys: Statement = {
  name: 'keys',
  text: `select id, name, hash, role, created_at, expires_at, revoked_at
         from slipway.api_keys order by sequence`,
}

/** Inserts a key, and gives a row if no other has its name, but those that were revoked. */
export const insertKey: Statement = {
  name: 'insert-key',
  text: `insert into slipway.api_keys (id, name, hash, role, created_at, expires_at, revoked_at)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (name) where revoked_at is null do nothing
         returning id`,
}

/** Revokes the key of a name, and gives a row if there is one. */
export const revokeKey: Statement = {
  name: 'revoke-key',
  text: `update slipway.api_keys set revoked_at = $2 where name = $1 and revoked_at is null returning id`,
}

/** The parameters of `insertKey`. */
export function keyValues(key: StoredKey): unknown[] {
  return [key.id, key.name, key.hash, key.role, key.createdAt, key.expiresAt, key.revokedAt]
}

/** A row as a store gives it. */
export function keyOf(row: KeyRow): StoredKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    // A role of a later version counts as the least.
    role: roles.find((role) => role === row.role) ?? 'read',
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }
}
