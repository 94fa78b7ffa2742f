import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ArchivePlace } from './places'

/** Permission to upload one archive without a key, for a limited time. */
export interface Ticket {
  /** In milliseconds. */
  expires: number
  signature: string
}

/** Signs a ticket for an archive. */
export function signTicket(key: Uint8Array, place: ArchivePlace, expires: number): Ticket {
  return { expires, signature: signatureOf(key, place, expires).toString('base64url') }
}

/** Checks a ticket. The time that this takes doesn't depend on how much of the ticket is right. */
export function checkTicket(
  key: Uint8Array,
  place: ArchivePlace,
  { expires, signature }: Ticket,
  now: number,
): 'right' | 'wrong' | 'expired' {
  const received = Buffer.from(signature, 'base64url')
  const expected = signatureOf(key, place, expires)
  if (received.length !== expected.length || !timingSafeEqual(received, expected)) return 'wrong'
  return now < expires ? 'right' : 'expired'
}

function signatureOf(
  key: Uint8Array,
  { tenantId, deploymentId, archiveId }: ArchivePlace,
  expires: number,
): Buffer {
  return createHmac('sha256', key)
    .update(['upload', tenantId, deploymentId, archiveId, expires].join('\n'))
    .digest()
}
