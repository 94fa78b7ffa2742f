import { onBeforeUnmount, onMounted, type Ref, watch } from 'vue'
import { controlsOf } from '@/components/table/use-row-keys'
import { cameBack } from '@/composables/came-back'
import { useOverviewStore } from '@/stores/overview/overview'

/**
 * Returns the focus to the row from which the operator opened a deployment, once that row has been read again. Gives
 * up as soon as the operator moves the focus.
 *
 * @param root the element around the tables, whose rows have a `data-key`
 * @param rows what their rows depend on
 */
export function useComeBack(root: Readonly<Ref<HTMLElement | null>>, rows: () => unknown): void {
  const overview = useOverviewStore()
  let wanted = cameBack() ? overview.left : null

  let focused: HTMLElement | null = null

  function comeBack(): void {
    if (wanted === null || !root.value) return
    const { key, control } = wanted
    const row = [...root.value.querySelectorAll<HTMLElement>('tr[data-key]')].find(
      ({ dataset }) => dataset.key === key,
    )
    const controls = controlsOf(row)
    const target = controls[control] ?? controls[0]
    const { activeElement } = document
    // While the table is read again, the row disappears and the focus falls back to the body.
    const isOurs = activeElement === focused || activeElement?.matches('h1, body')
    if (!isOurs) wanted = null
    else if (target && target !== activeElement) {
      focused = target
      target.focus()
    }
  }

  onMounted(comeBack)
  watch(rows, comeBack, { flush: 'post' })
  const stop = (): void => {
    wanted = null
  }
  onMounted(() => {
    for (const event of ['keydown', 'pointerdown'] as const) {
      window.addEventListener(event, stop, { capture: true })
    }
  })
  onBeforeUnmount(() => {
    for (const event of ['keydown', 'pointerdown'] as const) {
      window.removeEventListener(event, stop, { capture: true })
    }
    const control = document.activeElement
    const row = control?.closest<HTMLElement>('tr[data-key]')
    const key = row?.dataset.key
    overview.left =
      key === undefined ? null : { key, control: controlsOf(row).indexOf(control as HTMLElement) }
  })
}
