import type { CallOutput, Failure } from '@contract'
import { maxPerOverviewCall } from '@contract/ipc/overview-limits'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call, on } from '@/api'
import { useAppStore } from '@/stores/application/app'

export type EnvironmentOverview = CallOutput<'overview.read'>[number]

/** What was read of an environment, and for which account (`accountKeyOf`). */
interface Read {
  key: string
  overview: EnvironmentOverview
}

/**
 * What Slipway knows of every environment, from the caches and the journal. While the screen is open, it follows what
 * changes there.
 */
export const useOverviewStore = defineStore('overview', () => {
  const app = useAppStore()
  const read = shallowRef<ReadonlyMap<string, Read>>(new Map())
  const failure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  const isOpen = ref(false)
  /** The environments that are still to be read. */
  const wanted = new Set<string>()

  const allIds = computed(() => app.environments.map(({ id }) => id))
  const keys = computed(() => new Map(allIds.value.map((id) => [id, app.accountKeyOf(id)])))

  /** By environment. What was read before an edit that leads elsewhere isn't here. */
  const byId = computed<ReadonlyMap<string, EnvironmentOverview>>(
    () =>
      new Map(
        [...read.value].flatMap(([id, { key, overview }]) =>
          keys.value.get(id) === key ? [[id, overview]] : [],
        ),
      ),
  )

  function want(ids: Iterable<string>): void {
    for (const id of ids) wanted.add(id)
    void readWanted()
  }

  /** Reads what is wanted, some environments at a time, until nothing is left or the screen is closed. */
  async function readWanted(): Promise<void> {
    if (loading.value) return
    loading.value = true
    while (isOpen.value && wanted.size > 0) {
      const ids = [...wanted].filter((id) => keys.value.has(id)).slice(0, maxPerOverviewCall)
      if (ids.length === 0) wanted.clear()
      else await readSome(ids)
    }
    loading.value = false
  }

  async function readSome(ids: string[]): Promise<void> {
    const asked = keys.value
    for (const id of ids) wanted.delete(id)
    const outcome = await call('overview.read', { environmentIds: ids }, { quiet: true })
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) {
      wanted.clear()
      return
    }
    const next = new Map(read.value)
    for (const id of ids) next.delete(id)
    for (const overview of outcome.value) {
      const key = asked.get(overview.environmentId)
      if (key !== undefined) next.set(overview.environmentId, { key, overview })
    }
    read.value = next
  }

  /** Reads every environment again. What is shown stays until then. */
  const load = (): void => want(allIds.value)

  /** Call it while the screen is shown. */
  function open(): void {
    isOpen.value = true
    load()
  }

  function close(): void {
    isOpen.value = false
    wanted.clear()
  }

  // Environments that were added, or lead elsewhere now.
  watch(keys, (now, before) => {
    if (isOpen.value) want([...now].flatMap(([id, key]) => (before.get(id) === key ? [] : [id])))
  })
  watch(
    () => app.connection?.state,
    () => {
      if (isOpen.value && app.currentEnvironmentId !== null) want([app.currentEnvironmentId])
    },
  )
  on('sync.changed', ({ environmentId, progress }) => {
    if (isOpen.value && !progress) want([environmentId])
  })
  on('journal.changed', ({ environmentId, kind }) => {
    if (isOpen.value && kind === 'failure' && environmentId !== '') want([environmentId])
  })

  return { byId, failure, loading, load, open, close }
})
