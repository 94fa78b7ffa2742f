import type Database from 'libsql'

/** Makes a function one transaction: all of what it writes or, when it throws, nothing. */
export function inTransaction<Arguments extends unknown[], Result>(
  db: Database.Database,
  body: (...parameters: Arguments) => Result,
): (...parameters: Arguments) => Result {
  return (...parameters) => {
    db.exec('begin immediate')
    try {
      const result = body(...parameters)
      db.exec('commit')
      return result
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (db.inTransaction) db.exec('rollback')
      throw error
    }
  }
}
