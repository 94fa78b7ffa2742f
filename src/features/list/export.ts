import type { Failure } from '@contract'
import type { ExportFormat, ExportProgress, ExportResult } from '@contract/cache'
import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import { call, on } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useChoicesStore } from '@/app/stores/choices'
import { useDeploymentsStore } from './deployments'

/** The dialog that exports the list as it is filtered now, live or cached. */
export const useExportStore = defineStore('export', () => {
  const app = useAppStore()
  const list = useDeploymentsStore()
  const choices = useChoicesStore()

  const shown = ref(false)
  const format = ref<ExportFormat>('csv')
  const failure = shallowRef<Failure | null>(null)
  const progress = shallowRef<ExportProgress | null>(null)
  /** The last export since the dialog was opened. */
  const result = shallowRef<ExportResult | null>(null)
  const running = shallowRef<AbortController | null>(null)

  function open(): void {
    failure.value = null
    result.value = null
    shown.value = true
  }

  /** Exports the list; gives whether a file was saved. */
  async function start(): Promise<boolean> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || running.value) return false
    const controller = new AbortController()
    running.value = controller
    failure.value = null
    result.value = null
    const request = { list: list.exported(), format: format.value, separator: choices.csvSeparator }
    // If it was cancelled at the last moment, it may have replaced the file.
    const options = { signal: controller.signal, waitForAnswer: true }
    const outcome = await call('deployments.export', { environmentId, request }, options)
    // Another environment is shown by now, maybe with an export of its own.
    if (running.value !== controller) return false
    running.value = null
    progress.value = null
    if (!outcome.ok) {
      failure.value = outcome.failure.code === 'cancelled' ? null : outcome.failure
      return false
    }
    if (outcome.value.path === null) return false
    result.value = outcome.value
    return true
  }

  const cancel = (): void => running.value?.abort()

  /** Shows the saved file in its folder. */
  async function showFile(): Promise<void> {
    const outcome = await call('deployments.showExport', {})
    failure.value = outcome.ok ? null : outcome.failure
  }

  on('export.progress', (now) => {
    if (running.value && now.environmentId === app.currentEnvironmentId) progress.value = now
  })

  // A file of another environment's deployments must not be taken for one of this environment's.
  watch(
    () => app.accountKey,
    () => {
      cancel()
      running.value = null
      progress.value = null
      shown.value = false
    },
    { flush: 'sync' },
  )

  return { shown, format, failure, progress, result, running, open, start, cancel, showFile }
})
