import type { CallOutput } from '@contract'
import { changePeriods, type ChangePeriod } from '@contract/ipc/screens'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { call, on } from '@/api'
import { useChoicesStore } from './application/choices'
import { createEnvironmentReads } from './environment-reads'

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

  const { byId, failure, loading, want, wantAll, clear, open, close } = createEnvironmentReads(
    (environmentIds) => call('overview.changes', { environmentIds, since: since.value }, { quiet: true }),
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
    choices.setOverview({ period: next })
    clear()
    begin()
    wantAll()
  }

  function load(): void {
    begin()
    wantAll()
  }

  /** Call it when the Overview is opened. */
  function start(): void {
    const age = left === null ? -1 : Date.now() - left
    const isSameLook = age >= 0 && age < sameLookMs
    if (!isSameLook || leftAt.value === null) leftAt.value = lastTime()
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

  /** When the last visit ended; null if there was none, or if the clock was set back since. */
  function lastTime(): string | null {
    const { leftAt: at } = choices.overview
    return at !== null && Date.parse(at) > Date.now() ? null : at
  }

  const noteLeft = (): void => choices.setOverview({ leftAt: new Date().toISOString() })

  on('sync.changed', ({ environmentId, progress }) => {
    if (!progress) want([environmentId])
  })

  return { byId, failure, loading, period, periods, since, setPeriod, load, start, leave }
})
