import type { CallOutput, Failure, Outcome } from '@contract'
import { type ChangePeriod, changePeriods, maxPerOverviewCall } from '@contract/ipc/screens'
import { noFilters } from '@contract/cache/filters'
import { computed, ref, shallowRef, watch } from 'vue'
import { useRouter } from 'vue-router'
import { useAppStore } from '@/app/stores/app'
import { defineStore } from 'pinia'
import { call, on } from '@/app/api'
import { useChoicesStore } from '@/app/stores/choices'
import { useSyncStore } from '@/app/stores/sync'
import { useDeploymentsStore } from '@/features/list/deployments'

/**
 * Reads every environment, some at a time, as long as what it reads is shown.
 *
 * @param ask reads these environments, and leaves out those that are gone
 */
function createEnvironmentReads<Read extends { environmentId: string }>(
  ask: (environmentIds: string[]) => Promise<Outcome<Read[]>>,
) {
  const app = useAppStore()
  /** What was read, by the account that it is about (`accountKeyOf`). */
  const read = shallowRef<ReadonlyMap<string, Read>>(new Map())
  const failure = shallowRef<Failure | null>(null)
  const loading = ref(false)
  /** Whether the results are shown. New environments are then read too. */
  const isOpen = ref(false)
  /** The environments that are waiting to be read, also because reading them has failed. */
  const wanted = new Set<string>()

  const keys = computed(() => new Map(app.environments.map(({ id }) => [id, app.accountKeyOf(id)])))

  /** The results by environment, without those from before an edit that leads elsewhere. */
  const byId = computed<ReadonlyMap<string, Read>>(() => {
    const found = [...keys.value].map(([id, key]) => [id, read.value.get(key)] as const)
    return new Map(found.flatMap(([id, value]) => (value ? [[id, value]] : [])))
  })

  /** Reads environments again. Their earlier results stay until then. */
  function want(ids: Iterable<string>): void {
    if (!isOpen.value) return
    for (const id of ids) wanted.add(id)
    void readWanted()
  }

  async function readWanted(): Promise<void> {
    if (loading.value) return
    loading.value = true
    while (isOpen.value && wanted.size > 0) {
      const known = read.value
      const asked = new Map([...wanted].slice(0, maxPerOverviewCall).map((id) => [id, app.accountKeyOf(id)]))
      for (const id of asked.keys()) wanted.delete(id)
      const outcome = await ask([...asked.keys()])
      if (read.value !== known) continue
      failure.value = outcome.ok ? null : outcome.failure
      if (!outcome.ok) {
        for (const id of asked.keys()) wanted.add(id)
        break
      }
      const answered = outcome.value.map((one) => [asked.get(one.environmentId)!, one] as const)
      read.value = new Map([...known, ...answered])
    }
    loading.value = false
  }

  // Reads environments that were added, or lead elsewhere now.
  watch(keys, (now, before) => want([...now.keys()].filter((id) => now.get(id) !== before.get(id))))
  on('sync.changed', ({ environmentId, progress }) => {
    if (!progress) want([environmentId])
  })

  return {
    byId,
    failure,
    loading,
    isOpen,
    want,
    load: () => want(keys.value.keys()),
    /** Drops all results and running reads, because something else is to be read. */
    clear() {
      wanted.clear()
      read.value = new Map()
      failure.value = null
    },
  }
}

/** What is being read, and why that failed. */
export type Reads = Pick<ReturnType<typeof useOverviewStore>, 'failure' | 'loading'>

/** Whether reading has failed and isn't being repeated: what isn't read won't be before it is tried again. */
export const hasFailed = ({ failure, loading }: Reads): boolean => failure !== null && !loading

export type EnvironmentOverview = CallOutput<'overview.read'>[number]

/**
 * What is known about every environment, from the caches and the journal. It is kept up to date while the screen is
 * open.
 */
export const useOverviewStore = defineStore('overview', () => {
  const app = useAppStore()
  const reads = createEnvironmentReads((environmentIds) => call('overview.read', { environmentIds }))

  watch(
    () => app.connection?.state,
    () => {
      if (app.currentEnvironmentId !== null) reads.want([app.currentEnvironmentId])
    },
  )
  on('journal.changed', ({ environmentId, kind }) => {
    if (kind === 'failure' && environmentId !== '') reads.want([environmentId])
  })

  return reads
})

/** Opens what rows are about, in its environment, which becomes the current one, as with the switcher. */
export const useOpeningStore = defineStore('overview-opening', () => {
  const app = useAppStore()
  const router = useRouter()
  const list = useDeploymentsStore()
  const sync = useSyncStore()

  /** Opens a path in an environment. `before` prepares it there. */
  const open = ({ id }: { id: string }, path: string, before?: () => unknown): Promise<void> =>
    app.switchTo(id, () => {
      before?.()
      void router.push(path)
    })

  return {
    open,
    openStatus: (environment: { id: string }, status: string) =>
      open(environment, '/deployments', () => list.filter({ ...noFilters(), statuses: [status] })),
    openAndSync: (environment: { id: string }) => open(environment, '/deployments', sync.start),
  }
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

  const reads = createEnvironmentReads((environmentIds) =>
    call('overview.changes', { environmentIds, since: since.value }),
  )

  /** The period in use: the last day if there was no visit before. */
  const period = computed(() =>
    choices.overview.period === 'last' && leftAt.value === null ? 'day' : choices.overview.period,
  )
  const periods = computed(() => changePeriods.filter((one) => one !== 'last' || leftAt.value !== null))

  function setPeriod(next: ChangePeriod): void {
    choices.setIn('overview', { period: next })
    reads.clear()
    load()
  }

  function load(): void {
    const length = period.value === 'last' ? null : lengths[period.value]
    since.value =
      length === null ? (leftAt.value ?? since.value) : new Date(Date.now() - length).toISOString()
    reads.load()
  }

  /** Call it when the Overview is opened. */
  function open(): void {
    const isSameLook = left !== null && Date.now() - left < sameLookMs
    if (!isSameLook || leftAt.value === null) leftAt.value = choices.overview.leftAt
    // If Slipway is closed meanwhile, nothing reports the end of the visit.
    noteLeft()
    reads.clear()
    reads.isOpen.value = true
    load()
  }

  /** Call it when the Overview is left: "since last time" now starts here. */
  function leave(): void {
    reads.isOpen.value = false
    left = Date.now()
    noteLeft()
  }

  const noteLeft = (): void => choices.setIn('overview', { leftAt: new Date().toISOString() })

  const { byId, failure, loading } = reads
  return { byId, failure, loading, period, periods, since, chartOf, setPeriod, load, open, leave }
})
