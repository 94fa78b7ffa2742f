import type { EnvironmentMode } from '@contract/core/mode'
import { type Log, textLog } from './base/log'
import type { Store } from './database/store'
import { openDatabase, visitDatabase } from './database/sqlite/open'
import { createSqliteStore } from './database/sqlite/store'

/** Where the data is: in a folder of this process alone, or in a PostgreSQL that several share. */
export type Place =
  | { folder: string }
  | {
      /** It may have a password: never show it. */
      connectionString: string
      /** How many connections to each server there are at most. */
      connections: number
    }

/**
 * Opens the data of a command, beside services that may be using it.
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
  // A service with a folder, such as a sandbox's, starts without the driver.
  const { openPostgres } = await import('./database/postgres/store')
  return openPostgres(place.connectionString, place.connections, mode, log)
}
