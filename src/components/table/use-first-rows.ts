import { computed, ref, type Ref, watch } from 'vue'
import { usePainted } from '@/composables/painted'

/**
 * Draws the rows of a table first that fit into its scroller, and the others once those are painted, so that they are
 * shown sooner. For tables that draw all of their rows.
 *
 * @param rowHeight the height of a row, in pixels
 * @returns how many rows are drawn
 */
export function useFirstRows(
  scroller: Readonly<Ref<HTMLElement | null>>,
  total: () => number,
  rowHeight: () => number,
): Readonly<Ref<number>> {
  const fitting = ref(0)
  const isPainted = usePainted(() => total() > 0)
  watch(
    () => total() > 0,
    (any) => {
      if (!any || isPainted.value) return
      // Rows that are there from the beginning come before their scroller.
      const height = scroller.value?.clientHeight || window.innerHeight
      fitting.value = Math.ceil(height / rowHeight())
    },
    { immediate: true },
  )
  return computed(() => (isPainted.value ? total() : Math.min(total(), fitting.value)))
}
