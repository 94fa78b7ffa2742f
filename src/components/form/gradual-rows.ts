import { onScopeDispose, ref, type Ref, watch } from 'vue'
import { whenIdle } from '@/composables/idle'

/** How many rows are drawn with the list itself: more than a window shows of it. */
const atOnce = 25

/** How many are added in an idle moment, few enough to keep no key waiting, and how long one waits for it (ms). */
const step = 10
const timeoutMs = 100

/**
 * How many of a list's rows may be drawn now. A long list appears with its first rows and gets the others in idle
 * moments, so that a form with hundreds of them opens soon. There is always room for some more, so that a row that is
 * added to the end of a drawn list is there at once.
 */
export function useGradualRows(total: () => number): {
  most: Readonly<Ref<number>>
  /** Draws all there are now, and room for one more: for what goes to the end at once. */
  drawAll: () => void
} {
  const most = ref(atOnce)
  let callOff: (() => void) | null = null

  function grow(): void {
    if (callOff !== null || most.value >= total() + step) return
    callOff = whenIdle(() => {
      callOff = null
      most.value += step
      grow()
    }, timeoutMs)
  }

  watch(total, grow, { immediate: true })
  onScopeDispose(() => callOff?.())
  return {
    most,
    drawAll() {
      most.value = Math.max(most.value, total() + 1)
    },
  }
}
