import type { CallOutput, Failure } from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call, on } from '@/api'
import { useAppStore } from './application/app'
import { createLatestCall } from './application/latest-call'
import { useChangesStore } from './changes'

export type StatusHistoryRead = CallOutput<'overview.statuses'>

/** How many deployments of one environment had each status over the period of the changes. */
export const useStatusHistoryStore = defineStore('overview-status-history', () => {
  const app = useAppStore()
  const changes = useChangesStore()
  const latest = createLatestCall()
  /** The operator's choice of environment; null for the current one. */
  const chosenId = ref<string | null>(null)
  const isOpen = ref(false)
  const read = shallowRef<{ key: string; value: StatusHistoryRead } | null>(null)
  const failure = shallowRef<Failure | null>(null)

  const environmentId = computed(() =>
    app.environments.some(({ id }) => id === chosenId.value) ? chosenId.value : app.currentEnvironmentId,
  )
  /** What to read: the environment, its account, and the start of the period. */
  const wanted = computed(() => {
    const id = environmentId.value
    return id === null ? null : { id, key: app.accountKeyOf(id), since: changes.since }
  })
  const keyOf = ({ key, since }: { key: string; since: string }): string => `${key} ${since}`
  /** The history of that environment and period, if it has been read. */
  const shown = computed(() =>
    wanted.value && read.value?.key === keyOf(wanted.value) ? read.value.value : null,
  )

  async function load(): Promise<void> {
    const requested = wanted.value
    if (!requested || !isOpen.value) return
    const { id, since } = requested
    const outcome = await latest.make((signal) =>
      call('overview.statuses', { environmentId: id, since }, { quiet: true, signal }),
    )
    if (!outcome) return
    failure.value = outcome.ok ? null : outcome.failure
    if (outcome.ok) read.value = { key: keyOf(requested), value: outcome.value }
  }

  function open(): void {
    isOpen.value = true
    void load()
  }

  function close(): void {
    isOpen.value = false
    latest.cancel()
  }

  watch(
    () => wanted.value && keyOf(wanted.value),
    () => void load(),
  )
  on('sync.changed', ({ environmentId: id, progress }) => {
    if (!progress && id === environmentId.value) void load()
  })

  return { chosenId, environmentId, since: computed(() => changes.since), shown, failure, load, open, close }
})
