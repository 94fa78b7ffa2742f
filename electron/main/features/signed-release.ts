import { createPublicKey, verify } from 'node:crypto'
import { type Release, releaseSchema } from '@contract/ipc/calls/own'

/**
 * Reads what the publisher signed: `{"signed": TEXT, "signature": BASE64}`, where TEXT is the JSON of a `Release` and
 * the signature is Ed25519's of its bytes (electron/launcher/packaging/publish.ts writes it).
 *
 * @param key the publisher's public key, SPKI in base64
 * @returns what is wrong, if it can't be believed
 */
export function readSigned(body: Uint8Array, key: string): Release | { wrong: string } {
  try {
    const { signed, signature } = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>
    if (typeof signed !== 'string' || typeof signature !== 'string') return { wrong: 'malformed' }
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    if (!verify(null, Buffer.from(signed), publicKey, Buffer.from(signature, 'base64')))
      return { wrong: 'wrong signature' }
    return releaseSchema.parse(JSON.parse(signed))
  } catch {
    return { wrong: 'malformed' }
  }
}

/** Whether a version comes before another. Both are three numbers. */
export function isBefore(one: string, other: string): boolean {
  const numbers = (version: string): number[] => version.split('.').map(Number)
  const [a, b] = [numbers(one), numbers(other)]
  const at = a.findIndex((number, index) => number !== b[index])
  return at >= 0 && a[at]! < b[at]!
}
