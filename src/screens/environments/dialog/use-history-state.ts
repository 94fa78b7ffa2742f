import type { Failure } from '@contract'
import type { HistoryState } from '@contract/cache'
import { type ShallowRef, shallowRef, watch } from 'vue'
import { useEnvironmentsStore } from '@/stores/application/environments'

/** The size of the edited environment's history; null until it is read. */
export interface ReadHistory {
  state: Readonly<ShallowRef<HistoryState | null>>
  /** Why it couldn't be read. */
  failure: Readonly<ShallowRef<Failure | null>>
  load: () => Promise<void>
}

/**
 * The history of the environment that a dialog edits. It is read once, when a part of the dialog first needs it,
 * because that opens the environment's cache.
 *
 * @param neededOf gives the environment's identifier once a part of the dialog shows its history; null before
 */
export function useHistoryState(neededOf: () => string | null): ReadHistory {
  const store = useEnvironmentsStore()
  const state = shallowRef<HistoryState | null>(null)
  const failure = shallowRef<Failure | null>(null)

  async function load(): Promise<void> {
    const environmentId = neededOf()
    if (environmentId === null) return
    const outcome = await store.readHistory(environmentId)
    failure.value = outcome.ok ? null : outcome.failure
    if (outcome.ok) state.value = outcome.value
  }

  let wasNeeded = false
  watch(
    neededOf,
    (environmentId) => {
      if (environmentId === null || wasNeeded) return
      wasNeeded = true
      void load()
    },
    { immediate: true },
  )
  return { state, failure, load }
}
