import type { DeploymentSummary } from '@contract'
import { defineStore } from 'pinia'
import { until, useEventListener } from '@vueuse/core'
import { computed, ref, shallowRef, watch, nextTick } from 'vue'
import { useAppStore } from '@/app/stores/app'
import { type ListedRow, useDeploymentsStore } from './deployments'
import { answerLimits } from '@contract/deployment-api/list'
import type { LifeOperation } from '@contract/life/offers'
import { operationOf } from '@contract/life/rules'
import { isDialogOpen, isFocusFree } from '@/app/window'
import { isModified } from '@/ui/table/row-focus'
import { latinKey } from '@/app/commands'

/** What can be copied of rows. */
export type CopiedMember = 'name' | 'id' | 'image_uri' | 'repo_url'

/** The words for one that is copied, and for several. */
export const copiedNouns: Record<CopiedMember, readonly [one: string, several: string]> = {
  name: ['name', 'names'],
  id: ['ID', 'IDs'],
  image_uri: ['image', 'images'],
  repo_url: ['repository', 'repositories'],
}

/** A row's text; null if there is none, or if the list has only the beginning of a long one. */
export function wholeText(row: DeploymentSummary, member: CopiedMember): string | null {
  const text = row[member]
  if (text === null || text === '') return null
  const { summaryTextLength: max, identifierLength } = answerLimits
  if (member === 'id') return text.length <= identifierLength ? text : null
  return text.length < max || (text.length === max && !text.endsWith('…')) ? text : null
}

/** The texts of several rows, in their order. Rows without the text are skipped. */
export const wholeTexts = (rows: readonly DeploymentSummary[], member: CopiedMember): string[] =>
  rows.flatMap((row) => wholeText(row, member) ?? [])

/** What can be done with several deployments at once, and how many they may be. */
export const manyTitles = { delete: 'Delete', redeploy: 'Redeploy', 'set-image': 'Set image' } as const
export const mostAtOnce = 100

export type ManyKind = keyof typeof manyTitles

/** Those that a service offers. */
export const offeredMany = (operations: readonly LifeOperation[]): ManyKind[] =>
  (Object.keys(manyTitles) as ManyKind[]).filter((kind) =>
    operations.includes(operationOf(kind === 'set-image' ? 'revision' : kind, operations)),
  )

type Rows = ReadonlyMap<string, DeploymentSummary>

/** A row of the list and its index. */
export interface RowAt {
  row: ListedRow
  index: number
}

const withRows = (selected: Rows, rows: readonly DeploymentSummary[]): Rows =>
  new Map([...selected, ...rows.map((row) => [row.id, row] as const)])
const without = (selected: Rows, id: string): Rows => new Map([...selected].filter(([other]) => other !== id))

/**
 * The deployments of the current environment that are selected, by their identifiers, in the order they were selected. A
 * selection outlasts a re-read, another page, other filters and an opened deployment: names can be gathered from several
 * pages, and what changes deployments lists them all before it is sent. A plain click starts over.
 */
export const useSelectionStore = defineStore('selection', () => {
  const app = useAppStore()
  const list = useDeploymentsStore()

  const selected = shallowRef<Rows>(new Map())
  /** Where the range begins; null if there is none. */
  let anchor: string | null = null
  /** What stays selected while the range grows or shrinks. */
  let base: Rows = new Map()
  /** How many rows of the last range couldn't be selected, because they aren't loaded. */
  const leftOut = ref(0)

  const rows = computed<readonly DeploymentSummary[]>(() => [...selected.value.values()])
  const count = computed(() => selected.value.size)
  const has = ({ id }: { id: string }): boolean => selected.value.has(id)
  /** How many of the loaded rows are selected. */
  const state = computed(() => {
    const among = count.value === 0 ? 0 : list.loaded.filter(has).length
    return among === 0 ? 'none' : among === list.loaded.length ? 'all' : 'some'
  })

  function set(next: Rows, nextAnchor: string | null, nextBase: Rows, missing = 0): void {
    selected.value = next
    anchor = nextAnchor
    base = nextBase
    leftOut.value = missing
  }

  /** Selects only this row, as a click does. */
  const only = (row: DeploymentSummary): void => set(withRows(new Map(), [row]), row.id, new Map())

  /** Begins a range at a row, and selects the row. */
  const begin = (row: DeploymentSummary): void =>
    set(withRows(selected.value, [row]), row.id, without(selected.value, row.id))

  /** Adds a row to the selection or removes it, as Ctrl+click does. */
  function toggle(row: DeploymentSummary): void {
    if (!has(row)) return begin(row)
    const others = without(selected.value, row.id)
    set(others, row.id, others)
  }

  /**
   * Selects the rows from the beginning of the last range to an index in its place, as Shift with a click or an arrow key
   * does. Rows that were selected one by one stay selected. A range begins at `start` if there is none in the list.
   */
  function extend(start: RowAt, to: number): void {
    const from = list.rows.findIndex((row) => row?.id === anchor)
    if (from < 0) begin(start.row)
    const first = from < 0 ? start.index : from
    const range = list.rows.slice(Math.min(first, to), Math.max(first, to) + 1)
    if (to < first) range.reverse()
    const found = range.filter((row) => row !== undefined)
    set(withRows(base, found), anchor, base, range.length - found.length)
  }

  /** Adds all loaded rows. */
  function addAll(): void {
    const all = withRows(selected.value, list.loaded)
    set(all, anchor, all, list.rows.length - list.loaded.length)
  }

  const clear = (): void => set(new Map(), null, new Map())

  watch(() => app.accountKey, clear, { flush: 'sync' })
  // A row may have changed since it was selected.
  watch(
    () => list.live.page?.deployments,
    (now = []) => {
      const again = now.filter(has)
      if (again.length === 0) return
      selected.value = withRows(selected.value, again)
      base = withRows(
        base,
        again.filter(({ id }) => base.has(id)),
      )
    },
  )

  return { rows, count, state, leftOut, has, only, toggle, extend, addAll, clear }
})

/**
 * Moves the focus into the rows by keyboard: with the down arrow and j from the screen's heading, with the down arrow
 * and Enter from its search.
 *
 * From the search, it first applies the typed text without waiting for a pause, and waits until the rows are read. The
 * down arrow and Enter pressed meanwhile then act on that row. If the focus leaves the search meanwhile, or its text
 * changes, the focus stays.
 *
 * @param focusRow moves the focus to the first row in view; does nothing if there is none
 */
export function useRowEntry(focusRow: () => void): void {
  const list = useDeploymentsStore()

  /** What is searched for when a key leaves the search, and what that key and later ones do once the rows are read. */
  let leaving: { name: string; keys: Promise<void> } | null = null

  function onKey(event: KeyboardEvent): void {
    const { target, key } = event
    if (!(target instanceof HTMLElement) || isModified(event) || event.isComposing || isDialogOpen()) return
    if (isFocusFree(target) && ['ArrowDown', 'j'].includes(latinKey(event))) {
      event.preventDefault()
      focusRow()
    } else if (target.matches('[data-screen-search] input') && ['ArrowDown', 'Enter'].includes(key)) {
      event.preventDefault()
      const { name } = list.filters
      if (leaving?.name !== name) leaving = { name, keys: leaveSearch(target) }
      else if (!event.repeat) leaving.keys = leaving.keys.then(() => pressOn(key, target))
    }
  }

  async function leaveSearch(search: HTMLElement): Promise<void> {
    const { name } = list.filters
    if (name !== list.applied.name) list.apply()
    // A watcher of the filters requests the list.
    await nextTick()
    await until(() => list.loading).toBe(false)
    await nextTick()
    if (leaving?.name !== name) return
    leaving = null
    if (document.activeElement === search && list.filters.name === name) focusRow()
  }

  /** Does in the focused row what a key does that was pressed before it had the focus. */
  async function pressOn(key: string, search: HTMLElement): Promise<void> {
    // A table moves its focus once the row is drawn.
    await nextTick()
    const { activeElement } = document
    if (!(activeElement instanceof HTMLElement) || [search, document.body].includes(activeElement)) return
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    if (activeElement.dispatchEvent(event) && key === 'Enter') activeElement.click()
  }

  useEventListener('keydown', onKey)
}
