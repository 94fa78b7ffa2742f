import type { EnvironmentMode } from '@contract/core/mode'
import { type Log, textLog } from './base/log'
import type { Place } from './database/place'
import type { Store } from './database/store'
import { openDatabase, visitDatabase } from './database/sqlite/connection/open'
import { createSqliteStore } from './database/sqlite/store'

/**
 * Opens the data for a command, even while services use it.
 *
 * @param mode what to create a missing database for; null to create none
 * @throws {Refusal} if it can't be used
 */
export async function visitStore(place: Place, mode: EnvironmentMode | null): Promise<Store> {
  if ('folder' in place) return createSqliteStore(visitDatabase(place.folder, mode), textLog)
  const { openPostgres } = await import('./database/postgres/store')
  return openPostgres(place.connectionString, place.connections, mode, textLog)
}

/**
 * Opens the data of a service.
 *
 * @throws {Refusal} if it can't be used
 */
export async function openStore(place: Place, mode: EnvironmentMode, log: Log): Promise<Store> {
  if ('folder' in place) return createSqliteStore(openDatabase(place.folder, mode), log)
  // A service with a folder, such as a sandbox, doesn't need the driver.
  const { openPostgres } = await import('./database/postgres/store')
  return openPostgres(place.connectionString, place.connections, mode, log)
}
