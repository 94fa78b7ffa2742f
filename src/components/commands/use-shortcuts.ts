import { isTyped } from '@contract/app/shortcuts'
import { onBeforeUnmount, onMounted } from 'vue'
import { onMac } from '@/composables/platform'
import { pressedShortcut } from '@/domain/commands/pressed-shortcut'
import { useCommandsStore } from '@/stores/application/commands'
import { isDialogOpen } from '../dialog/dialog-open'
import { isNewPress } from './mouse-buttons'

/** Elements in which a key without Ctrl or Alt is text, or finds an item by its first letter. */
const takesText =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [role=menu], [role=listbox]'

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(takesText) !== null)

/** The commands of the mouse's side buttons. */
const mouseCommands = { 3: 'back', 4: 'forward' } as const

/** Runs commands for shortcuts and for the mouse's side buttons, unless a dialog is open. */
export function useShortcuts(): void {
  const commands = useCommandsStore()

  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || isDialogOpen()) return
    const shortcut = pressedShortcut(event, onMac)
    if (shortcut === null || (isTyped(shortcut) && isText(event.target))) return
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

  onMounted(() => {
    window.addEventListener('keydown', onKey)
    window.addEventListener('mouseup', onMouse)
  })
  onBeforeUnmount(() => {
    window.removeEventListener('keydown', onKey)
    window.removeEventListener('mouseup', onMouse)
  })
}
