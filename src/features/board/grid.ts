import type { Environment } from '@contract'
import type { BoardColumn, BoardRow, BoardCell as Cell, BoardDeployment } from '@contract/ipc/calls/caches'
import { computed, nextTick, onMounted, type Ref, watch, type FunctionalComponent, h, type VNode } from 'vue'
import { latinKey } from '@/app/commands'
import { type Axis, indexesOf, rangeInView, scrolledTo, useScrollView } from '@/ui/table/table'
import { useBoardStore } from './board'
import { type Agent, agentOf } from '@domain/agents/identity'
import { versionFrom } from '@domain/agents/version'
import { relativeTime, absoluteTime, shortAge } from '@/ui/format/time'
import { shownText } from '@contract/core/text'
import { MiddleCut } from '@/ui/widgets/elements'
import { rolloutChip, statusLabel } from '@/ui/widgets/deployment'
import type { FailedRevision } from '@contract/life/revisions'
import { counted } from '@/ui/format/words'
import { revisionLabel } from '@/ui/format/deployment'

/** A position in the grid: row 0 has the headers, column 0 the agents. */
export interface GridPlace {
  row: number
  column: number
}

/** A column that is drawn. Its edge and its width are in pixels. */
export interface DrawnColumn {
  environment: Environment
  index: number
  left: number
  width: number
  column: BoardColumn | undefined
}

/**
 * The position that a key moves to (ARIA practices); null for a key that doesn't move.
 *
 * @param page how many rows Page Up and Page Down move
 */
export function gridStep(
  event: KeyboardEvent,
  { row, column }: GridPlace,
  { rows, columns, page }: { rows: number; columns: number; page: number },
): GridPlace | null {
  const { altKey, shiftKey, metaKey, ctrlKey } = event
  if (altKey || shiftKey || metaKey) return null
  const ends: Record<string, GridPlace> = {
    Home: { row: ctrlKey ? 0 : row, column: 0 },
    End: { row: ctrlKey ? rows : row, column: columns },
  }
  const steps: Record<string, GridPlace> = {
    ArrowRight: { row, column: column + 1 },
    ArrowLeft: { row, column: column - 1 },
    ArrowDown: { row: row + 1, column },
    j: { row: row + 1, column },
    ArrowUp: { row: row - 1, column },
    k: { row: row - 1, column },
    PageDown: { row: row + page, column },
    PageUp: { row: row - page, column },
  }
  const to = ends[event.key] ?? (ctrlKey ? undefined : steps[latinKey(event)])
  if (!to) return null
  const within = (value: number, max: number): number => Math.min(max, Math.max(0, value))
  return { row: within(to.row, rows), column: within(to.column, columns) }
}

const sizes = { row: 72, header: 56 } as const
/** The smallest and the largest width of a column, in pixels. Agents get the spare room first, then environments. */
const widths = { agent: [250, 380], column: [224, 320] } as const
/** How many more rows and columns than those in view are drawn. */
const margin = { rows: 6, columns: 2 } as const
/** How many more rows than those in view are read above and below, and how many more columns. */
const wanted = { above: 6, below: 18, columns: 2 } as const

const between = ([min, max]: readonly [number, number], room: number): number =>
  Math.min(max, Math.max(min, Math.floor(room)))

/**
 * The rows and columns of the board that are drawn, and where. Has the board read what comes into view.
 *
 * @param active the cell that Tab reaches, which is drawn wherever it is
 */
export function useGridWindow(scroller: Readonly<Ref<HTMLElement | null>>, active: Readonly<Ref<GridPlace>>) {
  const board = useBoardStore()
  const start = board.place
  const view = useScrollView(scroller, start)
  onMounted(() => {
    if (start) void nextTick(() => scroller.value?.scrollTo({ left: start.left }))
  })
  const columnCount = computed(() => board.environments.length)
  const agentWidth = computed(() => between(widths.agent, view.width - columnCount.value * widths.column[0]))
  const columnWidth = computed(() =>
    between(widths.column, (view.width - agentWidth.value) / columnCount.value),
  )
  const rowAxis = computed<Axis>(() => ({ size: sizes.row, count: board.total ?? 0, header: sizes.header }))
  const columnAxis = computed<Axis>(() => ({
    size: columnWidth.value,
    count: columnCount.value,
    header: agentWidth.value,
  }))
  const rowsWith = (more: number) => rangeInView(rowAxis.value, view.top, view.height, more)
  const columnsWith = (more: number) => rangeInView(columnAxis.value, view.left, view.width, more)

  /** The indexes that are drawn, as texts: so nothing that depends on them changes while they don't. */
  const drawn = (range: readonly [number, number], place: number, count: number): string =>
    indexesOf(range, place >= 0 && place < count ? [place, place + 1] : null).join()
  const rowIndexes = computed(() => drawn(rowsWith(margin.rows), active.value.row - 1, rowAxis.value.count))
  const columnIndexes = computed(() =>
    drawn(columnsWith(margin.columns), active.value.column - 1, columnCount.value),
  )
  const indexes = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number))

  const drawnColumns = computed<DrawnColumn[]>(() =>
    indexes(columnIndexes.value).map((index) => {
      const environment = board.environments[index]!
      const left = agentWidth.value + index * columnWidth.value
      return { environment, index, left, width: columnWidth.value, column: board.columns.get(environment.id) }
    }),
  )
  const drawnRows = computed(() =>
    indexes(rowIndexes.value).map((index) => ({
      index,
      top: sizes.header + index * sizes.row,
      row: board.rows.get(index) ?? null,
    })),
  )

  watch(
    () => {
      const [firstColumn, lastColumn] = columnsWith(wanted.columns)
      return [rowsWith(wanted.above)[0], rowsWith(wanted.below)[1], firstColumn, lastColumn] as const
    },
    (range, before) => {
      if (range.some((one, at) => one !== before?.[at])) board.want(...range)
    },
    { immediate: true },
  )

  return {
    agentWidth,
    drawnColumns,
    drawnRows,
    /** The size of the whole grid, in pixels. */
    width: computed(() => agentWidth.value + columnCount.value * columnWidth.value),
    height: computed(() => sizes.header + rowAxis.value.count * sizes.row),
    /** How many rows Page Up and Page Down move. */
    rowsOfPage: (): number => Math.max(1, Math.floor((view.height - sizes.header) / sizes.row) - 1),
    /** The row at the top of the view. */
    firstRow: (): number => Math.floor((scroller.value?.scrollTop ?? 0) / sizes.row),
    scrollByRows: (count: number): void => scroller.value?.scrollBy({ top: count * sizes.row }),
    /** Scrolls until a cell is in view. */
    reveal({ row, column }: GridPlace): void {
      const element = scroller.value
      if (!element) return
      const { scrollTop, clientHeight, scrollLeft, clientWidth } = element
      element.scrollTo({
        top: row > 0 ? scrolledTo(rowAxis.value, row - 1, scrollTop, clientHeight) : 0,
        left: column > 0 ? scrolledTo(columnAxis.value, column - 1, scrollLeft, clientWidth) : 0,
      })
    },
    rowHeight: sizes.row,
    headerHeight: sizes.header,
  }
}

/** An agent's name for display. A key that can't be interpreted is shown unchanged. */
export const agentShown = (key: string): Agent => agentOf(key) ?? { title: key, by: 'name', where: key }

/** Why deployments share a row: in short beside its title, and in full. */
export function sameByLabel({ title, by, where }: Agent): { short: string; full: string } {
  if (by === 'own') return { short: 'Separated by hand', full: 'Separated by hand' }
  const what = `Same ${by}`
  const host = where.endsWith(`/${title}`) ? where.slice(0, -title.length - 1) : null
  return { short: host === null ? what : `${what} at ${host}`, full: `${what}: ${where}` }
}

const shortCommit = 7

/** The version of a deployment in short, such as "main · 4f2a91c", and in full. */
function versionLabel(key: string): { short: string; full: string } {
  const version = versionFrom(key)
  if (version === null) return { short: 'No version', full: 'The service names no version.' }
  const { kind, name, exact } = version
  const shortExact = exact === null ? null : exact.replace(/^sha256:/, '').slice(0, shortCommit)
  const short = [name, kind === 'image' && name !== null ? null : shortExact].filter(Boolean).join(' · ')
  const full = [name, exact].filter(Boolean).join(' · ')
  return { short: short || 'No version', full: full || 'The service names no version.' }
}

/** How a deployment's version differs from the others, in words; null if it doesn't. */
export function rowMark({ versionsDiffer, isMissing }: BoardRow): string | null {
  if (versionsDiffer) return isMissing ? 'Versions differ, not everywhere' : 'Versions differ'
  return isMissing ? 'Not everywhere' : null
}

/** How old a column's cache is at a time (milliseconds). */
export function columnAge(column: BoardColumn | undefined, now: number): string {
  if (!column) return 'Reading…'
  if (column.state === 'failed') return "Couldn't be read"
  const at = column.cache?.synchronisedAt ?? null
  return at === null ? 'Never synced' : `Synced ${relativeTime(at, now)}`
}

/** The text of a cell without a deployment. */
export function emptyCellText(column: BoardColumn | undefined): string {
  if (column === undefined) return 'Loading…'
  if (column.state === 'failed') return "Couldn't be read"
  if (column.state === 'not-synchronised' || column.cache === null) return 'Never synced'
  return column.cache.synchronisedAt === null ? 'Not fully synced' : 'No deployment of this agent'
}

interface Shown {
  /** Null until it is read. */
  cell: Cell | null
  /** The text of a cell without a deployment. */
  empty: string
  now: number
  /** The latest revision of a deployment, if it is known to have failed. */
  failed: (deployment: BoardDeployment) => FailedRevision | null
}

const line = 'flex gap-1 items-baseline lh-base whitespace-nowrap [&>.word-chip]:flex-none'

/** How many deployments a cell has room for. */
const maxShown = 2

/** An agent's deployments in an environment. A functional component, because the board has many cells. */
export const BoardCell: FunctionalComponent<Shown> = ({ cell, empty, now, failed }) => {
  if (cell === null || cell.deployments.length === 0)
    return h('span', { class: 'text-muted text-small italic' }, empty)
  const [only, ...others] = cell.deployments
  const count = cell.deployments.length + cell.more
  if (only && others.length === 0 && cell.more === 0) return whole(only, now, failed(only))
  const left = count - maxShown
  return h('span', { class: 'board-several' }, [
    ...cell.deployments
      .slice(0, maxShown)
      .map((deployment) =>
        h('span', { class: line, key: deployment.id }, [
          version(deployment),
          ' ',
          h(MiddleCut, { class: 'text-muted text-small', text: deployment.name }),
          ' ',
          chipOf(deployment, failed(deployment)),
        ]),
      ),
    h('span', { class: `${line} text-muted text-small` }, [
      left > 0 ? `${counted(count, 'deployment')}, ${counted(left, 'other')}` : counted(count, 'deployment'),
    ]),
  ])
}

BoardCell.props = { cell: null, empty: String, now: Number, failed: null }

function whole(deployment: BoardDeployment, now: number, failed: FailedRevision | null): VNode {
  const { name, status, since, byHand } = deployment
  return h('span', { class: 'board-one' }, [
    h('span', { class: line }, [version(deployment), ' ', chipOf(deployment, failed)]),
    h('span', { class: line }, [
      statusLabel(status),
      ' ',
      byHand ? h('span', { class: 'flex-none text-muted text-small' }, 'by hand') : null,
    ]),
    h('span', { class: `${line} text-muted text-small` }, [
      since === null
        ? null
        : h('span', { class: 'flex-none' }, [
            h(
              'time',
              { title: `With this version and status since ${absoluteTime(since)}` },
              shortAge(since, now),
            ),
            ' ·',
          ]),
      ' ',
      h(MiddleCut, { text: name }),
    ]),
  ])
}

function version({ version: key }: BoardDeployment): VNode {
  const { short, full } = versionLabel(key)
  return h(
    'bdi',
    { class: 'min-w-0 overflow-hidden font-600 text-ellipsis', title: shownText(full) },
    shownText(short),
  )
}

function chipOf(deployment: BoardDeployment, failed: FailedRevision | null): VNode | null {
  return rolloutChip(revisionLabel(deployment, failed).rollout, failed?.message ?? '')
}
