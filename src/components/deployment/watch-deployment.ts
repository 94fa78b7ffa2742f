import { orUnnamed } from '@contract/core/text'
import { announce } from '@/composables/announcer'
import type { useWatchesStore } from '@/stores/watches'

/**
 * Watches a deployment with the default choices. If it is watched already, opens the dialog of its watch; if it can't
 * be watched, opens the notices, which say why.
 *
 * @param name null until it is known
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
