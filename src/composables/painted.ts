import { onScopeDispose, readonly, ref, type Ref, watch } from 'vue'
import { whenIdle } from './idle'

/** A hidden window isn't painted: what waits for a paint goes on after this time, in milliseconds. */
const timeoutMs = 500

/** Runs `work` in the first idle moment after the next frame; gives a function that cancels it. */
export function afterPaint(work: () => void): () => void {
  let cancelIdle: (() => void) | null = null
  const run = (): void => {
    cancel()
    work()
  }
  const frame = requestAnimationFrame(() => {
    cancelIdle = whenIdle(run, timeoutMs)
  })
  const timer = setTimeout(run, timeoutMs)
  function cancel(): void {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    cancelIdle?.()
  }
  return cancel
}

/** Becomes true when something was first painted. `isDrawn` says whether it is in the page. */
export function usePainted(isDrawn: () => boolean): Readonly<Ref<boolean>> {
  const isPainted = ref(false)
  let cancel: (() => void) | null = null
  watch(
    isDrawn,
    (now) => {
      if (now) cancel ??= afterPaint(() => (isPainted.value = true))
    },
    { immediate: true },
  )
  onScopeDispose(() => cancel?.())
  return readonly(isPainted)
}
