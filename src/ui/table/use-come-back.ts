import { onBeforeUnmount, onMounted, type Ref, watch } from 'vue'
import { useWindowEvent } from '@/app/window'
import { cameBack } from '@/app/came-back'
import { isFocusFree } from '@/app/focus'
import type { LeftRow } from './list-position'
import { controlsOf } from './use-row-keys'

interface Options {
  /** The element around the rows, which have a `data-key`. */
  root: Readonly<Ref<HTMLElement | null>>
  /** What the rows depend on. */
  rows: () => unknown
  /** Has a row drawn that is beyond those drawn at first, if the table has it. */
  draw?: (key: string) => void
  /** The row that was left, as `onLeave` received it; null for none. */
  left: LeftRow | null
  /** Receives the row that has the focus when the table is left; null for none. */
  onLeave: (row: LeftRow | null) => void
}

/**
 * Returns the focus to the row from which the operator left, when they go back, and once the row has been read again.
 * Gives up as soon as the operator moves the focus.
 */
export function useComeBack({ root, rows, draw, left, onLeave }: Options): void {
  let wanted = cameBack() ? left : null
  let focused: HTMLElement | null = null
  /** Whether the row was missing when it was last looked for. Then the table has given its focus to another one. */
  let wasMissing = false

  function comeBack(): void {
    if (wanted === null || !root.value) return
    const { key, control } = wanted
    const row = [...root.value.querySelectorAll<HTMLElement>('tr[data-key]')].find(
      ({ dataset }) => dataset.key === key,
    )
    if (!row) draw?.(key)
    const controls = controlsOf(row)
    const target = controls[control] ?? controls[0]
    const { activeElement } = document
    const isOurs =
      activeElement === focused ||
      isFocusFree(activeElement) ||
      (wasMissing && root.value.contains(activeElement))
    wasMissing = !target
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
  useWindowEvent('keydown', stop, { capture: true })
  useWindowEvent('pointerdown', stop, { capture: true })
  onBeforeUnmount(() => {
    const control = document.activeElement
    const row = root.value?.contains(control) ? control?.closest<HTMLElement>('tr[data-key]') : null
    const key = row?.dataset.key
    onLeave(key === undefined ? null : { key, control: controlsOf(row).indexOf(control as HTMLElement) })
  })
}
