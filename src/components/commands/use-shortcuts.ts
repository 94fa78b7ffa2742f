import { isTyped } from '@contract/app/shortcuts'
import { onBeforeUnmount, onMounted } from 'vue'
import { onMac } from '@/composables/platform'
import { pressedShortcut } from '@/domain/commands/pressed-shortcut'
import { useCommandsStore } from '@/stores/commands'
import { isDialogOpen } from '../dialog/dialog-open'
import { isNewPress } from './mouse-buttons'

/** Where a key without Ctrl or Alt is text, or leads to an item by its first letter. */
const takesText =
  'input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [role=menu], [role=listbox]'

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(takesText) !== null)

/** The mouse's buttons at the side. */
const mouseCommands = { 3: 'back', 4: 'forward' } as const

/** Lets shortcuts and the mouse's buttons at the side give commands, except in a dialog. */
export function useShortcuts(): void {
  const commands = useCommandsStore()

  function onKey(event: KeyboardEvent): void {
    if (event.defaultPrevented || event.isComposing || isDialogOpen()) return
    const shortcut = pressedShortcut(event, onMac)
    if (shortcut === null || (isTyped(shortcut) && isText(event.target))) return
    const command = commands.byShortcut(shortcut)
    if (command !== null && commands.run(command)) event.preventDefault()
  }

  /** Of the button's release, since Chromium goes back and forward by itself then. */
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
