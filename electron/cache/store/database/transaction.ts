import type Database from 'libsql'

/**
 * How many answers share a commit. Each changes pages throughout an index, which are encrypted and written with every
 * commit.
 */
const gatheredAtMost = 30

/**
 * How long after the last write the gathered ones are committed, in milliseconds. With a slow service, each is
 * committed alone. A fast one leaves shorter gaps, even on a busy machine.
 */
const gatheredForMs = 250

type Function<Arguments extends unknown[], Result> = (...parameters: Arguments) => Result

/** The transactions of a connection. */
export interface Transactions {
  /**
   * Makes a function one transaction: it writes everything or, if it throws, nothing. Gathered writes are committed
   * first.
   */
  whole: <Arguments extends unknown[], Result>(
    body: Function<Arguments, Result>,
  ) => Function<Arguments, Result>
  /**
   * Makes a function that also writes everything or nothing. While `gather` is on, several calls are committed
   * together, the last ones a moment later. If the process ends before, the last calls are lost as a whole. If the late
   * commit fails, the next function throws its error.
   */
  gathered: <Arguments extends unknown[], Result>(
    body: Function<Arguments, Result>,
  ) => Function<Arguments, Result>
  /**
   * Starts gathering, or ends it and commits what was gathered. The end throws if anything that was gathered since the
   * start is lost, even if another function has thrown that error already.
   */
  gather: (on: boolean) => void
}

/** `undone` is called after a rollback: what was remembered of these writes no longer holds. */
export function createTransactions(db: Database.Database, undone: () => void): Transactions {
  let gathering = false
  let gathered = 0
  let timer: NodeJS.Timeout | undefined
  let lateError: Error | null = null
  /** The first failure since gathering began that has undone what was gathered. */
  let lost: Error | null = null

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
      lost ??= error as Error
      try {
        rollBack(db)
      } finally {
        undone()
      }
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

  function alone<Arguments extends unknown[], Result>(
    body: Function<Arguments, Result>,
    parameters: Arguments,
  ): Result {
    try {
      return inTransaction(db, body)(...parameters)
    } catch (error) {
      undone()
      throw error
    }
  }

  return {
    whole:
      (body) =>
      (...parameters) => {
        commit()
        return alone(body, parameters)
      },

    gathered:
      (body) =>
      (...parameters) => {
        if (!gathering) return alone(body, parameters)
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
          // SQLite has ended it, for example on a full disk.
          else lost ??= error as Error
          undone()
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
      gathering = on
      try {
        commit()
        if (!on && lost !== null) throw lost
      } finally {
        lost = null
      }
    },
  }
}

/** Makes a function one transaction: it writes everything or, if it throws, nothing. */
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

/** On a full disk, SQLite has already ended the transaction. */
function rollBack(db: Database.Database): void {
  if (db.inTransaction) db.exec('rollback')
}
