import { onBeforeUnmount, onMounted } from 'vue'
import { isDialogOpen } from '@/components/dialog/dialog-open'
import { isModified } from '@/components/table/use-row-keys'

/** Lets f press the star of the row that has the focus. */
export function useFavouriteKey(): void {
  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'f' || isModified(event) || isDialogOpen() || !(event.target instanceof Element)) return
    event.target.closest('tr')?.querySelector<HTMLElement>('.favourite-icon')?.click()
  }
  onMounted(() => window.addEventListener('keydown', onKey))
  onBeforeUnmount(() => window.removeEventListener('keydown', onKey))
}
