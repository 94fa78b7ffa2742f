import type { JournalEntry } from '@contract'

/** How long there are no notices about a deployment that the operator created here, in milliseconds. */
const freshMs = 3_600_000

/** Beyond this number, the oldest are forgotten. */
const maxRemembered = 500

/** The deployments that were created from this machine within the last hour. */
export interface OwnCreations {
  /** Takes an entry of the journal as it is now. */
  note: (entry: JournalEntry) => void
  has: (environmentId: string, deploymentId: string) => boolean
}

/** @param monotonic a monotonic clock, in milliseconds */
export function createOwnCreations(monotonic: () => number): OwnCreations {
  const createdAt = new Map<string, number>()
  const keyOf = (environmentId: string, deploymentId: string): string => `${environmentId} ${deploymentId}`
  return {
    note(entry) {
      if (entry.kind !== 'creation' || entry.state !== 'created' || entry.deploymentId === null) return
      const key = keyOf(entry.environmentId, entry.deploymentId)
      if (!createdAt.has(key)) createdAt.set(key, monotonic())
      const [oldest] = createdAt.keys()
      if (oldest !== undefined && createdAt.size > maxRemembered) createdAt.delete(oldest)
    },
    has(environmentId, deploymentId) {
      const at = createdAt.get(keyOf(environmentId, deploymentId))
      return at !== undefined && monotonic() - at < freshMs
    },
  }
}
