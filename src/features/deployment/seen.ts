import type { Deployment, DeploymentSummary } from '@contract'
import { summarise } from '@contract/deployment-api/reading/summarise'
import { defineStore } from 'pinia'
import { shallowReactive, watch } from 'vue'
import type { ListedRow } from '@/features/list/list'
import { runningSource } from '@/ui/format/revision'
import { useAppStore } from '@/app/stores/app'
import { useDeploymentsStore } from '@/features/list/deployments'
import { useDeploymentStore } from './deployment'

type RevisionMember = 'latest_revision_id' | 'active_revision_id'

/** A deployment as this session has seen it: when it was last read, and since when it has each revision (ISO 8601). */
type SeenDeployment = { lastAt: string } & Record<
  RevisionMember,
  { id: string | null; /** Null if no change to it was seen. */ since: string | null }
>

/** What a revision runs, and when a service last answered it as the latest one (ISO 8601). */
export interface SeenRevision {
  runs: string
  at: string
}

/** Beyond this, those that weren't read for the longest time are forgotten. */
const most = 5_000

/**
 * What this session has seen in the live list and on pages of deployments. A service answers only with a deployment's
 * present state, and says only of its latest revision what that runs.
 */
export const useSeenStore = defineStore('seen', () => {
  const app = useAppStore()
  const list = useDeploymentsStore()
  const opened = useDeploymentStore()
  const deployments = shallowReactive(new Map<string, SeenDeployment>())
  const revisions = shallowReactive(new Map<string, SeenRevision>())

  const keyOf = (id: string): string => `${app.accountKey} ${id}`
  const isCurrent = ({ environmentId }: { environmentId: string }): boolean =>
    environmentId === app.currentEnvironmentId

  /** @param at when the service answered with it (ISO 8601) */
  function note(read: DeploymentSummary, at: string): void {
    const runs = runningSource(read)?.full
    if (read.latest_revision_id && runs) remember(revisions, keyOf(read.latest_revision_id), { runs, at })
    const before = deployments.get(keyOf(read.id))
    // An answer from the cache may be older than a known change.
    if (before && Date.parse(at) < Date.parse(before.lastAt)) return
    const seen = (member: RevisionMember) => {
      const known = before?.[member]
      if (known?.id === read[member]) return known
      return { id: read[member], since: known ? at : null }
    }
    const now = {
      latest_revision_id: seen('latest_revision_id'),
      active_revision_id: seen('active_revision_id'),
    }
    remember(deployments, keyOf(read.id), { lastAt: at, ...now })
  }

  watch(
    () => list.live.page,
    (page) => {
      if (!page || !isCurrent(page)) return
      // A row may stay although the answer lacks its deployment.
      for (const row of page.deployments as ListedRow[]) if (!row.gone_at) note(row, page.fetchedAt)
    },
    { immediate: true },
  )
  watch(
    // What is read again and didn't change stays the same object, with a newer time.
    () => [opened.detail, opened.readAt] as const,
    ([detail, readAt]) => {
      if (detail && isCurrent(detail)) note(summarise(detail.deployment), readAt ?? detail.fetchedAt)
    },
    { immediate: true },
  )

  /** When a deployment was first seen with its present revision (ISO 8601); null if no change to it was seen. */
  function since(deployment: Pick<Deployment, 'id' | RevisionMember>, member: RevisionMember): string | null {
    const seen = deployments.get(keyOf(deployment.id))?.[member]
    return seen?.id === deployment[member] ? seen.since : null
  }

  /** What a revision runs; null if it wasn't seen. */
  const revision = (id: string | null): SeenRevision | null =>
    id === null ? null : (revisions.get(keyOf(id)) ?? null)

  return { since, revision }
})

function remember<Value>(among: Map<string, Value>, key: string, value: Value): void {
  among.delete(key)
  among.set(key, value)
  const [oldest] = among.keys()
  if (oldest !== undefined && among.size > most) among.delete(oldest)
}
