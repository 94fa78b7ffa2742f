import type { DeploymentSummary } from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { useAppStore } from '@/stores/application/app'
import { useDeploymentsStore } from './deployments'

/** A row that can be selected. Its identifier is the key. */
interface Selectable {
  id: string
}

/** The selected rows, and where a range continues. */
export interface Selection<Row extends Selectable> {
  /** By identifier, in the order they were selected. */
  rows: ReadonlyMap<string, Row>
  /** Where the range begins; null if there is none. */
  anchor: string | null
  /** What stays selected while the range grows or shrinks. */
  base: ReadonlyMap<string, Row>
}

export const nothingSelected: Selection<never> = {
  rows: new Map<string, never>(),
  anchor: null,
  base: new Map<string, never>(),
}

const withRows = <Row extends Selectable>(
  selected: ReadonlyMap<string, Row>,
  rows: readonly Row[],
): ReadonlyMap<string, Row> => new Map([...selected, ...rows.map((row) => [row.id, row] as const)])

const without = <Row>(selected: ReadonlyMap<string, Row>, id: string): ReadonlyMap<string, Row> =>
  new Map([...selected].filter(([other]) => other !== id))

/** Selects only this row, as a click does. */
export const selectOnly = <Row extends Selectable>(row: Row): Selection<Row> => ({
  rows: new Map([[row.id, row]]),
  anchor: row.id,
  base: new Map(),
})

/** Adds a row to the selection or removes it, as Ctrl+click does. */
export function toggleRow<Row extends Selectable>(selection: Selection<Row>, row: Row): Selection<Row> {
  if (!selection.rows.has(row.id)) return beginAt(selection, row)
  const others = without(selection.rows, row.id)
  return { rows: others, anchor: row.id, base: others }
}

/** Begins a range at a row, and selects the row. */
export function beginAt<Row extends Selectable>({ rows }: Selection<Row>, row: Row): Selection<Row> {
  return { rows: withRows(rows, [row]), anchor: row.id, base: without(rows, row.id) }
}

/**
 * Selects a range in place of the last one, as Shift with a click or an arrow key does. Rows that were selected one by
 * one stay selected.
 *
 * @param range the rows from the anchor to the last one, in any order
 */
export function extendTo<Row extends Selectable>(
  { anchor, base }: Selection<Row>,
  range: readonly Row[],
): Selection<Row> {
  return { rows: withRows(base, range), anchor, base }
}

/** Adds any rows to the selection. */
export function addRows<Row extends Selectable>(
  { rows, anchor }: Selection<Row>,
  more: readonly Row[],
): Selection<Row> {
  const all = withRows(rows, more)
  return { rows: all, anchor, base: all }
}

/** Replaces selected rows by their current content: a row may have changed since it was selected. */
function updateRows<Row extends Selectable>(
  { rows, anchor, base }: Selection<Row>,
  now: readonly Row[],
): Selection<Row> {
  const current = (selected: ReadonlyMap<string, Row>): ReadonlyMap<string, Row> => {
    const changed = now.filter((row) => selected.has(row.id))
    return changed.length > 0 ? withRows(selected, changed) : selected
  }
  return { rows: current(rows), anchor, base: current(base) }
}

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
