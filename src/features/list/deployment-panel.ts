import type { ListRows } from '@/ui/table/table'
import { orUnnamed, shownText } from '@contract/core/text'
import { panelWidths, widthWithin } from '@contract/ipc/screens'
import { ChevronLeft, ChevronRight } from '@lucide/vue'
import { defineStore } from 'pinia'
import { useMediaQuery } from '@vueuse/core'
import { computed, type FunctionalComponent, h, nextTick, ref, type Ref, watch } from 'vue'
import { announce } from '@/app/window'
import { useAppStore } from '@/app/stores/app'
import { useChoicesStore } from '@/app/stores/choices'
import { useDeploymentsStore, type ListedRow } from './deployments'
import { isModified } from '@/ui/table/row-focus'
import { IconButton } from '@/ui/widgets/elements'
import { rowAt } from './row-selection'
import { useCommand } from '@/app/commands'

/** The row of a deployment in the list and those around it. Null at its ends, and where the list isn't loaded. */
export interface Neighbours {
  own: ListedRow | null
  previous: ListedRow | null
  next: ListedRow | null
}

/** The neighbours of a deployment in the list, as far as that is read. */
export function neighboursOf(id: string, rows: ListRows<ListedRow>): Neighbours {
  const index = rows.findIndex((row) => row?.id === id)
  const [own, previous, next] = index < 0 ? [] : [rows[index], rows[index - 1], rows[index + 1]]
  return { own: own ?? null, previous: previous ?? null, next: next ?? null }
}

type NeighbourEvents = { go: [to: ListedRow, event: MouseEvent] }

/** Buttons to the previous and the next deployment in the list, beside a deployment that is shown. */
export const NeighbourButtons: FunctionalComponent<{ neighbours: Neighbours }, NeighbourEvents> = (
  { neighbours: { previous, next } },
  { attrs, emit },
) =>
  [
    { label: 'Previous deployment', icon: ChevronLeft, row: previous },
    { label: 'Next deployment', icon: ChevronRight, row: next },
  ].map(({ label, icon, row }) =>
    h(IconButton, {
      ...attrs,
      key: label,
      icon,
      'aria-label': label,
      title: row ? shownText(orUnnamed(row.name)) : undefined,
      disabled: !row,
      onClick: (event: MouseEvent) => row && emit('go', row, event),
    }),
  )

NeighbourButtons.props = ['neighbours']
NeighbourButtons.emits = ['go']
NeighbourButtons.inheritAttrs = false

/** The narrowest window, in pixels, where a panel leaves the list enough room to be read. */
const minWindowWidth = 1_100

/** The panel beside the list: its deployment, and the list's data of that. */
export const useDeploymentPanelStore = defineStore('deployment-panel', () => {
  const app = useAppStore()
  const choices = useChoicesStore()
  const list = useDeploymentsStore()

  /** Whether the window has room for a panel. */
  const isWide = useMediaQuery(`(min-width: ${minWindowWidth}px)`)
  /** Whether the panel shows each row that gets the focus. */
  const isOpen = computed(() => choices.panel.isOpen && isWide.value)
  const width = computed(() => choices.panel.width)
  /** The deployment; null until one is chosen. */
  const id = ref<string | null>(null)
  /** An open panel without a deployment, as after a start, takes no room from the list. */
  const isShown = computed(() => isOpen.value && id.value !== null)
  const neighbours = computed(() => neighboursOf(id.value ?? '', list.rows))
  /** The list's last data of it. That stays when the list shows another page. */
  const row = computed<ListedRow | null>(
    (before) => neighbours.value.own ?? (before?.id === id.value ? before : null),
  )
  /** When the service answered with the row (ISO 8601); null unless the live list shows it now. */
  const rowReadAt = computed(() =>
    neighbours.value.own && !list.isCached ? (list.live.page?.fetchedAt ?? null) : null,
  )

  /** Shows a deployment, and opens the panel. */
  function show(deploymentId: string): void {
    id.value = deploymentId
    if (choices.panel.isOpen) return
    choices.setIn('panel', { isOpen: true })
    announce('Shown in the panel. Enter opens the page, Escape closes the panel.')
  }

  function close(): void {
    choices.setIn('panel', { isOpen: false })
    announce('Panel closed.')
  }

  /** Sets the width in pixels, within its limits. */
  function setWidth(pixels: number): void {
    choices.setIn('panel', { width: widthWithin(panelWidths, pixels) })
  }

  watch(
    () => app.accountKey,
    () => (id.value = null),
    { flush: 'sync' },
  )

  return { id, isWide, isOpen, isShown, width, neighbours, row, rowReadAt, show, close, setWidth }
})

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
    const id = isOfRow && panel.isWide ? rowAt(target)?.row.id : undefined
    if (id === undefined) return false
    // A repeat of a key that is held down must not open the page.
    if (repeat) return true
    if (panel.isShown && panel.id === id) return false
    panel.show(id)
    return true
  }

  function onFocusin({ target }: FocusEvent): void {
    const found = panel.isOpen ? rowAt(target) : null
    if (found) panel.show(found.row.id)
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
