import type Database from 'libsql'
import { prepareRows } from '../database/rows'

/** How many rows are read to find out which trigrams are common. */
const sampleSize = 256

/** How many trigrams of a word are looked up. With a few rare ones, almost all found rows have the word. */
const maxLookedUp = 4

/** Chooses which part of a word is looked up in the search index. */
export interface Trigrams {
  /**
   * A query of the index for a word's rarest trigrams: every row with the word matches, and few others do. Trigrams
   * that most rows have, such as those of a common prefix, cost the most and exclude nothing. Null if the word is too
   * short for the index.
   */
  queryFor: (word: string) => string | null
}

/** `indexedUpTo` is the highest row in the index. */
export function createTrigrams(db: Database.Database, indexedUpTo: () => number): Trigrams {
  const searchOf = prepareRows(db, 'search', 'from deployment where seq in (select value from json_each(?))')
  let counts = new Map<string, number>()
  let sampledUpTo = 0

  /** Counts in how many rows of a sample each trigram occurs. Counts again once the cache has doubled. */
  function sample(): void {
    const highest = indexedUpTo()
    if (highest === 0 || (sampledUpTo > 0 && highest < 2 * sampledUpTo)) return
    const step = Math.max(1, highest / sampleSize)
    const rows = Array.from({ length: sampleSize }, (_, index) => 1 + Math.floor(index * step))
    counts = new Map()
    for (const [search] of searchOf<[search: string]>(JSON.stringify(rows))) {
      for (const trigram of trigramsOf(search)) counts.set(trigram, (counts.get(trigram) ?? 0) + 1)
    }
    sampledUpTo = highest
  }

  return {
    queryFor(word) {
      const trigrams = [...trigramsOf(word)]
      if (trigrams.length === 0) return null
      sample()
      const frequency = (trigram: string): number => counts.get(trigram) ?? 0
      return trigrams
        .sort((one, other) => frequency(one) - frequency(other))
        .slice(0, maxLookedUp)
        .map((trigram) => `"${trigram.replaceAll('"', '""')}"`)
        .join(' AND ')
    },
  }
}

/** The different trigrams of a text, by code points like SQLite's tokenizer. */
function trigramsOf(text: string): Set<string> {
  const points = [...text]
  const trigrams = new Set<string>()
  for (let index = 0; index + 3 <= points.length; index += 1) {
    const trigram = points.slice(index, index + 3).join('')
    // A query can't contain a NUL.
    if (!trigram.includes('\0')) trigrams.add(trigram)
  }
  return trigrams
}
