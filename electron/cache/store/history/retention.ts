import type Database from 'libsql'
import { type Notes, prepareRows } from '../database/rows'

/** The note of when the history began, in milliseconds: with the first complete synchronisation, or later. */
export const sinceNote = 'history-since'

/** Roughly how many bytes of the file an observation of one deployment takes. */
const lookBytes = 40

/** How many observations of single deployments are kept. */
const maxLooks = 200_000

/**
 * Bounds a history by age and by size.
 *
 * @param maxBytes how many bytes the history may take
 */
export function createRetention(db: Database.Database, notes: Notes, maxBytes: number) {
  const sizes = db.prepare(
    `select count(*) as rows, coalesce(sum(bytes), 0) as bytes, (select count(*) from look) as looks from history`,
  )
  const newestBeyond = prepareRows(
    db,
    'seq, seen_at',
    `from (select seq, seen_at, sum(bytes) over (order by seq desc) as total from history)
     where total > ? order by seq desc limit 1`,
  )
  const removalsBySize = [
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

  const measured = (): { bytes: number; rows: number; looks: number } =>
    sizes.get() as { bytes: number; rows: number; looks: number }

  /** Notes that the history isn't complete before a moment. */
  function beginsAt(moment: number): void {
    const begun = notes.read(sinceNote)
    if (begun !== null && Number(begun) < moment) notes.write(sinceNote, String(moment))
  }

  return {
    /** Removes what is older than a time, in milliseconds since 1970, and what is beyond the limits. */
    trim(end: number): void {
      for (const removal of removalsByAge) removal.run(end)
      beginsAt(end)
      const { bytes, looks } = measured()
      if (looks > maxLooks) removeLooks.run()
      const [last] = bytes > maxBytes ? newestBeyond<[seq: number, seenAt: number]>(maxBytes) : []
      if (!last) return
      for (const removal of removalsBySize) removal.run(last[0])
      beginsAt(last[1])
    },

    /** The size of the history, and its number of rows. */
    size(): { bytes: number; rows: number } {
      const { bytes, rows, looks } = measured()
      return { bytes: bytes + lookBytes * looks, rows }
    },
  }
}
