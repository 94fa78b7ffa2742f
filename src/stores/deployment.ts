import type { DeploymentDetail, Failure } from '@contract'
import { isUnsettled } from '@contract/deployment-api/statuses'
import { defineStore } from 'pinia'
import { shallowRef, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from './app'
import { createLatestCall } from './latest-call'

/** How often an open deployment with an unsettled status is read again, in milliseconds. */
export const rereadMs = 3000

/** The open deployment, with every field. */
export const useDeploymentStore = defineStore('deployment', () => {
  const app = useAppStore()
  const detail = shallowRef<DeploymentDetail | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()
  let id: string | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Opens a deployment, and closes the one before at once. */
  async function open(deploymentId: string): Promise<void> {
    close()
    id = deploymentId
    await load(false)
  }

  /** Closes the deployment and stops reading it. */
  function close(): void {
    stop()
    id = null
    detail.value = null
    failure.value = null
  }

  const refresh = (): Promise<void> => load(false)

  async function load(quiet: boolean): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || id === null) return
    stop()
    const input = { environmentId, id }
    const outcome = await latest.make((signal) => call('deployments.get', input, { signal, quiet }), {
      quiet,
    })
    if (!outcome) return
    if (outcome.ok) {
      if (outcome.value.environmentId !== app.currentEnvironmentId) return
      detail.value = outcome.value
      failure.value = null
    } else if (!quiet) {
      failure.value = outcome.failure.code === 'environment-changed' ? null : outcome.failure
    }
    rereadLater()
  }

  function rereadLater(): void {
    if (!detail.value || !isUnsettled(detail.value.deployment.status)) return
    timer = setTimeout(() => {
      if (document.visibilityState === 'visible') void load(true)
      else rereadLater()
    }, rereadMs)
  }

  function stop(): void {
    clearTimeout(timer)
    latest.cancel()
  }

  watch(() => app.accountKey, close, { flush: 'sync' })

  return { detail, failure, loading: latest.loading, open, close, refresh }
})
