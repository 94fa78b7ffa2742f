import type { Deployment, DeploymentDetail, DeploymentSummary, Failure } from '@contract'
import { defineStore } from 'pinia'
import { ref, shallowReactive, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { createLatestCall } from '@/app/stores/resource'
import { summarise } from '@contract/deployment-api/reading/summarise'
import { runningSource } from '@/ui/format/deployment'
import { useDeploymentsStore, type ListedRow } from '@/features/list/deployments'
import { isRollingOut, statusesUnderWay } from '@contract/deployment-api/statuses'

/** The longest pause after failures, and the longest that a service can ask for, in milliseconds. */
const longestPauseMs = 300_000
const longestRequestedMs = 86_400_000

/**
 * How long to wait before the next refresh of the list, in milliseconds. Each failure doubles the pause, up to five
 * minutes. If the service asks for a longer pause, it gets it, up to a day.
 *
 * @param pauseMs the pause after a success
 * @param failures how many refreshes have failed since the last success
 * @param retryAfterSeconds the pause that the service asked for with the last failure; null if none
 */
export function pauseAfterMs(pauseMs: number, failures: number, retryAfterSeconds: number | null): number {
  if (failures === 0) return pauseMs
  const requestedMs = Math.min((retryAfterSeconds ?? 0) * 1_000, longestRequestedMs)
  return Math.max(Math.min(pauseMs * 2 ** failures, longestPauseMs), requestedMs)
}

/** How soon an open deployment is refreshed, in milliseconds: during its rollout, and after it. */
export const followMs = { rollingOut: 3_000, settled: 30_000 } as const

/** How long a rollout may go without a change before it counts as stuck, in milliseconds. */
const stuckMs = 600_000

type Followed = Pick<DeploymentSummary, 'status' | 'latest_revision_id' | 'active_revision_id'>

/**
 * How soon an open deployment is refreshed, in milliseconds. It counts as rolling out while its status is under way, too.
 *
 * @param unchangedMs how long it hasn't changed, in milliseconds
 */
function followAfterMs(deployment: Followed, unchangedMs: number): number {
  const isUnderWay = statusesUnderWay.includes(deployment.status) || isRollingOut(deployment)
  return isUnderWay && unchangedMs < stuckMs ? followMs.rollingOut : followMs.settled
}

/** How many re-reads fail before the page says so. The next one usually succeeds. */
const maxSilentFailures = 3

/**
 * Whether what is shown may be read again by itself: not while nobody sees it, the service is out of reach or refuses the
 * request headers, or text is selected.
 */
export function mayReread(): boolean {
  const state = useAppStore().connection?.state
  return (
    document.visibilityState === 'visible' &&
    state !== 'offline' &&
    state !== 'denied' &&
    document.getSelection()?.isCollapsed !== false
  )
}

/** The open deployment, with every field. */
export const useDeploymentStore = defineStore('deployment', () => {
  const app = useAppStore()
  const detail = shallowRef<DeploymentDetail | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()
  /** When the deployment was last read (ISO 8601). What is shown stays the same object while nothing changes. */
  const readAt = ref<string | null>(null)
  let changedAt = 0
  let failures = 0
  /** How long the service asked to wait with the last failure, in seconds. */
  let retryAfterSeconds: number | null = null
  /** The identifier of the open deployment, also while it is being read; null if none is open. */
  const id = ref<string | null>(null)
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Opens a deployment, and closes the one before at once. */
  async function open(deploymentId: string): Promise<void> {
    close()
    id.value = deploymentId
    await load(false)
  }

  /** Closes the deployment and stops reading it. */
  function close(): void {
    stop()
    id.value = null
    detail.value = null
    failure.value = null
    readAt.value = null
    failures = 0
  }

  const refresh = (): Promise<void> => load(false)

  async function load(quiet: boolean): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || id.value === null) return
    stop()
    const input = { environmentId, id: id.value }
    const outcome = await latest.make((signal) => call('deployments.get', input, { signal, quiet }), {
      quiet,
    })
    if (!outcome) return
    if (outcome.ok) {
      if (outcome.value.environmentId !== app.currentEnvironmentId) return
      take(outcome.value)
    } else {
      failures += 1
      retryAfterSeconds = outcome.failure.retryAfterSeconds
      if (!quiet || failures >= maxSilentFailures) {
        failure.value = outcome.failure.code === 'environment-changed' ? null : outcome.failure
      }
    }
    rereadLater()
  }

  function take(read: DeploymentDetail): void {
    failure.value = null
    failures = 0
    readAt.value = read.fetchedAt
    const before = detail.value
    const answer = answerOf(read)
    if (before && answer !== null && answer === answerOf(before) && before.json === read.json) return
    detail.value = read
    changedAt = Date.now()
  }

  function rereadLater(): void {
    if (!detail.value) return
    const pauseMs = followAfterMs(detail.value.deployment, Date.now() - changedAt)
    timer = setTimeout(
      () => {
        if (mayReread()) void load(true)
        else rereadLater()
      },
      pauseAfterMs(pauseMs, failures, retryAfterSeconds),
    )
  }

  function stop(): void {
    clearTimeout(timer)
    latest.cancel()
  }

  watch(() => app.accountKey, close, { flush: 'sync' })

  return { id, detail, failure, loading: latest.loading, readAt, open, close, refresh }
})

/** What the service answered: that it has the deployment, or doesn't; null if it is out of reach. */
function answerOf({ fromCache }: DeploymentDetail): 'there' | 'missing' | null {
  if (!fromCache) return 'there'
  return fromCache.missingAt === undefined ? null : 'missing'
}

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
    [() => opened.detail, () => opened.readAt],
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
