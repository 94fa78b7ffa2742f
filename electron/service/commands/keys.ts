import { commandEntry } from './audit'
import { isInForce } from '../access/key-ring'
import { makeKey } from '../access/keys'
import { Refusal } from '../base/refusal'
import type { Role } from '../base/role'
import type { Store, StoredKey } from '../database/store'

/** The output of a command: its lines, and a remark for the reader. */
export interface CommandOutput {
  lines: Iterable<string> | AsyncIterable<string>
  remark?: string
}

/** A key to add. */
interface NewKey {
  name: string
  role: Role
  /** The only tenant that it is for; null for any. */
  tenantId: string | null
  /** ISO 8601; null if it is valid until it is revoked. */
  expiresAt: string | null
}

/** Adds a key. A name can be used again once its key is revoked. */
export async function addKey(
  store: Store,
  { name, role, tenantId, expiresAt }: NewKey,
): Promise<CommandOutput> {
  const { id, key, hash } = makeKey()
  const createdAt = new Date().toISOString()
  const added = { id, name, hash, role, tenantId, createdAt, expiresAt, revokedAt: null }
  if (!(await store.keys.add(added, commandEntry('keys add', name, tenantId)))) {
    throw new Refusal(`There is a key named "${name}" already. Revoke it first, or choose another name.`)
  }
  const until = expiresAt === null ? 'without an end' : `until ${expiresAt}`
  return {
    lines: [key],
    remark: `Added "${name}", role ${role}, ${until}. Keep the key now: it isn't shown again.`,
  }
}

/** Lists all keys, invalid ones included, without secrets. */
export async function listKeys(store: Store): Promise<CommandOutput> {
  const keys = await store.keys.all()
  if (keys.length === 0) return { lines: [], remark: 'There are no keys.' }
  const head = ['NAME', 'ID', 'ROLE', 'TENANT', 'CREATED', 'EXPIRES', 'STATE']
  return { lines: table([head, ...keys.map(cellsOf)]) }
}

function cellsOf(key: StoredKey): string[] {
  const state = isInForce(key) ? 'in force' : key.revokedAt === null ? 'expired' : `revoked ${key.revokedAt}`
  return [key.name, key.id, key.role, key.tenantId ?? 'any', key.createdAt, key.expiresAt ?? 'never', state]
}

function table(rows: string[][]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Revokes a key. Every instance refuses it within seconds. */
export async function revokeKey(store: Store, name: string): Promise<CommandOutput> {
  if (!(await store.keys.revoke(name, commandEntry('keys revoke', name, null)))) {
    throw new Refusal(`There is no key named "${name}" that could be revoked. "keys list" shows all.`)
  }
  return { lines: [], remark: `Revoked "${name}". Services refuse it within 2 seconds.` }
}
