import { type CreationEntry, type Failure, foundIn } from '@contract'
import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { call, on } from '@/api'
import { maxEntries, useActivityStore } from '@/stores/application/activity'
import { createLatestCall } from '@/stores/application/latest-call'

/** The journal's entries of creations on this machine that created a deployment, or may have. */
export const useDeploymentCreationsStore = defineStore('deployment-creations', () => {
  const activity = useActivityStore()
  const entries = shallowRef<readonly CreationEntry[]>([])
  /** Why the journal couldn't be read; null if it could. */
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()

  async function load(): Promise<void> {
    const input = { limit: maxEntries, filter: 'creations' } as const
    const outcome = await latest.make((signal) => call('journal.list', input, { signal, quiet: true }), {
      quiet: true,
    })
    if (!outcome) return
    failure.value = outcome.ok ? null : outcome.failure
    if (outcome.ok) entries.value = outcome.value.filter((entry) => entry.kind === 'creation')
  }

  // An attempt may settle while the history is shown.
  on('journal.changed', (entry) => {
    if (entry.kind !== 'creation') return
    const others = entries.value.filter(({ id }) => id !== entry.id)
    entries.value = [entry, ...others].slice(0, maxEntries)
  })

  /** Those of a deployment of the current environment, as far as that still leads to where they were sent. */
  const of = (id: string): CreationEntry[] =>
    entries.value.filter((entry) => leadsTo(entry, id) && activity.canOpen(entry))

  return { failure, load, of }
})

/** Whether an attempt created a deployment; or, of one that is unconfirmed, whether it may have. */
function leadsTo({ state, deploymentId, lookup }: CreationEntry, id: string): boolean {
  if (state === 'created') return deploymentId === id
  return state === 'unclear' && lookup !== null && foundIn(lookup).some((found) => found.id === id)
}
