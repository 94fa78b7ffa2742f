import { roles } from '../../base/role'
import type { StoredKey } from '../store'
import type { Connection } from './connection/open'

interface KeyRow {
  id: string
  name: string
  /** libsql gives bytes in either form. */
  hash: ArrayBuffer | Uint8Array
  role: string
  tenant_id: string | null
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

/** Prepares the statements about keys on an open database. */
export function keyTable(database: Connection) {
  const select = database.prepare<[]>('select * from api_keys order by sequence')
  const insert = database.prepare<Record<string, string | Uint8Array | null>>(
    `insert into api_keys (id, name, hash, role, tenant_id, created_at, expires_at, revoked_at)
     values (:id, :name, :hash, :role, :tenant_id, :created_at, :expires_at, :revoked_at)
     on conflict (name) where revoked_at is null do nothing`,
  )
  const revoke = database.prepare<[string, string]>(
    'update api_keys set revoked_at = ? where name = ? and revoked_at is null',
  )
  return {
    all: (): StoredKey[] => (select.all() as KeyRow[]).map(keyOf),

    /** Inserts a key, unless a key that isn't revoked has its name. Gives whether it was inserted. */
    insert(key: StoredKey): boolean {
      const { id, name, hash, role } = key
      const { changes } = insert.run({
        ...{ id, name, hash, role },
        tenant_id: key.tenantId,
        created_at: key.createdAt,
        expires_at: key.expiresAt,
        revoked_at: key.revokedAt,
      })
      return changes > 0
    },

    revoke: (name: string, now: string): boolean => revoke.run(now, name).changes > 0,
  }
}

function keyOf(row: KeyRow): StoredKey {
  return {
    id: row.id,
    name: row.name,
    hash: new Uint8Array(row.hash),
    // A role of a later version counts as the weakest.
    role: roles.find((role) => role === row.role) ?? 'read',
    tenantId: row.tenant_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  }
}
