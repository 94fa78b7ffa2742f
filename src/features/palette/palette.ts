import type { CachedPage, CachedSummary } from '@contract/cache'
import { commandIds, isTyped } from '@contract/app/shortcuts'
import type { RecentChoice } from '@contract/app/personal'
import { defineStore } from 'pinia'
import { useEventListener } from '@vueuse/core'
import { computed, ref, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { pressedShortcut, useCommandsStore, useCommand } from '@/app/commands'
import { beginsShortcut, commandOf } from '@/app/shortcuts'
import { commandEntry, deploymentEntry, environmentEntry, opensScreen, type RecentEntry } from './entries'
import { useAppStore } from '@/app/stores/app'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { useResource } from '@/app/stores/resource'
import type { Failure, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { historyNeighbours, focusScreenSearch, isDialogOpen, screenSearch, takesKeys } from '@/app/window'
import { useRoute, useRouter } from 'vue-router'
import { comparisonPath, type SideRef } from '@/features/compare/side-ref'
import { useBoardStore } from '@/features/board/board'
import { useDeploymentPanelStore } from '@/features/list/deployment-panel'
import { useSelectionStore } from '@/features/list/selection'

const isOf = (entry: RecentEntry, { kind, id }: RecentChoice): boolean =>
  entry.kind === kind && entry.id === id

/** The latest choices in the command palette, in this session and before. The main process stores them. */
export const useRecentsStore = defineStore('recents', () => {
  const app = useAppStore()
  const commands = useCommandsStore()

  /** The choices, the latest first, and the deployments among them as far as they are cached. */
  const {
    value: chosen,
    failure,
    load: read,
  } = useResource(
    () => app.accountKey,
    async (): Promise<
      Outcome<{ choices: readonly RecentChoice[]; deployments: readonly CachedSummary[] }>
    > => {
      const environmentId = app.currentEnvironmentId!
      const stored = await call('recents.list', { environmentId })
      if (!stored.ok) return stored
      const ids = stored.value.flatMap(({ kind, id }) => (kind === 'deployment' ? id : []))
      const request = { query: { filters: { ids } }, offset: 0, limit: ids.length, snapshot: null }
      const cached = ids.length > 0 ? await call('cache.page', { environmentId, request }) : null
      if (cached?.ok === false) return cached
      const deployments = cached?.value.deployments.filter((one) => one.gone_at === null) ?? []
      return succeed({ choices: stored.value, deployments })
    },
  )

  /** Earlier choices that exist now, the latest first. */
  const recent = computed(() => {
    const { choices = [], deployments = [] } = chosen.value ?? {}
    const entries = [
      ...commands.available().map(commandEntry),
      ...app.environments.filter(({ id }) => id !== app.currentEnvironmentId).map(environmentEntry),
      ...deployments.map(deploymentEntry),
    ]
    return choices.flatMap((choice) => entries.find((entry) => isOf(entry, choice)) ?? [])
  })

  /** Reads the choices, unless they are known. */
  async function load(): Promise<void> {
    if (chosen.value === null || failure.value) await read(true)
  }
  watch(() => app.accountKey, load)

  /** Remembers a choice. */
  function remember(entry: RecentEntry): void {
    const { currentEnvironmentId: environmentId, environment } = app
    const { choices = [], deployments = [] } = chosen.value ?? {}
    const choice = { kind: entry.kind, id: entry.id }
    chosen.value = {
      choices: [choice, ...choices.filter((one) => !isOf(entry, one))],
      deployments: entry.kind === 'deployment' ? [entry.of, ...deployments] : deployments,
    }
    if (environmentId !== null)
      void call('recents.add', { environmentId, service: environment?.service ?? null, choice })
  }

  return { recent, load, remember }
})

/** How many cached deployments a search reads: enough to rank the best of them first. */
const limit = 50

/** The longest text that is searched for, in characters: as much as the cache takes. */
export const longestPaletteText = 200

/** The command palette: whether it is shown, and what the cache has for its text. */
export const usePaletteStore = defineStore('palette', () => {
  const annotations = useAnnotationsStore()
  const app = useAppStore()
  const recents = useRecentsStore()

  const shown = ref(false)
  /** The cache's last answer, perhaps for an earlier text; null before the first. */
  const page = shallowRef<CachedPage | null>(null)
  const failure = shallowRef<Failure | null>(null)
  const searching = ref(false)

  /** The text to search for next; empty for none. */
  let wanted = ''

  function forget(): void {
    wanted = ''
    page.value = failure.value = null
  }

  function open(): void {
    forget()
    shown.value = true
    void recents.load()
  }

  function close(): void {
    shown.value = false
    wanted = ''
  }

  /**
   * Searches the cache for a text. One search runs at a time, and then the one for the latest text: otherwise
   * searches would queue up there when the operator types faster than the cache answers.
   */
  async function search(text: string): Promise<void> {
    wanted = text.trim()
    if (searching.value) return
    searching.value = true
    while (wanted !== '' && app.currentEnvironmentId !== null) {
      const { currentEnvironmentId: environmentId, accountKey } = app
      const sort = { by: 'name', descending: false } as const
      const query = { search: wanted, noted: annotations.found(wanted), sort }
      wanted = ''
      const outcome = await call('cache.page', {
        environmentId,
        request: { query, offset: 0, limit, snapshot: null },
      })
      if (accountKey !== app.accountKey) continue
      page.value = outcome.ok ? outcome.value : null
      failure.value = outcome.ok ? null : outcome.failure
    }
    searching.value = false
  }

  watch(() => app.accountKey, forget, { flush: 'sync' })

  return { shown, page, failure, searching, open, close, search }
})

/** How long the second key of a shortcut may take, in milliseconds. */
export const sequenceMs = 1_500

/** Keys that change another one, and neither begin nor end a shortcut. */
const modifiers = ['Shift', 'Control', 'Alt', 'AltGraph', 'Meta', 'CapsLock']

/** The commands of the mouse's side buttons. */
const mouseCommands = { 3: 'back', 4: 'forward' } as const

/** How long the page and the system may take to report the same press, in milliseconds. */
const echoMs = 500

/** What reports a press of a side button of the mouse: an event in the page, or a command from the system. */
type Reporter = 'page' | 'system'

let last: { reporter: Reporter; ms: number } | null = null

/**
 * Whether a press is a new one. If both report it, as under X11, it counts once, in either order. `nowMs` is a time of
 * `performance.now()`.
 */
export function isNewPress(reporter: Reporter, nowMs: number): boolean {
  const isEcho = last !== null && last.reporter !== reporter && nowMs - last.ms < echoMs
  last = isEcho ? null : { reporter, ms: nowMs }
  return !isEcho
}

/** Runs commands for shortcuts and for the mouse's side buttons, unless a dialog is open. */
export function useShortcuts(): void {
  const commands = useCommandsStore()
  /** The first of two keys, which was just pressed, and when. */
  let first: { key: string; at: number } | null = null

  /** Handles the second of two keys. */
  function onSecondKey(event: KeyboardEvent): void {
    if (first === null || modifiers.includes(event.key)) return
    const { key, at } = first
    first = null
    const isLate = event.timeStamp - at > sequenceMs
    if (isLate || event.isComposing || isDialogOpen() || takesKeys(event.target)) return
    const command = commandOf(`${key} ${pressedShortcut(event)}`, commands.shortcuts)
    if (command === null || !commands.run(command)) return
    event.preventDefault()
    event.stopPropagation()
  }

  // Before it means anything else where the focus is.
  useEventListener('keydown', onSecondKey, { capture: true })
  useEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing || isDialogOpen()) return
    const shortcut = pressedShortcut(event)
    if (shortcut === null || (isTyped(shortcut) && takesKeys(event.target))) return
    if (beginsShortcut(shortcut, commands.shortcuts)) first = { key: shortcut, at: event.timeStamp }
    const command = commandOf(shortcut, commands.shortcuts)
    if (command !== null && commands.run(command)) event.preventDefault()
  })

  // The button's release, because that is when Chromium itself would go back or forward.
  useEventListener('mouseup', (event) => {
    const command = mouseCommands[event.button as 3 | 4] as 'back' | 'forward' | undefined
    if (command === undefined) return
    event.preventDefault()
    if (isNewPress('page', performance.now()) && !isDialogOpen()) commands.run(command)
  })
}

/** Registers the commands that open a screen or act on the one in view. */
export function useNavigationCommands(): void {
  const app = useAppStore()
  const panel = useDeploymentPanelStore()
  const route = useRoute()
  const router = useRouter()
  const board = useBoardStore()
  const selected = useSelectionStore()

  /** The sides to compare: two selected deployments, the open one, or the form's draft. */
  function sidesInView(): SideRef[] {
    if (route.path === '/board') {
      return board.selected.map(({ environmentId, id }) => ({ kind: 'deployment', environmentId, id }))
    }
    if (app.draftInView) return [{ kind: 'draft', ...app.draftInView }]
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return []
    const side = (id: string): SideRef => ({ kind: 'deployment', environmentId, id })
    const { id } = route.params
    if (typeof id === 'string') return [side(id)]
    if (route.path !== '/deployments') return []
    if (selected.count === 1 || selected.count === 2) return selected.rows.map((row) => side(row.id))
    return panel.isShown && panel.id !== null ? [side(panel.id)] : []
  }

  for (const id of commandIds.filter(opensScreen)) {
    useCommand(id, () => void router.push(id.replace('go-', '/')))
  }
  useCommand(
    'new-deployment',
    () => void router.push('/new'),
    () => !app.readOnly,
  )
  useCommand('compare', () => {
    const [left = null, right = null] = sidesInView()
    void router.push(comparisonPath(left, right))
  })
  useCommand(
    'back',
    () => router.back(),
    () => Boolean(historyNeighbours().back),
  )
  useCommand(
    'forward',
    () => router.forward(),
    () => Boolean(historyNeighbours().forward),
  )
  useCommand('find', focusScreenSearch, () => screenSearch() !== null)
}
