import { onBeforeUnmount, onMounted } from 'vue'
import { takesKeys } from '@/app/focus'
import { useCommandsStore } from '@/app/stores/commands'
import { isDialogOpen } from './dialog-open'
import { useWindowEvent } from '@/app/window'
import { useAppStore } from '@/app/stores/app'

/**
 * Makes Escape go back to the previous screen, on a screen that is opened from others. Anything open over the screen
 * gets the key first, and so does a field, so that Escape never abandons input.
 */
export function useEscape(): void {
  const commands = useCommandsStore()
  let hadDialog = false

  /** Runs before anything else gets the key: a dialog that it closes would no longer be open afterwards. */
  function onCapture(): void {
    hadDialog = isDialogOpen()
  }

  function onKeydown(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || event.repeat) return
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return
    if (hadDialog || takesKeys(event.target)) return
    if (commands.run('back')) event.preventDefault()
  }

  useWindowEvent('keydown', onCapture, { capture: true })
  useWindowEvent('keydown', onKeydown)
}

/** Connects the menu's "Refresh" to a screen while it is in view. */
export function useRefresh(refresh: () => void): void {
  const app = useAppStore()
  onMounted(() => {
    app.refresh = refresh
  })
  onBeforeUnmount(() => {
    if (app.refresh === refresh) app.refresh = null
  })
}
