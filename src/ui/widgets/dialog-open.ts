import { onScopeDispose, type Ref, watch } from 'vue'

const open = new Set<symbol>()

/** Whether a dialog is open. The window's shortcuts are off while one is, but not while it disappears. */
export const isDialogOpen = (): boolean => open.size > 0

/** Counts a component as an open dialog while `shown` says so. */
export function useOpenDialog(shown: Ref<boolean>): void {
  const self = Symbol('dialog')
  watch(shown, (now) => (now ? open.add(self) : open.delete(self)), { immediate: true, flush: 'sync' })
  onScopeDispose(() => open.delete(self))
}
