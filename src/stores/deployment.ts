import type { DeploymentDetail, Failure } from '@contract'
import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import { call } from '@/api'
import { useAppStore } from './app'

/** How often an open deployment with an unsettled status is read again, in milliseconds. */
export const rereadMs = 3000

/** Statuses that soon change by themselves (interface: States). */
const unsettled = new Set(['AWAITING_DATABASE'])

/** The open deployment, with every field. */
export const useDeploymentStore = defineStore('deployment', () => {
  const app = useAppStore()
  const detail = shallowRef<DeploymentDetail | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  let id: string | null = null
  let current: AbortController | null = null
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
    const controller = new AbortController()
    current = controller
    loading.value = !quiet
    const outcome = await call('deployments.get', { environmentId, id }, { signal: controller.signal, quiet })
    if (current !== controller) return
    current = null
    loading.value = false
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
    if (!detail.value || !unsettled.has(detail.value.deployment.status)) return
    timer = setTimeout(() => {
      if (document.visibilityState === 'visible') void load(true)
      else rereadLater()
    }, rereadMs)
  }

  function stop(): void {
    clearTimeout(timer)
    const before = current
    current = null
    loading.value = false
    before?.abort()
  }

  watch(() => app.accountKey, close, { flush: 'sync' })

  return { detail, failure, loading, open, close, refresh }
})
