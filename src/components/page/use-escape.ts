import { onBeforeUnmount, onMounted } from 'vue'
import { takesKeys } from '@/composables/text-target'
import { useCommandsStore } from '@/stores/application/commands'
import { isDialogOpen } from '../dialog/dialog-open'

/**
 * Lets Escape go back to where the operator came from, on a screen that is opened from others. What opens over the
 * screen takes the key first, and so does a field: nothing that is typed is left by it.
 */
export function useEscape(): void {
  const commands = useCommandsStore()
  let hadDialog = false

  /** Before anything else gets the key: a dialog that it closes is no longer open afterwards. */
  function onCapture(): void {
    hadDialog = isDialogOpen()
  }

  function onKeydown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (hadDialog || takesKeys(event.target)) return
    if (commands.run('back')) event.preventDefault()
  }

  onMounted(() => {
    window.addEventListener('keydown', onCapture, { capture: true })
    window.addEventListener('keydown', onKeydown)
  })
  onBeforeUnmount(() => {
    window.removeEventListener('keydown', onCapture, { capture: true })
    window.removeEventListener('keydown', onKeydown)
  })
}
