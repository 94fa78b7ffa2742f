import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { answerLimits } from '@contract'

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
