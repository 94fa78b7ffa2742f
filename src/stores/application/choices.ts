import type { ShortcutChanges } from '@contract/app/shortcuts'
import type { CsvSeparator, ListChoices } from '@contract/cache'
import { noFilters, publicFilters } from '@contract/cache/filters'
import { defaultPageSize } from '@contract/deployment-api/list'
import {
  defaultRefresh,
  type BoardChoice,
  defaultBoard,
  defaultOverview,
  type PanelChoice,
  defaultPanel,
  type RefreshSeconds,
  type ColumnChoice,
  type RowHeight,
} from '@contract/ipc/screens'
import type { Choices, OverviewChoice, ScreenChoice } from '@contract/ipc/choices'
import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import { call } from '@/api'

const noListChoices: ListChoices = {
  filters: publicFilters(noFilters()),
  source: 'live',
  sort: null,
  size: defaultPageSize,
  hasPrivateFilters: false,
}

/** The operator's choices on how Slipway shows things. The main process keeps them for the next start. */
export const useChoicesStore = defineStore('choices', () => {
  const choices = shallowRef<Choices>({
    refreshSeconds: defaultRefresh,
    shortcuts: {},
    lists: {},
    columns: [],
    rowHeight: 'compact',
    csvSeparator: ',',
    panel: defaultPanel,
    overview: defaultOverview,
    board: defaultBoard,
    previewWidth: null,
    screen: null,
  })
  /** Saving before the stored choices are loaded would overwrite them. */
  let isLoaded = false

  const refreshSeconds = computed(() => choices.value.refreshSeconds)
  const shortcuts = computed<ShortcutChanges>(() => choices.value.shortcuts)

  /** The columns of the deployments table as they were left; none for the default ones. */
  const columns = computed<readonly ColumnChoice[]>(() => choices.value.columns)
  const rowHeight = computed(() => choices.value.rowHeight)
  /** What separates the columns of an exported list. */
  const csvSeparator = computed(() => choices.value.csvSeparator)
  /** How the panel beside the list was left. */
  const panel = computed<PanelChoice>(() => choices.value.panel)

  /** How the Overview was left. */
  const overview = computed<OverviewChoice>(() => choices.value.overview)
  /** How the board was left. */
  const board = computed<BoardChoice>(() => choices.value.board)

  /** The width of the request beside the creation form, in pixels; null for the default. */
  const previewWidth = computed(() => choices.value.previewWidth)

  /** Loads the stored choices. If that fails, everything is as at the first start. */
  async function start(): Promise<void> {
    const outcome = await call('choices.read', {}, { quiet: true })
    if (!outcome.ok) return
    choices.value = outcome.value
    isLoaded = true
  }

  const listOf = (environmentId: string | null): ListChoices | null =>
    (environmentId === null ? null : choices.value.lists[environmentId]) ?? null

  function setList(environmentId: string | null, change: Partial<ListChoices>): void {
    if (environmentId === null) return
    const list = { ...(listOf(environmentId) ?? noListChoices), ...change }
    set({ lists: { ...choices.value.lists, [environmentId]: list } })
  }

  /** The screen that was shown last, in this session or the one before. */
  const screen = computed(() => choices.value.screen)

  function setScreen(now: ScreenChoice | null): void {
    if (JSON.stringify(now) !== JSON.stringify(screen.value)) set({ screen: now })
  }

  const setRefresh = (seconds: RefreshSeconds): void => set({ refreshSeconds: seconds })

  function setShortcuts(changes: ShortcutChanges): void {
    set({
      shortcuts: Object.fromEntries(Object.entries(changes).map(([id, own]) => [id, [...own]])),
    })
  }

  const setColumns = (next: readonly ColumnChoice[]): void => set({ columns: [...next] })
  const setRowHeight = (height: RowHeight): void => set({ rowHeight: height })
  const setCsvSeparator = (csvSeparator: CsvSeparator): void => set({ csvSeparator })
  const setPreviewWidth = (pixels: number | null): void => set({ previewWidth: pixels })
  const setPanel = (change: Partial<PanelChoice>): void => set({ panel: { ...panel.value, ...change } })

  const setOverview = (change: Partial<OverviewChoice>): void =>
    set({ overview: { ...overview.value, ...change } })
  const setBoard = (change: Partial<BoardChoice>): void => set({ board: { ...board.value, ...change } })

  function set(change: Partial<Choices>): void {
    choices.value = { ...choices.value, ...change }
    // A choice that can't be saved still applies until Slipway is closed.
    if (isLoaded) void call('choices.save', choices.value, { quiet: true })
  }

  return {
    refreshSeconds,
    shortcuts,
    columns,
    rowHeight,
    csvSeparator,
    panel,
    overview,
    board,
    previewWidth,
    screen,
    start,
    listOf,
    setList,
    setRefresh,
    setShortcuts,
    setColumns,
    setRowHeight,
    setCsvSeparator,
    setPanel,
    setOverview,
    setBoard,
    setPreviewWidth,
    setScreen,
  }
})
