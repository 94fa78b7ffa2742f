import type { CallInput, CallOutput, Environment, Failure, Outcome } from '@contract'
import type { BoardColumn, BoardDeployment, BoardRow } from '@contract/ipc/calls/caches'
import { succeed } from '@contract/core/outcome'
import { boardLimits } from '@contract/ipc/screens'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { useRouter } from 'vue-router'
import { call, on } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useChoicesStore } from '@/app/stores/choices'
import { useResource } from '@/app/stores/resource'
import { isSame } from '@/ui/format/json-path'
import { arranged } from '@/ui/widgets/arrange'
import { deploymentPath } from '@/ui/widgets/deployment'
import { ownAgentKey } from '@domain/agents/identity'

/** How many rows and environments are read at once, and how many rows at first: those in view. */
const block = { rows: 50, columns: 8, firstRows: 25 } as const

type Page = CallOutput<'board.page'>
type Input = CallInput<'board.page'>

/** What is read of the board: rows by their index, and columns by their environment. */
interface ReadBoard extends Omit<Page, 'columns' | 'rows'> {
  columns: ReadonlyMap<string, BoardColumn>
  rows: ReadonlyMap<number, BoardRow>
}

/** Asks for a part of the board: at first nothing but how many rows there are. */
export const askBoard = ({
  search,
  ...part
}: Partial<Input> & Pick<Input, 'environmentIds' | 'search'>): Promise<Outcome<Page>> =>
  call('board.page', {
    onlyDiffering: false,
    snapshot: null,
    offset: 0,
    limit: 0,
    cellsOf: [],
    isWhole: false,
    search: search.trim().slice(0, 200),
    ...part,
  })

/** A deployment that was selected to be compared. */
interface Selected {
  agent: string
  environmentId: string
  id: string
}

/** How many deployments are compared. */
const maxSelected = 2

/** A position on the board, to come back to. */
interface BoardPlace {
  /** How far the grid is scrolled, in pixels. */
  top: number
  left: number
  /** The cell that Tab reaches, and whether it has the focus. */
  row: number
  column: number
  hasFocus: boolean
}

const blockOf = (index: number, size: number): number => Math.floor(index / size) * size

/** How many rows around those in view are read when the board is read again. */
const around = 20

/** Before the grid says what is in view. */
const noView = [0, 0, 0, 0, 0] as const

/** The board: agents by environments, read from caches as far as it is in view. */
export const useBoardStore = defineStore('board', () => {
  const app = useAppStore()
  const choices = useChoicesStore()

  const search = ref('')
  /** The environments that had no cache when the board was read as a whole. Until it is again, no column moves. */
  const empty = shallowRef<ReadonlySet<string>>(new Set())
  /** The position when the board was left; null for the top. */
  const place = shallowRef<BoardPlace | null>(null)
  /** Deployments of one row. */
  const selected = shallowRef<readonly Selected[]>([])

  const all = computed(() => arrangedEnvironments(app.environments, choices.board.order, empty.value))
  /**
   * The environments that have columns, in their order. A sandbox has one only while there is nothing else, or if it was
   * chosen.
   */
  const environments = computed(() => {
    const isSandbox = ({ storage }: Environment): boolean => storage === 'built-in'
    const areSandboxes = all.value.every(isSandbox)
    return all.value.filter((one) => choices.board.columns[one.id] ?? (areSandboxes || !isSandbox(one)))
  })
  const ids = computed(() => environments.value.map(({ id }) => id))
  /** What the rows depend on. If an environment leads elsewhere, its part of the board is dropped. */
  const basis = computed(() => JSON.stringify([choices.board.onlyDiffering, ids.value.map(app.accountKeyOf)]))
  let isOpen = false

  /**
   * The row at the top, and what is in view: rows and columns from the first up to, but not including, the last.
   */
  let view: readonly [
    top: number,
    firstRow: number,
    lastRow: number,
    firstColumn: number,
    lastColumn: number,
  ] = noView
  /** By how many rows those in view moved with the last answer. */
  const shifted = shallowRef({ by: 0 })
  /** The part in view that was asked for last. */
  let asked: Partial<Input> | null = null
  const {
    value: read,
    failure,
    loading,
    load: readFirst,
    make,
    cancel,
    reset,
  } = useResource<ReadBoard>(
    () => basis.value,
    async (signal) => {
      const page = await ask({ limit: block.firstRows, cellsOf: ids.value.slice(0, block.columns) })
      if (!page.ok) return page
      if (!signal.aborted) noteEmpty(page.value.columns)
      return succeed(withPart(page.value, 0, new Map()))
    },
  )
  watch(basis, () => (isOpen ? void load() : forget()), { flush: 'sync' })

  const columns = computed(() => read.value?.columns ?? new Map<string, BoardColumn>())
  const rows = computed(() => read.value?.rows ?? new Map<number, BoardRow>())
  const total = computed(() => read.value?.total ?? null)
  /** Whether all rows are counted. */
  const isWhole = computed(() => read.value?.isWhole ?? false)

  /** Arranges the columns by what is cached. If that changes their order, the board is read again. */
  function noteEmpty(known: Iterable<BoardColumn>): void {
    const without = [...known].filter(({ state }) => state === 'not-synchronised')
    empty.value = new Set(without.map(({ environmentId }) => environmentId))
  }

  const ask = (part: Partial<Input>): Promise<Outcome<Page>> =>
    askBoard({
      environmentIds: ids.value,
      search: search.value,
      onlyDiffering: choices.board.onlyDiffering,
      snapshot: read.value?.snapshot ?? null,
      ...part,
    })

  /** The board with a part that begins at a row, beside the rows that are known. */
  function withPart(page: Page, offset: number, known: ReadonlyMap<number, BoardRow>): ReadBoard {
    // Each part brings new objects for its columns, and a changed column is drawn again in every row.
    const now = page.columns.map((column) => {
      const before = columns.value.get(column.environmentId)
      return before && isSame(before, column) ? before : column
    })
    const areSame =
      now.length === columns.value.size && now.every((one) => one === columns.value.get(one.environmentId))
    const rows = new Map(known)
    page.rows.forEach((row, index) => {
      const before = known.get(offset + index)
      const cells = before?.agent === row.agent ? { ...before.cells, ...row.cells } : row.cells
      rows.set(offset + index, { ...row, cells })
    })
    return {
      ...page,
      columns: areSame ? columns.value : new Map(now.map((column) => [column.environmentId, column])),
      rows,
    }
  }

  /**
   * Reads the visible part again, and keeps showing it meanwhile. `shifted` then says by how many rows the top row
   * moved, because agents above it appeared or disappeared.
   */
  async function refresh(): Promise<void> {
    if (!isOpen) return
    if (!read.value) {
      if (!loading.value) void load()
      return
    }
    const [top, firstRow, lastRow, firstColumn, lastColumn] = view
    const offset = Math.max(0, firstRow - around)
    const again = await make(() =>
      ask({
        snapshot: null,
        offset,
        limit: Math.min(boardLimits.rows, lastRow - offset + around),
        cellsOf: ids.value.slice(firstColumn, lastColumn).slice(0, boardLimits.cellColumns),
        isWhole: true,
      }),
    )
    if (!again) return
    const agent = rows.value.get(top)?.agent
    asked = null
    read.value = withPart(again, offset, new Map())
    void readOn()
    const at = again.rows.findIndex((row) => row.agent === agent)
    const by = at < 0 ? 0 : offset + at - top
    if (by !== 0) shifted.value = { by }
  }

  on('sync.changed', ({ environmentId, progress }) => {
    if (progress === null && ids.value.includes(environmentId)) void refresh()
  })

  /** Drops everything that was read, because it may belong to another service. */
  function forget(): void {
    reset()
    view = noView
    asked = null
    selected.value = []
    place.value = null
  }

  /** Shows the board, as it was left until it is read again. */
  function open(): void {
    if (columns.value.size > 0) noteEmpty(columns.value.values())
    isOpen = true
    void (isWhole.value ? refresh() : load())
  }

  /** Stops reading. The board stays, unless only the beginning was read. */
  function leave(): void {
    isOpen = false
    cancel()
    if (!isWhole.value) forget()
  }

  /** Reads the board anew: what is in view at first, then how many agents there are. */
  async function load(): Promise<void> {
    forget()
    await readFirst()
    void readOn()
  }

  const isSelected = (environmentId: string, id: string): boolean =>
    selected.value.some((one) => one.environmentId === environmentId && one.id === id)

  /** Selects a deployment for a comparison with another one in its row, or deselects it. */
  function toggle(agent: string, environmentId: string, id: string): void {
    const others = selected.value.filter(
      (one) => one.agent === agent && !(one.environmentId === environmentId && one.id === id),
    )
    selected.value = isSelected(environmentId, id)
      ? others
      : [...others, { agent, environmentId, id }].slice(-maxSelected)
  }

  /** Sets what is in view. */
  function want(now: typeof view): void {
    view = now
    void readOn()
  }

  /** A part of the board in view that isn't read, by blocks of rows and columns, or else its size; null for none. */
  function missing(): Partial<Input> | null {
    const [, firstRow, lastRow, firstColumn, lastColumn] = view
    const isRead = (row: BoardRow | undefined, id: string): boolean =>
      row !== undefined && (columns.value.get(id)?.state !== 'cached' || row.cells[id] !== undefined)
    for (let index = firstRow; index < Math.min(lastRow, total.value ?? 0); index += 1) {
      const row = rows.value.get(index)
      const unread = ids.value.slice(firstColumn, lastColumn).findIndex((id) => !isRead(row, id))
      if (unread < 0) continue
      const first = blockOf(firstColumn + unread, block.columns)
      const last = Math.min(first + boardLimits.cellColumns, Math.max(first + block.columns, lastColumn))
      return {
        offset: blockOf(index, block.rows),
        limit: block.rows,
        cellsOf: ids.value.slice(first, last),
      }
    }
    return isWhole.value ? null : { isWhole: true }
  }

  /** Reads what is in view, one part after the other. A part that is out of view gives way to one that isn't. */
  async function readOn(): Promise<void> {
    const part = missing()
    if (!read.value || loading.value || failure.value || !part || isSame(part, asked)) return
    asked = part
    const page = await make(async (signal) => {
      const outcome = await ask(part)
      // The rows that are shown aren't known any more.
      if (!outcome.ok && outcome.failure.code === 'environment-changed' && !signal.aborted) void load()
      return outcome
    }, true)
    if (!page) return
    read.value = withPart(page, part.offset ?? 0, rows.value)
    void readOn()
  }

  return {
    search,
    failure,
    personalFailure: computed(() => read.value?.personalFailure ?? null),
    columns,
    rows,
    total,
    isWhole,
    all,
    environments,
    selected,
    isSelected,
    toggle,
    place,
    shifted,
    open,
    leave,
    load,
    refresh,
    want,
  }
})

/** A deployment that moved to another agent, and its assignment before. */
interface Moved {
  deployment: Pick<BoardDeployment, 'id' | 'name'>
  environmentId: string
  before: string | null
}

/** The operator's own choices about agents: which agents deployments belong to, and which rows are pinned. */
export const useAgentsStore = defineStore('agents', () => {
  const app = useAppStore()
  const board = useBoardStore()
  const router = useRouter()
  /** The last move, which can be undone. */
  const moved = shallowRef<Moved | null>(null)
  /** The deployment for which the operator is choosing an agent; null for none. */
  const moving = shallowRef<{ deployment: BoardDeployment; environmentId: string } | null>(null)
  /** Why the last action on a deployment or a row failed. */
  const failure = shallowRef<Failure | null>(null)

  /** Assigns a deployment to an agent; null removes the assignment, so that its agent is inferred again. */
  async function assign(
    deployment: Moved['deployment'],
    environmentId: string,
    agent: string | null,
  ): Promise<boolean> {
    const service = app.environmentOf(environmentId)?.service ?? null
    const outcome = await call('agents.assign', {
      environmentId,
      service,
      deploymentId: deployment.id,
      agent,
    })
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) return false
    moved.value = { deployment, environmentId, before: outcome.value.before }
    void board.refresh()
    return true
  }

  const separate = (deployment: BoardDeployment, environmentId: string): Promise<boolean> =>
    assign(deployment, environmentId, ownAgentKey(deployment.name, crypto.randomUUID()))

  async function undo(): Promise<void> {
    const last = moved.value
    if (!last) return
    if (await assign(last.deployment, last.environmentId, last.before)) moved.value = null
  }

  /** Opens a deployment in its environment. */
  const open = ({ id }: BoardDeployment, environmentId: string): Promise<void> =>
    app.switchTo(environmentId, () => router.push(deploymentPath(id)))

  async function pin({ agent, isPinned }: BoardRow): Promise<void> {
    const outcome = await call('agents.pin', { agent, isPinned: !isPinned })
    failure.value = outcome.ok ? null : outcome.failure
    if (outcome.ok) void board.refresh()
  }

  return { moved, moving, failure, assign, separate, undo, open, pin }
})

/** Words in names of environments, from the least production-like to production itself. */
const stages: RegExp[] = [
  /\b(?:dev|devel|development|local)\b/i,
  /\b(?:int|integration|test|testing|qa|ci)\b/i,
  /\b(?:uat|demo|stg|stage|staging|canary|pre-?prod|pre-?production)\b/i,
]
const production = /\b(?:prd|prod|production|live)\b/i

type Placed = Pick<Environment, 'id' | 'name' | 'storage'> & { profile: { protected: boolean } | null }

/** How much an environment looks like production. Sandboxes do least, protected environments most. */
function stageOf({ name, storage, profile }: Placed): number {
  if (storage === 'built-in') return -1
  const words = name.replace(/_/g, ' ')
  const stage = stages.findIndex((stage) => stage.test(words))
  // "pre-prod" has both words.
  if (stage === stages.length - 1) return stage
  if (profile?.protected || production.test(words)) return stages.length + 1
  return stage < 0 ? stages.length : stage
}

/**
 * The environments in the order of columns: those arranged by hand first, then by how production-like they look, and
 * then, also by that, those with nothing to show.
 *
 * @param empty those that were never synchronised, so that nothing of them is cached
 */
export function arrangedEnvironments<Environment extends Placed>(
  environments: readonly Environment[],
  order: readonly string[],
  empty: ReadonlySet<string>,
): Environment[] {
  const byStage = environments.toSorted(
    (one, other) => Number(empty.has(one.id)) - Number(empty.has(other.id)) || stageOf(one) - stageOf(other),
  )
  const ids = byStage.map(({ id }) => id)
  return arranged(ids, order).flatMap((id) => byStage.find((one) => one.id === id) ?? [])
}
