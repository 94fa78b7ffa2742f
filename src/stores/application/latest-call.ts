import type { Outcome } from '@contract'
import { ref, type Ref } from 'vue'

/** Calls where only the latest counts. */
export interface LatestCall {
  /** Whether a call is running that isn't quiet. */
  loading: Ref<boolean>
  /**
   * Makes a call, and cancels the one before. Gives undefined if it was cancelled, or another call was made meanwhile.
   */
  make: <T>(
    call: (signal: AbortSignal) => Promise<Outcome<T>>,
    options?: { quiet?: boolean },
  ) => Promise<Outcome<T> | undefined>
  /** Cancels the running call. */
  cancel: () => void
}

export function createLatestCall(): LatestCall {
  const loading = ref(false)
  let current: AbortController | null = null

  function cancel(): void {
    const before = current
    current = null
    loading.value = false
    before?.abort()
  }

  return {
    loading,
    cancel,
    async make(call, { quiet = false } = {}) {
      cancel()
      const controller = new AbortController()
      current = controller
      loading.value = !quiet
      const outcome = await call(controller.signal)
      if (current !== controller) return undefined
      current = null
      loading.value = false
      return outcome
    },
  }
}
