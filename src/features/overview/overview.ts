import type { CallOutput, Failure, Outcome } from '@contract'
import { type ChangePeriod, changePeriods, maxPerOverviewCall } from '@contract/ipc/screens'
import { computed, ref, shallowRef, watch } from 'vue'
import { useAppStore } from '@/app/stores/app'
import { defineStore } from 'pinia'
import { call, on } from '@/app/api'
import type { LeftRow } from '@/ui/table/table'
import { useChoicesStore } from '@/app/stores/choices'

/**
 * Reads every environment, some at a time, as long as it is open.
 *
 * @param ask reads these environments, and leaves out those that are gone
 */
function createEnvironmentReads<Read extends { environmentId: string }>(
  ask: (environmentIds: string[]) => Promise<Outcome<Read[]>>,
) {
  const app = useAppStore()
  /** The result of each environment, and the account it is for (`accountKeyOf`). */
  const read = shallowRef<ReadonlyMap<string, { key: string; value: Read }>>(new Map())
  const failure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  const isOpen = ref(false)
  /** The environments that are waiting to be read. */
  const wanted = new Set<string>()

  const allIds = computed(() => app.environments.map(({ id }) => id))
  const keys = computed(() => new Map(allIds.value.map((id) => [id, app.accountKeyOf(id)])))

  /** The results by environment, without those from before an edit that leads elsewhere. */
  const byId = computed<ReadonlyMap<string, Read>>(
    () =>
      new Map(
        [...read.value].flatMap(([id, { key, value }]) => (keys.value.get(id) === key ? [[id, value]] : [])),
      ),
  )

  /** Reads environments again. Their earlier results stay until then. */
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
    const before = read.value
    for (const id of ids) wanted.delete(id)
    const outcome = await ask(ids)
    if (read.value !== before) return
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
    /** Drops all results and running reads, because something else is to be read. */
    clear() {
      wanted.clear()
      read.value = new Map()
      failure.value = null
    },
    /** Call it while the results are shown: new environments are then read too. */
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

export type EnvironmentOverview = CallOutput<'overview.read'>[number]

/**
 * What is known about every environment, from the caches and the journal. It is kept up to date while the screen is
 * open.
 */
export const useOverviewStore = defineStore('overview', () => {
  const app = useAppStore()
  const { byId, failure, loading, want, wantAll, open, close } = createEnvironmentReads((environmentIds) =>
    call('overview.read', { environmentIds }),
  )

  /**
   * The row that had the focus when the Overview was left, and which of its links and buttons had it; null for none.
   */
  const left = shallowRef<LeftRow | null>(null)

  watch(
    () => app.connection?.state,
    () => {
      if (app.currentEnvironmentId !== null) want([app.currentEnvironmentId])
    },
  )
  on('sync.changed', ({ environmentId, progress }) => {
    if (!progress) want([environmentId])
  })
  on('journal.changed', ({ environmentId, kind }) => {
    if (kind === 'failure' && environmentId !== '') want([environmentId])
  })

  return { byId, failure, loading, load: wantAll, left, open, close }
})

export type EnvironmentChangesRead = CallOutput<'overview.changes'>[number]

/** The lengths of the periods, in milliseconds, except for the one since the last visit. */
const lengths = { day: 24 * 3_600_000, week: 7 * 24 * 3_600_000 } as const

/** Coming back within this time continues the same visit, in milliseconds: "since last time" doesn't change. */
const sameLookMs = 15 * 60_000

/** The changes in every environment in a period, from the caches' histories. */
export const useChangesStore = defineStore('overview-changes', () => {
  const choices = useChoicesStore()
  /** When the last visit to the Overview ended, as of its opening; null if there was none. */
  const leftAt = ref<string | null>(null)
  /** When the Overview was left in this session; null if it wasn't. */
  let left: number | null = null
  /** The beginning of the period (ISO 8601). */
  const since = ref(new Date(0).toISOString())

  /** The environment whose statuses over time are shown; null for the current one. */
  const chartOf = ref<string | null>(null)

  const { byId, failure, loading, want, wantAll, clear, open, close } = createEnvironmentReads(
    (environmentIds) => call('overview.changes', { environmentIds, since: since.value }),
  )

  /** The period in use: the last day if there was no visit before. */
  const period = computed<ChangePeriod>(() =>
    choices.overview.period === 'last' && leftAt.value === null ? 'day' : choices.overview.period,
  )
  const periods = computed(() => changePeriods.filter((one) => one !== 'last' || leftAt.value !== null))

  function begin(): void {
    const length = period.value === 'last' ? null : lengths[period.value]
    since.value =
      length === null ? (leftAt.value ?? since.value) : new Date(Date.now() - length).toISOString()
  }

  function setPeriod(next: ChangePeriod): void {
    choices.setIn('overview', { period: next })
    clear()
    load()
  }

  function load(): void {
    begin()
    wantAll()
  }

  /** Call it when the Overview is opened. */
  function start(): void {
    const isSameLook = left !== null && Date.now() - left < sameLookMs
    if (!isSameLook || leftAt.value === null) leftAt.value = choices.overview.leftAt
    // If Slipway is closed meanwhile, nothing reports the end of the visit.
    noteLeft()
    clear()
    begin()
    open()
  }

  /** Call it when the Overview is left: "since last time" now starts here. */
  function leave(): void {
    close()
    left = Date.now()
    noteLeft()
  }

  const noteLeft = (): void => choices.setIn('overview', { leftAt: new Date().toISOString() })

  on('sync.changed', ({ environmentId, progress }) => {
    if (!progress) want([environmentId])
  })

  return { byId, failure, loading, period, periods, since, chartOf, setPeriod, load, start, leave }
})
