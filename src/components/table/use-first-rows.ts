import { computed, ref, type Ref, watch } from 'vue'
import { usePainted } from '@/composables/painted'

/**
 * Draws the rows of a table that fit into its scroller first, and the others once these are painted, so that the first
 * rows appear sooner. For tables that draw all of their rows.
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
      // Rows that exist from the beginning are rendered before their scroller.
      const height = scroller.value?.clientHeight || window.innerHeight
      fitting.value = Math.ceil(height / rowHeight())
    },
    { immediate: true },
  )
  return computed(() => (isPainted.value ? total() : Math.min(total(), fitting.value)))
}
