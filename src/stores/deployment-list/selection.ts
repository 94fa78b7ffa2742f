import type { DeploymentSummary } from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import {
  addRows,
  beginAt,
  extendTo,
  nothingSelected,
  selectOnly,
  type Selection,
  toggleRow,
  updateRows,
} from '@/domain/list/selection'
import { useAppStore } from '@/stores/application/app'
import { useDeploymentsStore } from './deployments'

/**
 * The deployments of the current environment that are selected, by their identifiers. A selection outlasts a re-read,
 * another page, other filters and an opened deployment: names can be gathered from several pages, and what changes
 * deployments lists them all before it is sent. A plain click starts over.
 */
export const useSelectionStore = defineStore('selection', () => {
  const app = useAppStore()
  const list = useDeploymentsStore()

  const selection = shallowRef<Selection<DeploymentSummary>>(nothingSelected)
  /** How many rows of the last range couldn't be selected, because they aren't loaded. */
  const leftOut = ref(0)

  const rows = computed<readonly DeploymentSummary[]>(() => [...selection.value.rows.values()])
  const count = computed(() => selection.value.rows.size)
  const anchor = computed(() => selection.value.anchor)
  const has = (id: string): boolean => selection.value.rows.has(id)

  function set(next: Selection<DeploymentSummary>, missing = 0): void {
    selection.value = next
    leftOut.value = missing
  }

  const only = (row: DeploymentSummary): void => set(selectOnly(row))
  const toggle = (row: DeploymentSummary): void => set(toggleRow(selection.value, row))
  const begin = (row: DeploymentSummary): void => set(beginAt(selection.value, row))
  /** Selects the rows from the anchor on; `missing` of them aren't loaded. */
  const extend = (range: readonly DeploymentSummary[], missing: number): void =>
    set(extendTo(selection.value, range), missing)
  const add = (more: readonly DeploymentSummary[], missing: number): void =>
    set(addRows(selection.value, more), missing)
  const clear = (): void => set(nothingSelected)

  watch(() => app.accountKey, clear, { flush: 'sync' })
  watch(
    () => list.page?.deployments,
    (now) => {
      if (now && count.value > 0) selection.value = updateRows(selection.value, now)
    },
  )

  return { rows, count, anchor, leftOut, has, only, toggle, begin, extend, add, clear }
})
