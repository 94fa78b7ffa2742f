import { onScopeDispose, ref, type Ref, watch } from 'vue'
import { whenIdle } from '@/composables/idle'

/** How many rows are drawn at once: more than fit in a window. */
const atOnce = 25

/** How many rows each idle moment adds, few enough not to delay a keystroke, and how long to wait for one (ms). */
const step = 10
const timeoutMs = 100

/**
 * How many rows of a list may be drawn now. A long list appears with its first rows and gets the others in idle
 * moments, so that a form with hundreds of rows opens quickly. There is always room for a few more, so that a row that
 * is added to a drawn list appears at once.
 */
export function useGradualRows(total: () => number): {
  max: Readonly<Ref<number>>
  /** Draws all current rows, with room for one more, so that a row can be added at the end. */
  drawAll: () => void
} {
  const max = ref(atOnce)
  let callOff: (() => void) | null = null

  function grow(): void {
    if (callOff !== null || max.value >= total() + step) return
    callOff = whenIdle(() => {
      callOff = null
      max.value += step
      grow()
    }, timeoutMs)
  }

  watch(total, grow, { immediate: true })
  onScopeDispose(() => callOff?.())
  return {
    max,
    drawAll() {
      max.value = Math.max(max.value, total() + 1)
    },
  }
}
