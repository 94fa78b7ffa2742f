import type { EventName, EventPayload, Failure, Outcome } from '@contract'
import { on } from '../api'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'

/** Calls where only the latest counts. `loading` says whether one is running that isn't quiet. */
export function createLatestCall() {
  const loading = ref(false)
  let current: AbortController | null = null

  /** Cancels the running call. */
  function cancel(): void {
    const before = current
    current = null
    loading.value = false
    before?.abort()
  }

  /** Makes a call, and cancels the one before. Gives undefined if it was cancelled, or another one was made meanwhile. */
  async function make<T>(
    call: (signal: AbortSignal) => Promise<Outcome<T>>,
    { quiet = false } = {},
  ): Promise<Outcome<T> | undefined> {
    const [before, controller] = [current, new AbortController()]
    current = controller
    loading.value = !quiet
    before?.abort()
    const outcome = await call(controller.signal)
    if (current !== controller) return undefined
    current = null
    loading.value = false
    return outcome
  }

  return { loading, make, cancel }
}

/** Makes a call that the signal cancels. A quiet one shows no progress, in the status line or elsewhere. */
type Reading<T> = (signal: AbortSignal, quiet: boolean) => Promise<Outcome<T>>

/**
 * Something that is read for a key, such as the current environment with its account; null for nothing. `value` is null
 * until it is read. It stays while it is read again, and if that fails; `failure` says why the last read failed. A
 * component's is cancelled with it.
 */
export function useResource<T>(key: () => string | null, read: Reading<T>) {
  const value = shallowRef<T | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const { loading, make: makeLatest, cancel } = createLatestCall()

  /**
   * Makes another call about it in place of the one that is running. Gives undefined if that fails, or no longer counts:
   * after a later call, a cancellation or a change of the key.
   */
  async function make<R>(call: Reading<R>, quiet = false): Promise<R | undefined> {
    const outcome = await makeLatest((signal) => call(signal, quiet), { quiet })
    if (!outcome) return undefined
    // An environment that was edited meanwhile gets another key, and is read again for that.
    failure.value = outcome.ok || outcome.failure.code === 'environment-changed' ? null : outcome.failure
    return outcome.ok ? outcome.value : undefined
  }

  /** Reads it, also again; nothing without a key. */
  async function load(quiet = false): Promise<void> {
    if (key() === null) return
    const found = await make(read, quiet)
    if (found !== undefined) value.value = found
  }

  /** Cancels, and forgets what was read. A change of the key does so, too. */
  function reset(): void {
    cancel()
    value.value = failure.value = null
  }

  watch(key, reset, { flush: 'sync' })
  onScopeDispose(cancel, true)
  return { value, failure, loading, load, make, cancel, reset }
}

/**
 * A state that the main process sends with each change; null until the first one. `load` reads that, unless an event has
 * brought it by then.
 */
export function useFollowed<Name extends EventName>(
  event: Name,
  read: () => Promise<Outcome<EventPayload<Name>>>,
) {
  const state = shallowRef<EventPayload<Name> | null>(null)
  on(event, (now) => (state.value = now))

  async function load(): Promise<void> {
    const outcome = await read()
    if (outcome.ok) state.value ??= outcome.value
  }

  return { state, load }
}
