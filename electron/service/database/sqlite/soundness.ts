import { type EnvironmentMode, environmentModes } from '@contract/core/mode-labels'
import type Database from 'libsql'

const encoded = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads the whole database, about 15 ms for each thousand deployments, and returns whether it is intact. Otherwise,
 * damage would show only in the first request that hits it. libsql ends the process on text that isn't UTF-8, so
 * documents are read as bytes. SQLite compares all other text with an index, or `readInstallation` reads it. Throws
 * SQLite's errors.
 */
export function isSound(database: Database.Database): boolean {
  const [found] = database.pragma('integrity_check(1)') as { integrity_check: string }[]
  if (found?.integrity_check !== 'ok') return false
  return ['deployments', 'repositories'].every((table) => {
    const rows = database.prepare(`select cast(document as blob) as bytes from ${table}`).iterate()
    for (const { bytes } of rows as Iterable<{ bytes: Uint8Array }>) if (!isDocument(bytes)) return false
    return true
  })
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
