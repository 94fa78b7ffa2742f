import type { CallInput } from '@contract'
import { computed, ref, shallowRef } from 'vue'
import { useUnconfirmedCreationsStore } from '@/stores/creation/unconfirmed-creations'
import type { Checked } from './use-checked'

/** The review of a request before it is sent, and the unconfirmed attempt at its name, if there is one. */
export function useReview() {
  const unconfirmed = useUnconfirmedCreationsStore()
  const reviewing = ref(false)
  /** The request under review. Exactly this is sent. */
  const reviewed = shallowRef<Checked | null>(null)
  /** The unconfirmed attempt at this name when the review was opened. */
  const consideredId = ref<string | null>(null)
  /** An unconfirmed attempt at this name. The review shows its state before the request can be sent again. */
  const earlier = computed(() => {
    if (!reviewed.value) return null
    const considered = consideredId.value === null ? null : unconfirmed.attemptOf(consideredId.value)
    return unconfirmed.blockingFor(reviewed.value.request.name) ?? considered
  })

  /** Opens the review of a request that was checked. */
  function openReview(checked: Checked): void {
    reviewed.value = checked
    consideredId.value = unconfirmed.blockingFor(checked.request.name)?.id ?? null
    reviewing.value = true
  }

  /** The state of the earlier attempt that the operator saw when they agreed to send again. */
  function consent(): CallInput<'deployments.create'>['again'] {
    if (!earlier.value) return null
    const { id, lookup, sentAgain } = earlier.value
    return { attemptId: id, deploymentId: lookup?.deployment?.id ?? null, sentAgain }
  }

  return { reviewing, reviewed, earlier, openReview, consent }
}
