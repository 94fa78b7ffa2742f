import type Database from 'libsql'
import { type Notes, prepareRows } from '../database/rows'

/** The note of when the history began, in milliseconds: with the first complete synchronisation, or later. */
export const sinceNote = 'history-since'

/** Roughly how many bytes of the file an observation of one deployment takes. */
const lookBytes = 40

/** How many observations of single deployments are kept. */
const maxLooks = 200_000

/** The share of the limit that remains once it is reached, so that rows are removed several at a time. */
const leftOfLimit = 0.98

/** How many rows are removed at a time. */
const removedAtATime = 200

/**
 * Bounds a history by age and by size. Call every function but `size` inside a transaction.
 *
 * @param maxBytes how many bytes the history may take
 */
export function createRetention(db: Database.Database, notes: Notes, maxBytes: number) {
  const sizes = db.prepare('select count(*) as rows, coalesce(sum(bytes), 0) as bytes from history')
  const countLooks = db.prepare('select count(*) as count from look')
  const oldest = prepareRows(db, 'seq, seen_at, bytes', 'from history order by seq limit ?')
  const removals = [
    db.prepare('delete from earlier where seq <= ?'),
    db.prepare('delete from history where seq <= ?'),
  ]
  const removalsByAge = [
    db.prepare('delete from earlier where seq in (select seq from history where seen_at < ?)'),
    db.prepare('delete from history where seen_at < ?'),
    db.prepare('delete from observed where to_at < ?'),
    db.prepare('delete from look where to_at < ?'),
  ]
  const removeLooks = db.prepare(
    `delete from look where to_at <= (select to_at from look order by to_at desc limit 1 offset ${maxLooks})`,
  )
  let size: { bytes: number; rows: number } | null = null

  const measured = (): { bytes: number; rows: number } =>
    (size ??= sizes.get() as { bytes: number; rows: number })

  const since = (): number | null => {
    const noted = notes.read(sinceNote)
    return noted === null ? null : Number(noted)
  }

  const lookCount = (): number => (countLooks.get() as { count: number }).count

  function makeRoom(): void {
    const total = measured()
    if (total.bytes <= maxBytes) return
    while (total.bytes > maxBytes * leftOfLimit) {
      const rows = oldest<[seq: number, seenAt: number, bytes: number]>(removedAtATime)
      const end = rows.at(-1)
      if (!end) return
      for (const removal of removals) removal.run(end[0])
      total.bytes -= rows.reduce((sum, [, , bytes]) => sum + bytes, 0)
      total.rows -= rows.length
      notes.write(sinceNote, String(Math.max(since() ?? 0, ...rows.map(([, seenAt]) => seenAt))))
    }
  }

  return {
    /** Counts a row of so many bytes that was just inserted. Removes the oldest rows if there are too many. */
    add(bytes: number): void {
      // A size that is measured only now has the row already.
      if (size) size = { bytes: size.bytes + bytes, rows: size.rows + 1 }
      makeRoom()
    },

    /** Removes what is older than a time, in milliseconds since 1970. */
    removeOlder(end: number): void {
      for (const removal of removalsByAge) removal.run(end)
      const begun = since()
      if (begun !== null && begun < end) notes.write(sinceNote, String(end))
    },

    /** Removes observations and rows beyond the limits. */
    trim(): void {
      if (lookCount() > maxLooks) removeLooks.run()
      size = null
      makeRoom()
    },

    /** The size of the history, and its number of rows. */
    size(): { bytes: number; rows: number } {
      const { bytes, rows } = measured()
      return { bytes: bytes + lookBytes * lookCount(), rows }
    },

    /** Measures the size again. Call it after a rollback. */
    undone(): void {
      size = null
    },
  }
}
