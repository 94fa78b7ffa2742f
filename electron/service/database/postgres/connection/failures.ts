import type { StorageFailure } from '../../../base/storage-failure'

/** The meaning of a driver's error. */
interface Meaning {
  reason: StorageFailure['reason']
  /** Whether the connection can no longer be used. */
  isLost: boolean
  /** Whether nothing was done, and another try may succeed at once. */
  isRepeatable: boolean
}

const lost: Meaning = { reason: 'uncertain', isLost: true, isRepeatable: false }
const refused: Meaning = { reason: 'unavailable', isLost: false, isRepeatable: false }

/** Meanings by the beginning of the SQLSTATE. The code comes from the server, so the statement was rolled back. */
const meanings: [RegExp, Meaning][] = [
  [/^53100$/, { ...refused, reason: 'full' }],
  // The server ends, restarts or recovers, or the protocol broke.
  [/^(?:57P0|08|XX000)/, lost],
  // A standby; a deadlock; a conflict with another transaction or with what the standby replays.
  [/^(?:25006|40)/, { ...refused, isRepeatable: true }],
  // No room for a connection or no memory; a time limit; a lock; a disk that fails; a damaged table.
  [/^(?:53|57014|55P03|58|XX00)/, refused],
]

/** The meaning of an error that a server or the driver reports; null if it is a bug of the program. */
export function meaningOf(error: unknown): Meaning | null {
  const { code, severity, file } = error as { code?: unknown; severity?: unknown; file?: unknown }
  if (typeof severity === 'string' && typeof code === 'string') {
    // Without room for its log, the server ends, and the log may already have the statement.
    if (code === '53100' && String(file).startsWith('xlog')) return lost
    return meanings.find(([codes]) => codes.test(code))?.[1] ?? null
  }
  // An error that isn't a server's answer comes from the connection, unless the driver was called incorrectly.
  return error instanceof TypeError || error instanceof RangeError ? null : lost
}

/** Why a server can't be reached, for people. A name may have several addresses, each with an error. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
