import { isTyped } from '@contract/app/shortcuts'
import { onMac, useWindowEvent } from '@/app/window'
import { takesKeys } from '@/app/focus'
import { pressedShortcut } from '@/app/commands'
import { useCommandsStore } from '@/app/stores/commands'
import { isDialogOpen } from '@/ui/widgets/dialog-open'

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
