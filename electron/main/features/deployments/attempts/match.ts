import { type Deployment, type FoundDeployment, type Lookup, maxFound, type StoredCreation } from '@contract'
import { readTime } from '@contract/core/time'
import { compare } from './sent'

/** What a lookup read: the deployments with an attempt's name or a similar one, and how reliable the list is. */
export interface Seen {
  deployments: readonly Deployment[]
  /** Whether the list was read to its end. */
  complete: boolean
  /** How many entries may have the name but couldn't be read. */
  unreadable: number
  /** When the list was read (ISO 8601). */
  at: string
}

/** What else the journal knows of an attempt's name at its service. */
export interface Others {
  /** Identifiers of deployments that other attempts created. */
  taken: ReadonlySet<string>
  /** Whether another attempt at the name is running or unconfirmed, so that a deployment may be its. */
  hasRival: boolean
}

/** How much older than an attempt a deployment may be: the clocks of two machines differ. */
const olderMs = 300_000

/**
 * Decides whether a lookup found what an attempt created (promise 4 in .github/SECURITY.md): exactly one deployment has
 * the name, it was created not more than five minutes before the attempt, and it has the configuration that was sent.
 * Everything else is for the operator to decide, who sees what is there.
 */
export function matchAttempt(
  attempt: Pick<StoredCreation, 'name' | 'startedAt' | 'sent'>,
  seen: Seen,
  { taken, hasRival }: Others,
): Lookup {
  const free = seen.deployments.filter(({ id }) => !taken.has(id))
  const judged = free
    .filter(({ name }) => name === attempt.name)
    .map((deployment) => judge(attempt, deployment))
    .sort((one, other) => one.differences.length - other.differences.length)
  const [best, ...rest] = judged
  const doubt = !seen.complete ? 'incomplete' : seen.unreadable > 0 ? 'unreadable' : null
  const open: Lookup = {
    at: seen.at,
    verdict: 'cannot-tell',
    deployment: null,
    differences: [],
    reason: doubt,
  }
  if (!best) {
    const [alike] = free
    if (alike) return { ...open, deployment: { ...shown(alike), name: alike.name }, reason: 'alike' }
    if (doubt) return open
    const isTaken = seen.deployments.some(({ name }) => name === attempt.name)
    return { ...open, verdict: 'not-found', reason: isTaken ? 'taken' : null }
  }
  const { deployment, differences } = best
  if (rest.length > 0) {
    return {
      ...open,
      deployment,
      others: rest.slice(0, maxFound - 1).map((one) => one.deployment),
      count: judged.length,
      differences: [...new Set(judged.flatMap((one) => one.differences))],
      reason: hasRival ? 'several' : 'repeated',
    }
  }
  if (differences.length > 0) return { ...open, verdict: 'different', deployment, differences, reason: null }
  const reason = best.reason ?? (hasRival ? 'several' : doubt)
  return reason ? { ...open, deployment, reason } : { ...open, verdict: 'found', deployment }
}

/** A deployment with an attempt's name, and what tells it from what the attempt sent. */
interface Judged {
  deployment: FoundDeployment
  differences: string[]
  /** What is missing to compare it; null if nothing is. */
  reason: 'no-time' | 'not-kept' | null
}

function judge({ startedAt, sent }: Parameters<typeof matchAttempt>[0], deployment: Deployment): Judged {
  const createdAt = readTime(deployment.created_at)
  const isOlder = createdAt !== null && createdAt < Date.parse(startedAt) - olderMs
  return {
    deployment: shown(deployment),
    differences: [...(isOlder ? ['created_at'] : []), ...(sent ? compare(sent, deployment).differences : [])],
    reason: sent === null ? 'not-kept' : createdAt === null ? 'no-time' : null,
  }
}

const shown = ({ id, created_at, status }: Deployment): FoundDeployment => ({
  id,
  createdAt: created_at,
  status,
})
