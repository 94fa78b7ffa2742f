import { nextTick, onBeforeUnmount, onMounted, watch } from 'vue'
import { isDialogOpen } from '@/components/dialog/dialog-open'
import { isModified } from '@/components/table/use-row-keys'
import { latinKey } from '@/domain/commands/latin-key'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'

/**
 * Moves the focus into the rows by keyboard: with the down arrow and j from the screen's heading, with the down arrow
 * and Enter from its search.
 *
 * From the search, it first applies the typed text without waiting for a pause, and waits until the rows are read. If
 * the focus leaves the search meanwhile, it stays where it went.
 *
 * @param focusRow moves the focus to the first row in view; does nothing if there is none
 */
export function useRowEntry(focusRow: () => void): void {
  const live = useDeploymentsStore()
  const cached = useCachedDeploymentsStore()
  const isLoading = (): boolean => (cached.shown ? cached.loading : live.loading)

  function onKey(event: KeyboardEvent): void {
    const { target, key } = event
    if (!(target instanceof HTMLElement) || isModified(event) || event.isComposing || isDialogOpen()) return
    if (target.matches('body, h1') && ['ArrowDown', 'j'].includes(latinKey(event))) {
      event.preventDefault()
      focusRow()
    } else if (target.matches('[data-screen-search] input') && ['ArrowDown', 'Enter'].includes(key)) {
      event.preventDefault()
      void leaveSearch(target)
    }
  }

  async function leaveSearch(search: HTMLElement): Promise<void> {
    if (live.filters.name !== live.applied.name) live.filterNow()
    // A watcher of the filters requests the cached list.
    await nextTick()
    await loaded()
    await nextTick()
    if (document.activeElement === search) focusRow()
  }

  /** Waits until nothing is being read. */
  function loaded(): Promise<void> {
    if (!isLoading()) return Promise.resolve()
    return new Promise((resolve) => {
      const stop = watch(isLoading, (loads) => {
        if (loads) return
        stop()
        resolve()
      })
    })
  }

  onMounted(() => window.addEventListener('keydown', onKey))
  onBeforeUnmount(() => window.removeEventListener('keydown', onKey))
}
