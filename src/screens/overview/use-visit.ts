import type { Environment, Failure } from '@contract'
import { noFilters } from '@contract/cache/filters'
import { computed, type ComputedRef, shallowRef } from 'vue'
import { useRouter } from 'vue-router'
import { useAppStore } from '@/stores/application/app'
import { useSyncStore } from '@/stores/application/sync'
import { useDeploymentsStore } from '@/stores/deployment-list/deployments'

type Place = Pick<Environment, 'id'>

/** Opens an environment from the overview. It becomes the current one, as with the switcher. */
export interface Visits {
  /** The last switch, if it failed and no other environment was chosen since. */
  failed: ComputedRef<{ failure: Failure; again: () => void } | null>
  /** Opens a path in the environment. */
  open: (environment: Place, path: string) => Promise<void>
  /** Opens the list of deployments with a status. */
  openStatus: (environment: Place, status: string) => Promise<void>
  /** Opens the list and starts a synchronisation. */
  openAndSync: (environment: Place) => Promise<void>
}

export function useVisit(): Visits {
  const app = useAppStore()
  const sync = useSyncStore()
  const deployments = useDeploymentsStore()
  const router = useRouter()
  const last = shallowRef<{ id: string; failure: Failure; again: () => void } | null>(null)

  async function switchAnd({ id }: Place, go: () => void): Promise<void> {
    const failure = await app.select(id)
    if (app.chosenId !== id) return
    last.value = failure && { id, failure, again: () => void switchAnd({ id }, go) }
    // Even if saving the choice failed, the switch has taken effect.
    if (app.currentEnvironmentId === id) go()
  }

  return {
    failed: computed(() => (last.value?.id === app.chosenId ? last.value : null)),

    open: (environment, path) => switchAnd(environment, () => void router.push(path)),

    openStatus: (environment, status) =>
      switchAnd(environment, () => {
        deployments.filter({ ...noFilters(), statuses: [status] })
        void router.push('/deployments')
      }),

    openAndSync: (environment) =>
      switchAnd(environment, () => {
        void sync.start()
        void router.push('/deployments')
      }),
  }
}
