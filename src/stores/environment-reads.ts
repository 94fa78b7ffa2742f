import type { Failure, Outcome } from '@contract'
import { maxPerOverviewCall } from '@contract/ipc/screens'
import { computed, type ComputedRef, ref, type Ref, shallowRef, type ShallowRef, watch } from 'vue'
import { useAppStore } from './application/app'

/** Reads of all environments. */
export interface EnvironmentReads<Read> {
  /** The results by environment, without those from before an edit that leads elsewhere. */
  byId: ComputedRef<ReadonlyMap<string, Read>>
  failure: ShallowRef<Failure | null>
  loading: Ref<boolean>
  /** Reads environments again. Their earlier results stay until then. */
  want: (ids: readonly string[]) => void
  wantAll: () => void
  /** Drops all results and running reads, because something else is to be read. */
  clear: () => void
  /** Call it while the results are shown: new environments are then read too. */
  open: () => void
  close: () => void
}

/**
 * Reads every environment, some at a time, as long as it is open.
 *
 * @param ask reads these environments, and leaves out those that are gone
 */
export function createEnvironmentReads<Read extends { environmentId: string }>(
  ask: (environmentIds: string[]) => Promise<Outcome<Read[]>>,
): EnvironmentReads<Read> {
  const app = useAppStore()
  /** The result of each environment, and the account it is for (`accountKeyOf`). */
  const read = shallowRef<ReadonlyMap<string, { key: string; value: Read }>>(new Map())
  const failure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  const isOpen = ref(false)
  /** The environments that are waiting to be read. */
  const wanted = new Set<string>()
  /** Counts resets: answers to requests from before the last one are ignored. */
  let round = 0

  const allIds = computed(() => app.environments.map(({ id }) => id))
  const keys = computed(() => new Map(allIds.value.map((id) => [id, app.accountKeyOf(id)])))

  const byId = computed<ReadonlyMap<string, Read>>(
    () =>
      new Map(
        [...read.value].flatMap(([id, { key, value }]) => (keys.value.get(id) === key ? [[id, value]] : [])),
      ),
  )

  function want(ids: readonly string[]): void {
    if (!isOpen.value) return
    for (const id of ids) wanted.add(id)
    void readWanted()
  }

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
    const keysBefore = keys.value
    const mine = round
    for (const id of ids) wanted.delete(id)
    const outcome = await ask(ids)
    if (mine !== round) return
    const hadFailed = failure.value !== null
    failure.value = outcome.ok ? null : outcome.failure
    if (!outcome.ok) {
      wanted.clear()
      return
    }
    const next = new Map(read.value)
    for (const id of ids) next.delete(id)
    for (const value of outcome.value) {
      const key = keysBefore.get(value.environmentId)
      if (key !== undefined) next.set(value.environmentId, { key, value })
    }
    read.value = next
    // What failed before wasn't read either.
    if (hadFailed) for (const id of allIds.value) if (!byId.value.has(id)) wanted.add(id)
  }

  // Reads environments that were added, or lead elsewhere now.
  watch(keys, (now, before) => {
    want([...now].flatMap(([id, key]) => (before.get(id) === key ? [] : [id])))
  })

  return {
    byId,
    failure,
    loading,
    want,
    wantAll: () => want(allIds.value),
    clear() {
      round += 1
      wanted.clear()
      read.value = new Map()
      failure.value = null
    },
    open() {
      isOpen.value = true
      want(allIds.value)
    },
    close() {
      isOpen.value = false
      wanted.clear()
    },
  }
}
