import { type CommandId, isTyped } from '@contract/app/shortcuts'
import { historyNeighbours, onMac, useWindowEvent } from '@/app/window'
import { focusScreenSearch, isDialogOpen, screenSearch, takesKeys } from '@/app/focus'
import { pressedShortcut } from '@/app/commands'
import { useCommand, useCommandsStore } from '@/app/stores/commands'
import { useRoute, useRouter } from 'vue-router'
import { comparisonPath, type SideRef } from '@/features/compare/side-ref'
import { useAppStore } from '@/app/stores/app'
import { useBoardStore } from '@/features/board/board'
import { useDeploymentPanelStore } from '@/features/list/deployment-panel'
import { useSelectionStore } from '@/features/list/selection'

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

  /** Handles the second of two keys, before it means anything else where the focus is. */
  function onSecondKey(event: KeyboardEvent): void {
    if (first === null || modifiers.includes(event.key)) return
    const { key, at } = first
    first = null
    const isLate = event.timeStamp - at > sequenceMs
    if (isLate || event.isComposing || isDialogOpen() || takesKeys(event.target)) return
    const command = commands.byShortcut(`${key} ${pressedShortcut(event, onMac)}`)
    if (command === null || !commands.run(command)) return
    event.preventDefault()
    event.stopPropagation()
  }

  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || isDialogOpen()) return
    const shortcut = pressedShortcut(event, onMac)
    if (shortcut === null || (isTyped(shortcut) && takesKeys(event.target))) return
    if (commands.beginsShortcut(shortcut)) first = { key: shortcut, at: event.timeStamp }
    const command = commands.byShortcut(shortcut)
    if (command !== null && commands.run(command)) event.preventDefault()
  }

  /** Handles the button's release, because that is when Chromium itself would go back or forward. */
  function onMouse(event: MouseEvent): void {
    const command = mouseCommands[event.button as 3 | 4] as 'back' | 'forward' | undefined
    if (command === undefined) return
    event.preventDefault()
    if (isNewPress('page', performance.now()) && !isDialogOpen()) commands.run(command)
  }

  useWindowEvent('keydown', onSecondKey, { capture: true })
  useWindowEvent('keydown', onKey)
  useWindowEvent('mouseup', onMouse)
}

/** The paths of the screens, by the commands that open them. */
const screenPaths = {
  'go-overview': '/overview',
  'go-board': '/board',
  'go-deployments': '/deployments',
  'go-repositories': '/repositories',
  'go-environments': '/environments',
  'go-activity': '/activity',
} as const satisfies Partial<Record<CommandId, string>>

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

  for (const [id, path] of Object.entries(screenPaths)) {
    useCommand(id as keyof typeof screenPaths, () => void router.push(path))
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
  useCommand(
    'refresh',
    () => app.refresh?.(),
    () => app.refresh !== null,
  )
  useCommand('find', focusScreenSearch, () => screenSearch() !== null)
}
