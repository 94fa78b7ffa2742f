import { userInfo } from 'node:os'
import { join } from 'node:path'
import type { EnvironmentMode } from '@contract/app/environment'
import { isInForce } from '../access/key-ring'
import type { AuditEntry, StoredKey } from '../database/tables'
import { makeKey, type Role } from '../base/keys'
import { Refusal } from '../base/failures'
import type { Place } from '../database/database'
import { openStore, type Store } from '../database/store'
import { type CommandOutput, importRepositories, type RepositoryImport } from './repositories'

/** A command about the keys, the audit or the repositories. It works with or without a running service. */
export type StoreCommand = { place: Place; mode: EnvironmentMode | null } & (
  | { does: 'keys add'; name: string; role: Role; tenant?: string; expires?: string }
  | { does: 'keys list' }
  | { does: 'keys revoke'; name: string }
  | { does: 'audit' }
  | { does: 'repositories import'; from: RepositoryImport }
)

/** A backup of a folder's data, or its restoration. */
export interface FolderCommand {
  does: 'backup' | 'restore'
  folder: string
  file: string
}

/** How many entries of the audit are read at once. */
const mostAtOnce = 1_000

/** Runs a command, and gives what it prints to `write`. */
export async function runTask(
  task: StoreCommand | FolderCommand,
  write: (output: CommandOutput) => Promise<void>,
): Promise<void> {
  if ('folder' in task) return write(await copy(task))
  const store = await openStore(task.place, { mode: task.mode, isService: false })
  try {
    await write(await outputOf(store, task))
  } finally {
    await store.close()
  }
}

/** Writes a backup, or restores one. */
async function copy({ does, folder, file }: FolderCommand): Promise<CommandOutput> {
  const { backUp, restore } = await import('../database/backup')
  const archives = join(folder, 'archives')
  if (does === 'backup') {
    await backUp(folder, file)
    const remark =
      `Wrote ${file}, and its checksum beside it. It has the keys' hashes and all deployments, but no archives: ` +
      `copy ${archives}, or the folder of --archives, too.`
    return { lines: [], remark }
  }
  const isChecked = await restore(file, folder)
  const unchecked = isChecked ? '' : ` There was no ${file}.sha256, so only its structure was checked.`
  const remark =
    `Restored ${file} into ${folder}.${unchecked} Keys are as they were then: ` +
    `revoke again those that were revoked since. Copy the archives into ${archives}.`
  return { lines: [], remark }
}

async function outputOf(store: Store, command: StoreCommand): Promise<CommandOutput> {
  switch (command.does) {
    case 'keys add':
      return addKey(store, command)
    case 'keys list':
      return listKeys(await store.keys.all())
    case 'keys revoke': {
      const { name } = command
      if (await store.keys.revoke(name, commandEntry('keys revoke', name, null)))
        return { lines: [], remark: `Revoked "${name}". Services refuse it within 2 seconds.` }
      throw new Refusal(`There is no key named "${name}" that could be revoked. "keys list" shows all.`)
    }
    case 'audit':
      return { lines: auditLines(store) }
    case 'repositories import': {
      const entryOf = (id: string): AuditEntry => ({
        ...commandEntry('repositories import', null, store.tenantId),
        id,
      })
      const report = (message: string): void => void process.stderr.write(`${message}\n`)
      return importRepositories(store, command.from, entryOf, report)
    }
  }
}

/** Adds a key. A name can be used again once its key is revoked. */
async function addKey(
  store: Store,
  { name, role, tenant, expires }: Extract<StoreCommand, { does: 'keys add' }>,
): Promise<CommandOutput> {
  const { id, key, hash } = makeKey()
  const added: StoredKey = {
    ...{ id, name, hash, role },
    tenant_id: tenant ?? null,
    created_at: new Date().toISOString(),
    expires_at: expires ?? null,
    revoked_at: null,
  }
  if (!(await store.keys.add(added, commandEntry('keys add', name, added.tenant_id)))) {
    throw new Refusal(`There is a key named "${name}" already. Revoke it first, or choose another name.`)
  }
  const until = expires === undefined ? 'without an end' : `until ${expires}`
  return {
    lines: [key],
    remark: `Added "${name}", role ${role}, ${until}. Keep the key now: it isn't shown again.`,
  }
}

/** Lists all keys, invalid ones included, without secrets. */
function listKeys(keys: readonly StoredKey[]): CommandOutput {
  if (keys.length === 0) return { lines: [], remark: 'There are no keys.' }
  const head = ['NAME', 'ID', 'ROLE', 'TENANT', 'CREATED', 'EXPIRES', 'STATE']
  const rows = [head, ...keys.map(cellsOf)]
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  return { lines }
}

function cellsOf(key: StoredKey): string[] {
  const ended = key.revoked_at === null ? 'expired' : `revoked ${key.revoked_at}`
  const { name, id, role, tenant_id, created_at, expires_at } = key
  return [
    name,
    id,
    role,
    tenant_id ?? 'any',
    created_at,
    expires_at ?? 'never',
    isInForce(key) ? 'in force' : ended,
  ]
}

/** The audit as JSON lines, the oldest entry first. */
async function* auditLines(store: Store): AsyncGenerator<string, void> {
  for (let after = 0; ;) {
    const found = await store.audit.read(after, mostAtOnce)
    for (const { sequence: _, ...entry } of found) yield JSON.stringify(entry)
    if (found.length < mostAtOnce) return
    after = found.at(-1)!.sequence
  }
}

/** The entry of a command. */
function commandEntry(
  action: StoreCommand['does'],
  name: string | null,
  tenantId: string | null,
): AuditEntry {
  return {
    at: new Date().toISOString(),
    request_id: null,
    by: `command of ${userName()}`,
    tenant_id: tenantId,
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
