import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { answerLimits } from '@contract'

/** What is larger when it is packed isn't kept: some of these would push everything else out of the history. */
const maxPacked = 256 * 1024

/** A text as the history keeps it; null if it is too large. */
export function pack(text: string): Uint8Array | null {
  const packed = deflateRawSync(text, { level: 3 })
  return packed.byteLength > maxPacked ? null : packed
}

/** The text that was packed. Throws for anything else. */
export function unpack(packed: Uint8Array): string {
  return inflateRawSync(packed, { maxOutputLength: answerLimits.bytes }).toString()
}
