import { type EnvironmentMode, environmentModes } from '@contract/core/mode-labels'
import type Database from 'libsql'

const encoded = new TextDecoder('utf-8', { fatal: true })

/** Columns of JSON texts. */
const jsonColumns = new Set(['document', 'source_revision_config'])

/**
 * Reads the whole database, which takes about 15 ms for each thousand deployments, and returns whether it is intact.
 * Otherwise, damage would only show in the first request that hits it. SQLite accepts any bytes as a text, but libsql
 * ends the process on text that isn't UTF-8, so all texts are read as bytes. Throws SQLite's errors.
 *
 * @param besides tables that aren't read
 */
export function isSound(database: Database.Database, besides: readonly string[] = []): boolean {
  const [found] = database.pragma('integrity_check(1)') as { integrity_check: string }[]
  if (found?.integrity_check !== 'ok') return false
  const tables = names(
    database,
    `select cast(name as blob) as bytes from sqlite_schema where type = 'table' and name not glob 'sqlite_*'`,
  )
  return tables?.every((table) => besides.includes(table) || hasReadableTexts(database, table)) ?? false
}

/** Whether all texts of a table can be read. Throws SQLite's errors. */
export function hasReadableTexts(database: Database.Database, table: string): boolean {
  const columns = names(
    database,
    `select cast(name as blob) as bytes from pragma_table_info('${table}') where type = 'TEXT' collate nocase`,
  )
  if (columns === null) return false
  if (columns.length === 0) return true
  const json = columns.filter((column) => jsonColumns.has(column))
  const others = columns
    .filter((column) => !jsonColumns.has(column))
    .map((column) => `coalesce(${column}, '')`)
  // A space between texts keeps half a character at an end from joining another half at a beginning.
  const parts = [
    `cast(${others.join(` || ' ' || `) || `''`} as blob)`,
    ...json.map((column) => `cast(${column} as blob)`),
  ]
  const rows = database
    .prepare(`select ${parts.join(', ')} from ${table}`)
    .raw()
    .iterate()
  for (const [texts, ...documents] of rows as Iterable<[Uint8Array, ...Uint8Array[]]>) {
    if (textOf(texts) === null || !documents.every(isDocument)) return false
  }
  return true
}

/** The names that a statement gives as bytes; null if one can't be read. */
function names(database: Database.Database, statement: string): string[] | null {
  const found = (database.prepare(statement).all() as { bytes: Uint8Array }[]).map(({ bytes }) =>
    textOf(bytes),
  )
  return found.every((name) => name !== null) ? found : null
}

/** The mode that a database was created for; null if the mode or the tenant is damaged. Throws SQLite's errors. */
export function readInstallation(database: Database.Database): EnvironmentMode | null {
  const row = database
    .prepare('select cast(mode as blob) as mode, cast(tenant_id as blob) as tenant from installation')
    .get() as { mode: Uint8Array; tenant: Uint8Array }
  const mode = environmentModes.find((one) => one === textOf(row.mode))
  return mode !== undefined && uuid.test(textOf(row.tenant) ?? '') ? mode : null
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function textOf(bytes: Uint8Array): string | null {
  try {
    return encoded.decode(bytes)
  } catch {
    return null
  }
}

function isDocument(bytes: Uint8Array): boolean {
  try {
    JSON.parse(encoded.decode(bytes))
    return true
  } catch {
    return false
  }
}
