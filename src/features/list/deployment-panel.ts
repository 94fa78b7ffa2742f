import type { RowList } from '@/ui/table/list-position'
import { panelWidths, widthWithin } from '@contract/ipc/screens'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { announce } from '@/app/announcer'
import { useMediaQuery } from '@/app/window'
import type { ListedRow } from './list'
import { useAppStore } from '@/app/stores/app'
import { useChoicesStore } from '@/app/stores/choices'
import { useDeploymentsStore } from './deployments'

/** The row of a deployment in the list and those around it. Null at its ends, and where the list isn't loaded. */
export interface Neighbours {
  own: ListedRow | null
  previous: ListedRow | null
  next: ListedRow | null
}

/** The neighbours of a deployment in the list, as far as that is read. */
export function neighboursOf(id: string, { total, at }: RowList<ListedRow>): Neighbours {
  for (let index = 0; index < total; index += 1) {
    const own = at(index)
    if (own?.id === id) return { own, previous: at(index - 1) ?? null, next: at(index + 1) ?? null }
  }
  return { own: null, previous: null, next: null }
}

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
  /** The list's last data of the deployment. It stays when the list shows another page. */
  const known = shallowRef<ListedRow | null>(null)

  const neighbours = computed(() => neighboursOf(id.value ?? '', list.rows))
  /** Its row. */
  const row = computed(() => neighbours.value.own ?? known.value)
  /** When the service answered with the row (ISO 8601); null unless the live list shows it now. */
  const rowReadAt = computed(() =>
    neighbours.value.own && !list.isCached ? (list.live.page?.fetchedAt ?? null) : null,
  )

  /** Shows a deployment, and opens the panel. */
  function show(deploymentId: string): void {
    if (deploymentId !== id.value) known.value = null
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
    choices.setIn('panel', { width: panelWidth(pixels) })
  }

  watch(
    () => neighbours.value.own,
    (own) => {
      if (own) known.value = own
    },
    { flush: 'sync' },
  )
  watch(
    () => app.accountKey,
    () => {
      id.value = null
      known.value = null
    },
    { flush: 'sync' },
  )

  return { id, isWide, isOpen, isShown, width, neighbours, row, rowReadAt, show, close, setWidth }
})

/** A width within the panel's limits, in whole pixels. */
const panelWidth = (pixels: number): number => widthWithin(panelWidths, pixels)
