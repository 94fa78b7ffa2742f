import { createHash } from 'node:crypto'
import type { KnownRepository } from '../api/known-repository'

/** What was read from a code host. */
export interface ReadRepositories {
  repositories: KnownRepository[]
  /** The repositories that were left out, each with the reason. */
  leftOut: string[]
}

/** The identifier of an integration whose place is all that is known of it: the same for the same place. */
export function integrationOf(place: string): string {
  const hash = createHash('sha256').update(place).digest('hex')
  // A UUID of version 8, which leaves its content to whoever makes it (RFC 9562).
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

/** The number of a repository that has only a path: the same for the same path, and exact in a double. */
export function numberOf(path: string): number {
  return createHash('sha256').update(path).digest().readUIntBE(0, 6)
}
