import type { ListChoices } from '@contract/cache'
import { noFilters, publicFilters } from '@contract/cache/filters'
import { defaultPageSize } from '@contract/deployment-api/list'
import { defaultBoard, defaultOverview, defaultPanel, defaultRefresh } from '@contract/ipc/screens'
import type { Choices } from '@contract/ipc/choices'
import { defineStore } from 'pinia'
import { shallowReactive, toRefs } from 'vue'
import { call } from '../api'

const noListChoices: ListChoices = {
  filters: publicFilters(noFilters()),
  source: 'live',
  sort: null,
  size: defaultPageSize,
  hasPrivateFilters: false,
}

/** The operator's choices on how Slipway shows things. The main process keeps them for the next start. */
export const useChoicesStore = defineStore('choices', () => {
  const choices = shallowReactive<Choices>({
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

  /** Loads the stored choices. If that fails, everything is as at the first start. */
  async function start(): Promise<void> {
    const outcome = await call('choices.read', {})
    if (!outcome.ok) return
    Object.assign(choices, outcome.value)
    isLoaded = true
  }

  /** A choice that can't be saved still applies until Slipway is closed. */
  function set(change: Partial<Choices>): void {
    Object.assign(choices, change)
    if (isLoaded) void call('choices.save', choices)
  }

  /** Changes members of the choices about one part of the window. */
  function setIn<Part extends 'panel' | 'overview' | 'board'>(
    part: Part,
    change: Partial<Choices[Part]>,
  ): void {
    set({ [part]: { ...choices[part], ...change } })
  }

  const listOf = (environmentId: string | null): ListChoices | null =>
    (environmentId === null ? null : choices.lists[environmentId]) ?? null

  function setList(environmentId: string | null, change: Partial<ListChoices>): void {
    if (environmentId === null) return
    const list = { ...(listOf(environmentId) ?? noListChoices), ...change }
    set({ lists: { ...choices.lists, [environmentId]: list } })
  }

  return { ...toRefs(choices), start, set, setIn, listOf, setList }
})
