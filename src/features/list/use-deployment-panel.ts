import { nextTick, type Ref, watch } from 'vue'
import { isModified } from '@/ui/table/use-row-keys'
import { useCommand } from '@/app/stores/commands'
import { useDeploymentPanelStore } from './deployment-panel'

/** The deployment of the row that contains an element; null outside the rows. */
const deploymentOf = (target: EventTarget | null): string | null =>
  target instanceof Element
    ? (target.closest('tbody tr')?.querySelector<HTMLElement>('.favourite-icon')?.dataset.id ?? null)
    : null

/**
 * Connects the list and the panel beside it. Enter on a row shows it in the panel, which then follows the focus
 * through the rows. Enter on the row that is shown opens its page. F6 moves the focus between list and panel, and
 * Escape closes the panel. In a narrow window there is no panel, and Enter opens the page.
 *
 * @param root the element around both
 */
export function useDeploymentPanel(root: Readonly<Ref<HTMLElement | null>>) {
  const panel = useDeploymentPanelStore()

  /** For the capture phase: otherwise, Escape would also clear the selection, which takes more work to restore. */
  function onKeydown(event: KeyboardEvent): void {
    if (isModified(event)) return
    // In a field, Escape belongs to the input.
    const isTyped = event.target instanceof HTMLTextAreaElement
    if (event.key === 'Escape' && !isTyped && (panel.isShown || event.repeat)) {
      // Held down, it closes only what it closed first.
      if (!event.repeat) panel.close()
    } else if (event.key !== 'Enter' || !showsRow(event)) return
    event.preventDefault()
    event.stopPropagation()
  }

  /**
   * Shows a row on Enter. Returns whether it handled the key: otherwise Enter opens the page, as a click does.
   */
  function showsRow({ target, repeat }: KeyboardEvent): boolean {
    const isOfRow = target instanceof Element && target.matches('tbody :is(.name-link, .table-check)')
    const id = isOfRow && panel.isWide ? deploymentOf(target) : null
    if (id === null) return false
    // A repeat of a key that is held down must not open the page.
    if (repeat) return true
    if (panel.isShown && panel.id === id) return false
    panel.show(id)
    return true
  }

  function onFocusin({ target }: FocusEvent): void {
    const id = panel.isOpen ? deploymentOf(target) : null
    if (id !== null) panel.show(id)
  }

  const shownRow = (): Element | null => root.value?.querySelector('tbody tr[aria-current="true"]') ?? null

  /** Shows a deployment of the list, and its row. The focus stays in the panel. */
  async function goTo(id: string): Promise<void> {
    panel.show(id)
    await nextTick()
    shownRow()?.scrollIntoView({ block: 'nearest' })
  }

  const hasFocus = (): boolean =>
    root.value?.querySelector('aside')?.contains(document.activeElement) ?? false

  /** Moves the focus to the row that is shown; to the table if it isn't in the list. */
  function focusRow(): void {
    const link = shownRow()?.querySelector<HTMLElement>('.name-link')
    const target = link ?? root.value?.querySelector<HTMLElement>('.table-scroll')
    target?.focus({ preventScroll: true })
    link?.closest('tr')?.scrollIntoView({ block: 'nearest' })
  }

  useCommand(
    'switch-pane',
    () => {
      if (hasFocus()) focusRow()
      else root.value?.querySelector<HTMLElement>('.panel-content')?.focus({ preventScroll: true })
    },
    () => panel.isShown,
  )

  // Before the panel disappears, because a focus inside it would be lost.
  watch(
    () => panel.isShown,
    (isShown) => {
      if (!isShown && hasFocus()) focusRow()
    },
  )

  return { onKeydown, onFocusin, goTo }
}
