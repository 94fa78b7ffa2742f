import type Database from 'libsql'

/** How many pages share a commit. Each changes pages all over an index, which are encrypted and written every time. */
const gatheredAtMost = 10

/** After how many milliseconds without a further one what was gathered is committed: a slow service gathers nothing. */
const gatheredForMs = 50

type Function<Arguments extends unknown[], Result> = (...parameters: Arguments) => Result

/** The transactions of a connection. */
export interface Transactions {
  /** Makes a function one transaction: all of what it writes or, when it throws, nothing. What was gathered comes first. */
  whole: <Arguments extends unknown[], Result>(
    body: Function<Arguments, Result>,
  ) => Function<Arguments, Result>
  /**
   * Makes a function one that also writes all or nothing, but several calls of which are committed together while
   * `gather` is on, the last ones a moment later. A process that ends before loses whole calls, the last ones.
   * Where that late commit fails, the next function says so.
   */
  gathered: <Arguments extends unknown[], Result>(
    body: Function<Arguments, Result>,
  ) => Function<Arguments, Result>
  /** Begins gathering, or ends it, which commits what was gathered. */
  gather: (on: boolean) => void
}

export function createTransactions(db: Database.Database): Transactions {
  let gathering = false
  let gathered = 0
  let timer: NodeJS.Timeout | undefined
  let lateError: Error | null = null

  function commit(): void {
    clearTimeout(timer)
    if (lateError !== null) {
      const error = lateError
      lateError = null
      throw error
    }
    if (!db.inTransaction) return
    gathered = 0
    try {
      db.exec('commit')
    } catch (error) {
      rollBack(db)
      throw error
    }
  }

  function commitLate(): void {
    try {
      commit()
    } catch (error) {
      lateError = error as Error
    }
  }

  return {
    whole:
      (body) =>
      (...parameters) => {
        commit()
        return inTransaction(db, body)(...parameters)
      },

    gathered:
      (body) =>
      (...parameters) => {
        if (!gathering) return inTransaction(db, body)(...parameters)
        if (!db.inTransaction) {
          commit()
          db.exec('begin immediate')
        }
        db.exec('savepoint one')
        let result
        try {
          result = body(...parameters)
        } catch (error) {
          if (db.inTransaction) db.exec('rollback to one')
          throw error
        } finally {
          if (db.inTransaction) db.exec('release one')
        }
        gathered += 1
        clearTimeout(timer)
        if (gathered >= gatheredAtMost) commit()
        else timer = setTimeout(commitLate, gatheredForMs).unref()
        return result
      },

    gather(on) {
      commit()
      gathering = on
    },
  }
}

/** Makes a function one transaction: all of what it writes or, when it throws, nothing. */
export function inTransaction<Arguments extends unknown[], Result>(
  db: Database.Database,
  body: Function<Arguments, Result>,
): Function<Arguments, Result> {
  return (...parameters) => {
    db.exec('begin immediate')
    try {
      const result = body(...parameters)
      db.exec('commit')
      return result
    } catch (error) {
      rollBack(db)
      throw error
    }
  }
}

/** A full disk ends a transaction by itself. */
function rollBack(db: Database.Database): void {
  if (db.inTransaction) db.exec('rollback')
}
