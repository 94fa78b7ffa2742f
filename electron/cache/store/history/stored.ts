import type { Change, Observer } from '@contract/cache'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { answerLimits } from '@contract'

/** The content of a history row, besides the deployment's identifier and the time. */
export interface StoredEntry {
  name: string
  by: Observer
  /** The change happened after this time, in milliseconds; null if that isn't known. */
  previousAt: number | null
  /** The changes that one answer showed. */
  changes: Change[]
}

/** A moment in milliseconds as ISO 8601. */
export const iso = (moment: number): string => new Date(moment).toISOString()

/** Larger packed texts aren't stored: a few of them would push everything else out of the history. */
const maxPacked = 256 * 1024

/** A text in the history's form; null if it is too large. */
export function pack(text: string): Uint8Array | null {
  const packed = deflateRawSync(text, { level: 3 })
  return packed.byteLength > maxPacked ? null : packed
}

/** The original of a packed text. Throws for anything else. */
export function unpack(packed: Uint8Array): string {
  return inflateRawSync(packed, { maxOutputLength: answerLimits.bytes }).toString()
}
