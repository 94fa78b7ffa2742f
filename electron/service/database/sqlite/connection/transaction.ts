import type Database from 'libsql'

/** Runs `work` so that all of its writes last, or none. An exception rolls them back. */
export function inTransaction<T>(
  database: Database.Database,
  mode: 'immediate' | 'exclusive',
  work: () => T,
): T {
  database.exec(`begin ${mode}`)
  try {
    const result = work()
    database.exec('commit')
    return result
  } catch (error) {
    // On a full disk, SQLite has already rolled back. Another rollback would fail and hide the reason.
    if (database.inTransaction) database.exec('rollback')
    throw error
  }
}
