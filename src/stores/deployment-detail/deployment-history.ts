import type { Failure } from '@contract'
import type { DeploymentHistory } from '@contract/cache'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call } from '@/api'
import { useAppStore } from '@/stores/application/app'
import { createLatestCall } from '@/stores/application/latest-call'

/** How many points are read at a time. */
const pointsAtATime = 20

/** The cached history of the open deployment. */
export const useDeploymentHistoryStore = defineStore('deployment-history', () => {
  const app = useAppStore()
  const history = shallowRef<DeploymentHistory | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()
  /** The deployment whose history is read, with its environment. */
  let of = ''

  /** Reads the newest points of a deployment. If the shown points are of the same deployment, they stay until then. */
  async function load(id: string): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return
    const key = `${environmentId} ${id}`
    if (key !== of) history.value = failure.value = null
    of = key
    const shown = new Set(history.value?.entries.map(({ point }) => point)).size
    // What "Show older" has added stays, up to the limit of an answer.
    const limit = Math.min(Math.max(pointsAtATime, shown), 200)
    await read(environmentId, id, null, limit)
  }

  /** Reads the points before the shown ones. */
  async function loadOlder(id: string): Promise<void> {
    const before = history.value?.entries.at(-1)?.point
    if (history.value && before !== undefined) {
      await read(history.value.environmentId, id, before, pointsAtATime)
    }
  }

  async function read(
    environmentId: string,
    id: string,
    before: number | null,
    limit: number,
  ): Promise<void> {
    const request = { id, before, limit }
    const outcome = await latest.make(
      (signal) => call('history.deployment', { environmentId, request }, { signal, quiet: true }),
      { quiet: before === null },
    )
    if (!outcome) return
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) return
    const newer = before === null ? null : history.value
    history.value = newer
      ? {
          ...outcome.value,
          entries: [...newer.entries, ...outcome.value.entries],
          observed: [...outcome.value.observed, ...newer.observed],
        }
      : outcome.value
  }

  return { history, failure, loading: latest.loading, load, loadOlder }
})
