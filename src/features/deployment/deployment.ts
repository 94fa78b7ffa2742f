import type { DeploymentDetail, Failure } from '@contract'
import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { followAfterMs, pauseAfterMs } from '@/features/list/list'
import { useAppStore } from '@/app/stores/app'
import { createLatestCall } from '@/app/stores/resource'

/** How many re-reads fail before the page says so. The next one usually succeeds. */
const maxSilentFailures = 3

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

  /** Not while nobody sees it, the service is out of reach or refuses the request headers, or text is selected. */
  const mayReread = (): boolean =>
    document.visibilityState === 'visible' &&
    app.connection?.state !== 'offline' &&
    app.connection?.state !== 'denied' &&
    document.getSelection()?.isCollapsed !== false

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
