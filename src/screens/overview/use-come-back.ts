import { type MaybeRefOrGetter, onBeforeUnmount, onMounted, type Ref, toValue, watch } from 'vue'
import { moreRows } from '@/components/table/more-rows'
import { controlsOf } from '@/components/table/use-row-keys'
import { cameBack } from '@/composables/came-back'
import { useOverviewStore } from '@/stores/overview/overview'

/** A table that draws its first rows only. */
interface LongTable {
  /** Its rows, each with what its `data-key` is. */
  rows: MaybeRefOrGetter<readonly { key: string }[]>
  /** How many of them are drawn. */
  max: Ref<number>
}

/**
 * Returns the focus to the row from which the operator opened a deployment, once that row has been read again, also if
 * it is beyond the rows that are drawn at first. Gives up as soon as the operator moves the focus.
 *
 * @param root the element around the tables
 */
export function useComeBack(root: Readonly<Ref<HTMLElement | null>>, tables: readonly LongTable[]): void {
  const overview = useOverviewStore()
  let wanted = cameBack() ? overview.left : null

  let focused: HTMLElement | null = null

  function comeBack(): void {
    if (wanted === null || !root.value) return
    const { key, control } = wanted
    const row = [...root.value.querySelectorAll<HTMLElement>('tr[data-key]')].find(
      ({ dataset }) => dataset.key === key,
    )
    if (!row) draw(key)
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

  /** Has a row drawn with those before it, as the button below the table does. */
  function draw(key: string): void {
    for (const { rows, max } of tables) {
      const index = toValue(rows).findIndex((row) => row.key === key)
      if (index >= max.value) max.value = Math.ceil((index + 1) / moreRows) * moreRows
    }
  }

  onMounted(comeBack)
  watch(() => tables.map(({ rows, max }) => [toValue(rows), max.value]), comeBack, { flush: 'post' })
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
