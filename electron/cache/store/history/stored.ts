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

const dayMs = 24 * 60 * 60_000

let day = Number.NaN
let date = ''

/**
 * A moment in milliseconds as ISO 8601, like `toISOString`. A history has two for each row, mostly on a few days, so
 * the date is cached: this takes a third of the time.
 */
export function iso(moment: number): string {
  const whole = Math.trunc(moment)
  const own = Math.floor(whole / dayMs)
  if (own !== day) {
    date = new Date(own * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length)
    day = own
  }
  const ms = whole - own * dayMs
  const hours = digits(Math.floor(ms / 3_600_000), 100)
  const minutes = digits(Math.floor(ms / 60_000) % 60, 100)
  return `${date}${hours}:${minutes}:${digits(Math.floor(ms / 1000) % 60, 100)}.${digits(ms % 1000, 1000)}Z`
}

/** A number below `limit`, a power of ten, with leading zeros. */
const digits = (value: number, limit: number): string => String(limit + value).slice(1)

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
