import type { Failure, Outcome } from '@contract'
import { type Ref, ref, type ShallowRef, shallowRef, watch } from 'vue'

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

/** What is read for a key, why the last read failed, and whether one is running that isn't quiet. */
export interface Resource<T> {
  /** Null until it is read. It stays while it is read again, and if that fails. */
  value: ShallowRef<T | null>
  failure: ShallowRef<Failure | null>
  loading: Ref<boolean>
  /** Reads it, also again; nothing without a key. */
  load: (quiet?: boolean) => Promise<void>
  /**
   * Makes another call about it in place of the one that is running. Gives undefined if that fails, or no longer counts:
   * after a later call, a cancellation or a change of the key.
   */
  make: <R>(call: Reading<R>, quiet?: boolean) => Promise<R | undefined>
  cancel: () => void
  /** Cancels, and forgets what was read. A change of the key does so, too. */
  reset: () => void
}

/** Makes a call that the signal cancels. A quiet one shows no progress in the status line, either. */
export type Reading<T> = (signal: AbortSignal, quiet: boolean) => Promise<Outcome<T>>

/** Reads something for a key, such as the current environment with its account; null for nothing. */
export function useResource<T>(key: () => string | null, read: Reading<T>): Resource<T> {
  const value = shallowRef<T | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const { loading, make: makeLatest, cancel } = createLatestCall()

  async function make<R>(call: Reading<R>, quiet = false): Promise<R | undefined> {
    const outcome = await makeLatest((signal) => call(signal, quiet), { quiet })
    if (!outcome) return undefined
    // An environment that was edited meanwhile gets another key, and is read again for that.
    failure.value = outcome.ok || outcome.failure.code === 'environment-changed' ? null : outcome.failure
    return outcome.ok ? outcome.value : undefined
  }

  async function load(quiet = false): Promise<void> {
    if (key() === null) return
    const found = await make(read, quiet)
    if (found !== undefined) value.value = found
  }

  function reset(): void {
    cancel()
    value.value = failure.value = null
  }

  watch(key, reset, { flush: 'sync' })
  return { value, failure, loading, load, make, cancel, reset }
}
