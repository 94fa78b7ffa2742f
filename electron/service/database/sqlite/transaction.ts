import type Database from 'libsql'

/** Runs `work` so that either all of its writes last or none does. An exception rolls them back. */
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
    // On a full disk, SQLite has rolled back already. Another rollback would fail, and hide the reason.
    if (database.inTransaction) database.exec('rollback')
    throw error
  }
}
