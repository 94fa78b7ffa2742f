import { nextTick, watch } from 'vue'
import { isDialogOpen, isFocusFree } from '@/app/focus'
import { isModified } from '@/ui/table/row-focus'
import { latinKey } from '@/app/commands'
import { useDeploymentsStore } from './deployments'
import { useWindowEvent } from '@/app/window'

/**
 * Moves the focus into the rows by keyboard: with the down arrow and j from the screen's heading, with the down arrow
 * and Enter from its search.
 *
 * From the search, it first applies the typed text without waiting for a pause, and waits until the rows are read. The
 * down arrow and Enter pressed meanwhile then act on that row. If the focus leaves the search meanwhile, or its text
 * changes, the focus stays.
 *
 * @param focusRow moves the focus to the first row in view; does nothing if there is none
 */
export function useRowEntry(focusRow: () => void): void {
  const list = useDeploymentsStore()
  const isLoading = (): boolean => list.loading

  /** What was searched for when a key left the search, and the keys since, while the rows are being read. */
  let waiting: { name: string; keys: string[] } | null = null

  function onKey(event: KeyboardEvent): void {
    const { target, key } = event
    if (!(target instanceof HTMLElement) || isModified(event) || event.isComposing || isDialogOpen()) return
    if (isFocusFree(target) && ['ArrowDown', 'j'].includes(latinKey(event))) {
      event.preventDefault()
      focusRow()
    } else if (target.matches('[data-screen-search] input') && ['ArrowDown', 'Enter'].includes(key)) {
      event.preventDefault()
      if (waiting?.name !== list.filters.name) void leaveSearch(target)
      else if (!event.repeat) waiting.keys.push(key)
    }
  }

  async function leaveSearch(search: HTMLElement): Promise<void> {
    const { name } = list.filters
    const own = { name, keys: [] as string[] }
    waiting = own
    if (name !== list.applied.name) list.filterNow()
    // A watcher of the filters requests the cached list.
    await nextTick()
    await loaded()
    await nextTick()
    if (waiting !== own) return
    waiting = null
    if (document.activeElement !== search || list.filters.name !== name) return
    focusRow()
    for (const key of own.keys) {
      if (document.activeElement === search || document.activeElement === document.body) return
      pressOn(key)
      // A table moves its focus once the row is drawn.
      await nextTick()
    }
  }

  /** Does in the focused row what a key does that was pressed before it had the focus. */
  function pressOn(key: string): void {
    const { activeElement } = document
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
    const isFree = activeElement?.dispatchEvent(event) ?? false
    if (isFree && key === 'Enter' && activeElement instanceof HTMLElement) activeElement.click()
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

  useWindowEvent('keydown', onKey)
}
