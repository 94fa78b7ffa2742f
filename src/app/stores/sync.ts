import type { SyncState } from '@contract/cache'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { call, on } from '../api'
import { useAppStore } from './app'

/** The cache of the current environment and its synchronisation, as the main process reports them. */
export const useSyncStore = defineStore('sync', () => {
  const app = useAppStore()
  const state = shallowRef<SyncState | null>(null)
  /** Counts finished synchronisations: the cached list is read again after each. */
  const ended = shallowRef(0)

  const progress = computed(() => state.value?.progress ?? null)
  const cache = computed(() => state.value?.cache ?? null)
  const hasCache = computed(() => (cache.value?.deployments ?? 0) > 0)
  /** When the cache was last synchronised, or else last filled by an answer. */
  const asOf = computed(() => cache.value?.synchronisedAt ?? cache.value?.newestAt ?? null)

  function take(next: SyncState): void {
    if (next.environmentId !== app.currentEnvironmentId) return
    if (state.value?.progress && !next.progress) ended.value += 1
    state.value = next
  }

  const current = () => ({ environmentId: app.currentEnvironmentId! })

  async function load(): Promise<void> {
    if (app.currentEnvironmentId === null) return
    const outcome = await call('sync.state', current())
    if (outcome.ok) take(outcome.value)
  }

  const start = (): void => void call('sync.start', current())

  const cancel = (): void => void call('sync.cancel', current())

  async function setInterval(minutes: SyncState['intervalMinutes']): Promise<void> {
    await call('sync.interval', { ...current(), minutes })
    await load()
  }

  /** Removes deployments from the cache that the service no longer has. */
  async function cleanUp(): Promise<void> {
    await call('cache.cleanUp', current())
    ended.value += 1
  }

  on('sync.changed', take)
  watch(
    () => app.accountKey,
    () => {
      state.value = null
      void load()
    },
    { flush: 'sync', immediate: true },
  )

  return {
    state,
    ended,
    progress,
    cache,
    hasCache,
    asOf,
    load,
    start,
    cancel,
    setInterval,
    cleanUp,
  }
})
