import type { DeploymentSummary } from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { useAppStore } from '@/app/stores/app'
import { useDeploymentsStore } from './deployments'
import { answerLimits } from '@contract/deployment-api/list'
import { type LifeOperation } from '@contract/life/offers'
import { operationOf } from '@contract/life/rules'

/** What can be copied of several rows. */
export type CopiedMember = 'name' | 'id' | 'image_uri' | 'repo_url'

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
  const anchor = ref<string | null>(null)
  /** What stays selected while the range grows or shrinks. */
  let base: Rows = new Map()
  /** How many rows of the last range couldn't be selected, because they aren't loaded. */
  const leftOut = ref(0)

  const rows = computed<readonly DeploymentSummary[]>(() => [...selected.value.values()])
  const count = computed(() => selected.value.size)
  const has = ({ id }: { id: string }): boolean => selected.value.has(id)

  function set(next: Rows, nextAnchor: string | null, nextBase: Rows, missing = 0): void {
    selected.value = next
    anchor.value = nextAnchor
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
   * Selects a range in place of the last one, as Shift with a click or an arrow key does. Rows that were selected one by
   * one stay selected.
   *
   * @param range the rows from the anchor to the last one, in any order
   * @param missing how many more rows of it aren't loaded
   */
  const extend = (range: readonly DeploymentSummary[], missing: number): void =>
    set(withRows(base, range), anchor.value, base, missing)

  /** Adds all loaded rows; `missing` aren't loaded. */
  function add(more: readonly DeploymentSummary[], missing: number): void {
    const all = withRows(selected.value, more)
    set(all, anchor.value, all, missing)
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

  return { rows, count, anchor, leftOut, has, only, toggle, begin, extend, add, clear }
})
