import type { StatusCounts } from '@contract/cache'
import { maxStatuses } from '@contract/deployment-api/list'
import { deploymentTypes } from '@contract/core/labels'
import { deploymentStatuses } from '@contract/deployment-api/statuses'
import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useResource } from '@/app/stores/resource'
import { useDeploymentsStore } from './deployments'
import { useRereadsStore } from './rereads'
import { useSyncStore } from '@/app/stores/sync'

/** The statuses of what isn't ready, among the known ones. */
const notReadyOf = (known: readonly string[]): string[] => known.filter((status) => status !== 'READY')

/** Whether two choices have the same statuses. */
function isSameChoice(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((status) => other.includes(status))
}

/** The known statuses without some of them. */
const statusesBut = (left: readonly string[], known: readonly string[]): string[] =>
  known.filter((status) => !left.includes(status))

/**
 * The statuses that a choice leaves out, if it is made of most of the known ones: then it says "not these", and a
 * status that turns up later belongs to it too. Null for any other choice.
 */
function leftOut(chosen: readonly string[], known: readonly string[]): string[] | null {
  const others = statusesBut(chosen, known)
  return others.length > 0 && others.length < chosen.length ? others : null
}

export type PresetLabel = 'Not ready' | 'Rolling out'

/** A preset as it is now. */
interface PresetView {
  label: PresetLabel
  /** How many cached deployments it lists; null while that isn't known. */
  count: number | null
  isChosen: boolean
}

/**
 * The statuses of the current environment's deployments: which there are, how many of each are cached, and the presets.
 * Also which deployment types there are.
 */
export const useStatusesStore = defineStore('statuses', () => {
  const app = useAppStore()
  const list = useDeploymentsStore()
  const sync = useSyncStore()
  const rereads = useRereadsStore()

  /** Counts of the cached deployments. */
  const { value: counted, load } = useResource<StatusCounts>(
    () => app.accountKey,
    () => call('cache.statuses', { environmentId: app.currentEnvironmentId! }),
  )

  /** The interface's statuses, others in the page or the cache, and those chosen, as many as a filter takes. */
  const known = computed<readonly string[]>(() => {
    const rows = [...(list.live.page?.deployments ?? []), ...(counted.value?.counts ?? [])]
    const others = rows.map(({ status }) => status)
    const chosen = list.filters.statuses
    // If there are too many, the chosen ones come first, so that each can be deselected.
    const shown = new Set([...new Set([...deploymentStatuses, ...chosen, ...others])].slice(0, maxStatuses))
    return [...new Set([...deploymentStatuses, ...others, ...chosen])].filter((status) => shown.has(status))
  })

  /** The interface's deployment types, others that are cached, and the chosen one. */
  const types = computed<readonly string[]>(() => [
    ...new Set([
      ...deploymentTypes,
      ...(counted.value?.types ?? []),
      ...(list.filters.deploymentType === null ? [] : [list.filters.deploymentType]),
    ]),
  ])

  /** The statuses of what needs attention. */
  const notReady = computed(() => notReadyOf(known.value))
  const presets = computed<PresetView[]>(() => [
    {
      label: 'Not ready',
      count: countOf(notReady.value),
      isChosen: isSameChoice(list.filters.statuses, notReady.value) && !list.filters.rollingOut,
    },
    {
      label: 'Rolling out',
      count: counted.value?.cache.synchronisedAt ? counted.value.rollingOut : null,
      isChosen: list.filters.rollingOut,
    },
  ])
  /** When the cache that was counted was last synchronised, or else last filled (ISO 8601). */
  const countedAt = computed(() => {
    const cache = counted.value?.cache
    return cache?.synchronisedAt ?? cache?.newestAt ?? null
  })

  function countOf(statuses: readonly string[]): number | null {
    // Before a synchronisation the cache has the deployments of some pages, which says nothing of all.
    if (!counted.value?.cache.synchronisedAt) return null
    return counted.value.counts
      .filter(({ status }) => statuses.includes(status))
      .reduce((sum, { count }) => sum + count, 0)
  }

  /** Chooses a preset; all deployments if it is chosen already. */
  function toggle(label: PresetLabel): void {
    const rollingOut = label === 'Rolling out' && !isChosen(label)
    list.filter({ rollingOut, statuses: isChosen(label) || rollingOut ? [] : notReady.value })
  }
  const isChosen = (label: PresetLabel): boolean =>
    presets.value.some((preset) => preset.label === label && preset.isChosen)

  /** The statuses that the choice leaves out, where it says "not these"; null elsewhere. */
  const excluded = computed(() => leftOut(list.filters.statuses, known.value))

  /** Chooses every other status. */
  const invert = (): void => list.filter({ statuses: statusesBut(list.filters.statuses, known.value) })

  /** Leaves a status out of the list. If it is the only one chosen, all others are chosen instead. */
  function hide(status: string): void {
    const { statuses } = list.filters
    const left = statusesBut([status], statuses.length === 0 ? known.value : statuses)
    list.filter({ statuses: left.length === 0 ? statusesBut([status], known.value) : left })
  }

  // Counting reads the whole cache, so it is done only after the list has brought something into it.
  watch(
    [
      () => list.live.page?.deployments,
      () => rereads.arrived.join(),
      () => sync.ended,
      () => (list.tellsRollouts ? list.cached.page : null),
    ],
    () => void load(),
  )
  // A status that turns up later belongs to a choice that says which not. Other filters begin at the first page: nobody
  // is taken back there from a later one, or from the position in the cached list.
  watch(known, (now, before) => {
    if (list.live.canGoBack || list.isCached) return
    if (!before.every((status) => now.includes(status))) return
    const left = leftOut(list.filters.statuses, before)
    if (left === null) return
    const statuses = statusesBut(left, now)
    if (isSameChoice(statuses, list.filters.statuses)) return
    if (list.settled) list.filter({ statuses })
    else list.beginWith({ statuses })
  })

  return { known, types, presets, excluded, countedAt, isChosen, toggle, invert, hide }
})
