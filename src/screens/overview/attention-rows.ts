import type { Environment, JournalEntry } from '@contract'
import { deploymentAttention, overdueSince } from '@domain/attention'
import type { EnvironmentOverview } from '@/stores/overview'
import type { FailedRevision } from '@contract/life/revisions'
import { type AttentionReason, deploymentReasonLabel, failedReason } from './labels'
import { sandboxesLast } from './sandboxes-last'

/** Something that needs attention. Times are in ISO 8601. */
export interface AttentionRow {
  /** Among those of all tables of the Overview. */
  key: string
  environment: Pick<Environment, 'id' | 'name' | 'profile'>
  reason: AttentionReason
  /** Whether it is a deployment whose latest revision failed. */
  isFailed: boolean
  /** The deployment's or creation's name; null for a cache. */
  name: string | null
  deploymentId: string | null
  /** Null if that isn't known. */
  since: string | null
  /** When it was last seen in this state; null if it still is. */
  seenAt: string | null
}

interface Known {
  environments: readonly Environment[]
  overviews: ReadonlyMap<string, EnvironmentOverview>
  entries: readonly JournalEntry[]
  stuckMinutes: number
  /** Milliseconds since 1970. */
  now: number
  /** The latest revision of a deployment, if it is known to have failed. */
  failed: (environmentId: string, deployment: Unsettled) => FailedRevision | null
}

type Unsettled = Cached['unsettled']['deployments'][number]

/**
 * What needs attention in any environment: the latest failures, then what has needed it longest, and caches last. Sample
 * data comes after all of the operator's own.
 */
export function attentionRows({
  environments,
  overviews,
  entries,
  stuckMinutes,
  now,
  failed,
}: Known): AttentionRow[] {
  const found = environments.flatMap((environment) => {
    const content = overviews.get(environment.id)?.content
    return content?.state === 'cached' ? deploymentRows(environment, content, stuckMinutes, failed) : []
  })
  const unconfirmed = entries.flatMap((entry) => creationRow(entry, environments))
  const caches = environments.flatMap((environment) => {
    const content = overviews.get(environment.id)?.content
    return content?.state === 'cached' ? cacheRow(environment, content, now) : []
  })
  const under = found.filter(({ isFailed }) => !isFailed)
  const rows = [
    ...inOrder(found.filter(({ isFailed }) => isFailed)).reverse(),
    ...inOrder([...under, ...unconfirmed]),
    ...inOrder(caches),
  ]
  return sandboxesLast(rows, environments, ({ environment }) => environment.id)
}

type Cached = Extract<EnvironmentOverview['content'], { state: 'cached' }>

const deploymentRows = (
  environment: Environment,
  { unsettled }: Cached,
  stuckMinutes: number,
  failed: Known['failed'],
): AttentionRow[] =>
  unsettled.deployments.flatMap((deployment) => {
    const { id, name, status } = deployment
    const revision = failed(environment.id, deployment)
    const attention = revision
      ? { since: revision.at, seenAt: null }
      : deploymentAttention(deployment, stuckMinutes)
    if (!attention) return []
    const { since, seenAt } = attention
    const reason =
      'reason' in attention ? deploymentReasonLabel(attention.reason, status) : failedReason(revision!)
    return [
      {
        key: `deployment ${environment.id} ${id}`,
        environment,
        reason,
        isFailed: revision !== null,
        name,
        deploymentId: id,
        since,
        seenAt,
      },
    ]
  })

function creationRow(entry: JournalEntry, environments: readonly Environment[]): AttentionRow[] {
  if (entry.kind !== 'creation' || entry.state !== 'unclear') return []
  const { id, environmentId, environmentName, name, startedAt } = entry
  const environment = environments.find((one) => one.id === environmentId) ?? {
    id: environmentId,
    name: environmentName,
    profile: null,
  }
  const reason = { label: 'Unconfirmed creation', tone: 'warning' } as const
  return [
    {
      key: `creation ${id}`,
      environment,
      reason,
      isFailed: false,
      name,
      deploymentId: null,
      since: startedAt,
      seenAt: null,
    },
  ]
}

function cacheRow(environment: Environment, { cache, intervalMinutes }: Cached, now: number): AttentionRow[] {
  const since = overdueSince(cache.synchronisedAt, intervalMinutes, now)
  if (since === null) return []
  const key = `cache ${environment.id}`
  const reason = { label: 'Cache older than its interval allows', tone: 'neutral' } as const
  return [{ key, environment, reason, isFailed: false, name: null, deploymentId: null, since, seenAt: null }]
}

/** For sorting: an unknown time comes first. */
const inOrder = (rows: AttentionRow[]): AttentionRow[] =>
  rows.sort((one, other) => moment(one.since) - moment(other.since))

const moment = (since: string | null): number => (since === null ? 0 : Date.parse(since) || 0)
