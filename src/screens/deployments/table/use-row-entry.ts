import { nextTick, onBeforeUnmount, onMounted, watch } from 'vue'
import { isDialogOpen } from '@/components/dialog/dialog-open'
import { isModified } from '@/components/table/use-row-keys'
import { latinKey } from '@/domain/commands/latin-key'
import { useCachedDeploymentsStore } from '@/stores/deployment-list/cached-deployments'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'

/**
 * Leads into the rows by keyboard from where the screen begins: the arrow down and j from its heading, the arrow down
 * and Enter from its search.
 *
 * From the search, the rows are those of what was typed: without waiting for a pause, and once they are read. Whoever
 * leaves the search meanwhile stays where they went.
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
    // The cached list is asked for by what watches the filters.
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
