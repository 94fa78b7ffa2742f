import { createHash } from 'node:crypto'
import type { KnownRepository } from '../api/schemas'

/** The repositories that were read from a code host. */
export interface ReadRepositories {
  repositories: KnownRepository[]
  /** The repositories that were left out, each with the reason. */
  leftOut: string[]
}

/** Why a repository is left out that the interface can't list. */
export const notPlain = 'its name, address or branch is too long, blank or no plain text'

/** The identifier of an integration, derived from its place: equal for equal places. */
export function integrationOf(place: string): string {
  const hash = createHash('sha256').update(place).digest('hex')
  // A UUID of version 8, whose content is up to its creator (RFC 9562).
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}

/** The number of a repository, derived from its path: equal for equal paths, and exact in a double. */
export function numberOf(path: string): number {
  return createHash('sha256').update(path).digest().readUIntBE(0, 6)
}
