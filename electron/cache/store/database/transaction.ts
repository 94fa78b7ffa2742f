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

/**
 * The transactions of a connection.
 *
 * @param undone is called after a rollback: what was remembered of these writes no longer holds
 */
export function createTransactions(db: Database.Database, undone: () => void) {
  let gathering = false
  let gathered = 0
  let timer: NodeJS.Timeout | undefined
  /** Why what was gathered since the start is lost. */
  let lost: Error | null = null

  /** Undoes everything that isn't committed if `work` throws. */
  function orUndo<Result>(work: () => Result): Result {
    try {
      return work()
    } catch (error) {
      if (gathering) lost ??= error as Error
      rollBack(db)
      undone()
      throw error
    }
  }

  function commit(): void {
    clearTimeout(timer)
    gathered = 0
    if (db.inTransaction) orUndo(() => db.exec('commit'))
  }

  function commitLate(): void {
    try {
      commit()
    } catch {
      // The next write throws it.
    }
  }

  const alone = <Arguments extends unknown[], Result>(
    body: Function<Arguments, Result>,
    parameters: Arguments,
  ): Result => orUndo(() => inTransaction(db, body)(...parameters))

  return {
    /**
     * Makes a function one transaction: it writes everything or, if it throws, nothing. Gathered writes are committed
     * first.
     */
    whole:
      <Arguments extends unknown[], Result>(body: Function<Arguments, Result>): Function<Arguments, Result> =>
      (...parameters) => {
        commit()
        return alone(body, parameters)
      },

    /**
     * Makes a function that also writes everything or nothing. While `gather` is on, several calls are committed
     * together, the last ones a moment later. If one of them or a commit fails, all that isn't committed is lost, and
     * later calls throw the same error until gathering ends.
     */
    gathered:
      <Arguments extends unknown[], Result>(body: Function<Arguments, Result>): Function<Arguments, Result> =>
      (...parameters) => {
        if (!gathering) return alone(body, parameters)
        if (lost) throw lost
        return orUndo(() => {
          if (!db.inTransaction) db.exec('begin immediate')
          const result = body(...parameters)
          gathered += 1
          clearTimeout(timer)
          if (gathered >= gatheredAtMost) commit()
          else timer = setTimeout(commitLate, gatheredForMs).unref()
          return result
        })
      },

    /** Starts gathering, or ends it and commits what was gathered. The end throws if any of it is lost. */
    gather(on: boolean): void {
      try {
        commit()
        if (!on && lost) throw lost
      } finally {
        gathering = on
        lost = null
      }
    },
  }
}

export type Transactions = ReturnType<typeof createTransactions>

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
