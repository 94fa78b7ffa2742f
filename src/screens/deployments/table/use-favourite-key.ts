import { onBeforeUnmount, onMounted } from 'vue'
import { isDialogOpen } from '@/components/dialog/dialog-open'
import { isModified } from '@/components/table/use-row-keys'
import { latinKey } from '@/domain/commands/latin-key'

/** Makes f press the star of the focused row. */
export function useFavouriteKey(): void {
  function onKey(event: KeyboardEvent): void {
    if (latinKey(event) !== 'f' || isModified(event) || isDialogOpen() || !(event.target instanceof Element))
      return
    event.target.closest('tr')?.querySelector<HTMLElement>('.favourite-icon')?.click()
  }
  onMounted(() => window.addEventListener('keydown', onKey))
  onBeforeUnmount(() => window.removeEventListener('keydown', onKey))
}
