import { StorageFailure } from '../../base/storage-failure'

/** Codes of SQLite's errors that come from the disk or the machine instead of a statement. */
const ofTheMachine = /^SQLITE_(?:IOERR|READONLY|CANTOPEN|BUSY|LOCKED|NOMEM|CORRUPT)/

/** Runs `work`. Throws a StorageFailure instead of SQLite's error if the disk or the machine caused it. */
export function withStorageFailures<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code)
    if (code === 'SQLITE_FULL') throw new StorageFailure('full', error)
    throw ofTheMachine.test(code) ? new StorageFailure('unavailable', error) : error
  }
}
