import type { CallOutput } from '@contract'
import { changePeriods, type ChangePeriod } from '@contract/ipc/choices/overview'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import { call, on } from '@/api'
import { useChoicesStore } from '@/stores/application/choices'
import { createEnvironmentReads } from './environment-reads'

export type EnvironmentChangesRead = CallOutput<'overview.changes'>[number]

/** How long the periods are, except the one since last time, in milliseconds. */
const lengths = { day: 24 * 3_600_000, week: 7 * 24 * 3_600_000 } as const

/** Coming back within this time counts as the same visit, in milliseconds: "since last time" begins as before. */
const sameLookMs = 15 * 60_000

/** What changed in every environment in a period, from the caches' histories. */
export const useChangesStore = defineStore('overview-changes', () => {
  const choices = useChoicesStore()
  /** When the Overview was last left, as it was when it was opened; null if it never was. */
  const leftAt = ref<string | null>(null)
  /** When it was left since the start; null if it wasn't. */
  let left: number | null = null
  /** The beginning of the period (ISO 8601). */
  const since = ref(new Date(0).toISOString())

  const { byId, failure, loading, want, wantAll, clear, open, close } = createEnvironmentReads(
    (environmentIds) => call('overview.changes', { environmentIds, since: since.value }, { quiet: true }),
  )

  /** The period that is shown; the last day if there is no last time. */
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
    // If Slipway is closed meanwhile, nothing reports that the Overview was left.
    noteLeft()
    clear()
    begin()
    open()
  }

  /** Call it when the Overview is left: "since last time" is from now on. */
  function leave(): void {
    close()
    left = Date.now()
    noteLeft()
  }

  /** When it was last left; null if it never was, or if the clock was set back since: then it can't be compared. */
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
