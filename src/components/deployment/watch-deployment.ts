import { orUnnamed } from '@contract/core/untrusted-text'
import { announce } from '@/composables/announcer'
import type { useWatchesStore } from '@/stores/watches/watches'

/**
 * Watches a deployment with the default choices. One that is watched gets the dialog with what its watch tells; where
 * it can't be watched, the notices open and say why.
 *
 * @param name null while it isn't known
 */
export async function watchOrEdit(
  store: ReturnType<typeof useWatchesStore>,
  id: string,
  name: string | null,
): Promise<void> {
  const watch = store.of(id)
  if (watch) return store.edit({ watch })
  if (await store.addDeployment(id, name)) announce(`Watching ${orUnnamed(name ?? '')}.`)
  else store.isOpen = true
}
