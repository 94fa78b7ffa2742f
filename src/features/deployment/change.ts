import type { Deployment, Failure } from '@contract'
import type { ChangeKind } from '@contract/life/changes'
import { defineStore } from 'pinia'
import { ref, shallowRef, watch } from 'vue'
import { useAppStore } from '@/app/stores/app'

/** A change that the operator begins. */
export interface BegunChange {
  /** Tells it from others. */
  number: number
  environmentId: string
  deployment: Deployment
  kind: ChangeKind
  /** The revision that it is about; null if it is about none. */
  revisionId: string | null
  /** Members of the revision that are filled in: what another deployment runs. */
  filledIn: Partial<Deployment['source_revision_config']>
}

/** The change that is open in the dialog, from wherever it was begun. */
export const useChangeStore = defineStore('change', () => {
  const app = useAppStore()
  const begun = shallowRef<BegunChange | null>(null)
  const shown = ref(false)

  /** Opens the dialog of a kind of change of a deployment of the current environment. */
  function begin(deployment: Deployment, kind: ChangeKind, more: Partial<BegunChange> = {}): void {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null) return
    const number = (begun.value?.number ?? 0) + 1
    refused.value = null
    begun.value = { number, environmentId, deployment, kind, revisionId: null, filledIn: {}, ...more }
    shown.value = true
  }

  /** A new revision that is to be begun once its deployment is read: what another one runs is promoted to it. */
  const promoted = shallowRef<(Pick<BegunChange, 'environmentId' | 'filledIn'> & { id: string }) | null>(null)

  /** A deployment to which nothing can be promoted, and why. */
  const refused = shallowRef<{ id: string; failure: Failure } | null>(null)

  watch(
    () => app.accountKey,
    () => {
      shown.value = false
      refused.value = null
    },
    { flush: 'sync' },
  )

  return { begun, shown, promoted, refused, begin }
})
