import { cacheNotes } from '@contract/cache'
import type { Notes } from '../database/notes'

/**
 * The note of when the history began, in milliseconds. A cache that an earlier version synchronised doesn't have it,
 * and its history begins at once.
 */
export const sinceNote = 'history-since'

/** The value of `sinceNote` until a synchronisation has read the whole list. */
export const notYet = 'not-yet'

/**
 * The note of the time from which the age of rows is counted, in milliseconds: the last synchronisation at which the
 * service's clock agreed with this machine's. Removed rows can't be fetched again, so one clock isn't enough.
 */
export const agedToNote = 'history-aged-to'

/**
 * The note of the rows that were written before the first of these synchronisations: the last one's number and the
 * time, as JSON. No second clock had confirmed the times of these rows.
 */
export const unconfirmedNote = 'history-unconfirmed'

/** The value of `unconfirmedNote`: the number of a row, and a time in milliseconds. */
export interface Unconfirmed {
  seq: number
  at: number
}

/** When the history began, in milliseconds; null before a synchronisation has read the whole list. */
export function readSince(notes: Notes): number | null {
  const noted = notes.read(sinceNote) ?? notes.read(cacheNotes.synchronisedAt)
  return noted === null || noted === notYet ? null : Number(noted)
}

/** The time from which the age of rows is counted, in milliseconds; null if no two clocks have agreed yet. */
export function readAgedTo(notes: Notes): number | null {
  const noted = notes.read(agedToNote)
  return noted === null ? null : Number(noted)
}
