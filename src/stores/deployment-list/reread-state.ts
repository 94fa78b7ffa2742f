import type { Failure } from '@contract'
import { computed, ref, shallowRef } from 'vue'
import { pauseAfterMs } from '@/domain/list/reread'
import { useChoicesStore } from '@/stores/application/choices'

/** How long a changed row is marked, in milliseconds. */
const markedMs = 4_000

/**
 * The state that all re-reads of a list share. Changed rows are marked for a moment; a failure leaves the rows as they
 * are and lengthens the pause.
 */
export function createRereadState() {
  const choices = useChoicesStore()
  /** The rows that changed a moment ago. */
  const changed = shallowRef<ReadonlySet<string>>(new Set())
  /** Why the last re-read failed; null after a good one. */
  const failure = shallowRef<Failure | null>(null)
  /** How many re-reads have failed since the last good one. */
  const failures = ref(0)
  /** How long to wait before the next re-read, in milliseconds. */
  const pauseMs = computed(() =>
    pauseAfterMs(choices.refreshSeconds * 1_000, failures.value, failure.value?.retryAfterSeconds ?? null),
  )
  let unmark: ReturnType<typeof setTimeout> | undefined

  function mark(ids: Iterable<string>): void {
    clearTimeout(unmark)
    changed.value = new Set([...changed.value, ...ids])
    unmark = setTimeout(() => {
      changed.value = new Set()
    }, markedMs)
  }

  /** Notes why a re-read failed. A failure of another environment says nothing about this one. */
  function noteFailure(reason: Failure): void {
    if (reason.code === 'environment-changed') return
    failure.value = reason
    failures.value += 1
  }

  function forgetFailure(): void {
    failure.value = null
    failures.value = 0
  }

  /** Forgets the state of another environment. */
  function reset(): void {
    forgetFailure()
    changed.value = new Set()
  }

  return { changed, failure, pauseMs, mark, noteFailure, forgetFailure, reset }
}
