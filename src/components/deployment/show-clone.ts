import type { Deployment, Environment } from '@contract'
import type { Router } from 'vue-router'
import { announceDeed } from '@/composables/announcer'
import { useAppStore } from '@/stores/application/app'
import { useDraftsStore } from '@/stores/creation/drafts'

/**
 * Begins a draft that is filled in from a deployment, and opens its form: in the current environment, or in another one,
 * to which Slipway then switches. If the switch fails, the draft waits there, and the status line says why.
 *
 * @returns false where no draft could begin
 */
export async function showClone(
  deployment: Deployment,
  to: Environment | null,
  router: Router,
): Promise<boolean> {
  const drafts = useDraftsStore()
  if (!(to ? drafts.beginElsewhere(deployment, to) : drafts.beginFromDeployment(deployment))) return false
  const failure = to && (await useAppStore().select(to.id))
  if (failure) announceDeed(`The draft is in ${to.name}, which couldn't be opened: ${failure.message}`)
  else await router.push('/new')
  return true
}
