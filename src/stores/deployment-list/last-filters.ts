import type { LastFilters } from '@contract/app/personal'
import { noLastFilters } from '@contract/app/personal-values'
import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import { call } from '@/api'
import { useAnnotationsStore } from '@/stores/annotations'
import { useAppStore } from '@/stores/application/app'
import { useCachedDeploymentsStore } from './cached-deployments'
import { useChoicesStore } from '@/stores/application/choices'
import { useDeploymentsStore } from './deployments'
import type { FilterFields } from './filters'

/**
 * The filters that are only stored in an encrypted file: typed text, favourites and label. The main process stores them
 * for the service that the environment leads to.
 */
export const useLastFiltersStore = defineStore('last-filters', () => {
  const annotations = useAnnotationsStore()
  const app = useAppStore()
  const cached = useCachedDeploymentsStore()
  const choices = useChoicesStore()
  const live = useDeploymentsStore()

  const filters = computed<LastFilters>(() => {
    const { name, imageVersion, tagValueIds, deploymentIds, favourites, label } = live.applied
    const texts = { name, imageVersion, tagValueIds, deploymentIds }
    return { ...texts, favourites, label, searchesCache: cached.searchesCache }
  })

  /** The initial filters. They aren't saved again: favourites that couldn't be read would be lost. */
  let begun: LastFilters | null = null

  /** The account whose filters are being read; null without any. */
  let reading: string | null = null

  /**
   * Restores the filters of the last start. A list that was filtered meanwhile, such as by a saved view, stays as it
   * is. Without an answer, the list starts unfiltered.
   */
  async function restore(): Promise<void> {
    const { currentEnvironmentId: environmentId, accountKey } = app
    if (live.settled || environmentId === null || reading === accountKey) return
    reading = accountKey
    const outcome = await call('lastFilters.read', { environmentId }, { quiet: true })
    const found = outcome.ok ? outcome.value : null
    const isAnnotated = found !== null && (found.favourites || found.label !== null)
    // Until they are read, no deployment would match.
    if (isAnnotated) await annotations.open()
    if (reading === accountKey) reading = null
    if (accountKey !== app.accountKey || live.settled) return
    if (found) begin(found, annotations.byId !== null)
    live.settled = true
  }

  function begin({ searchesCache, favourites, label, ...texts }: LastFilters, areAnnotated: boolean): void {
    if (searchesCache) cached.searchAgain()
    const fields: Partial<FilterFields> = areAnnotated ? { ...texts, favourites, label } : texts
    live.beginWith(fields)
    begun = filters.value
  }

  watch(filters, (now, before) => {
    const { currentEnvironmentId: environmentId, environment } = app
    // Opening an environment isn't a change, unless the list was filtered at once.
    if (!live.settled || environmentId === null || isSame(now, before)) return
    if (begun !== null && isSame(now, begun)) return
    begun = null
    const hasLastFilters = !isSame(now, noLastFilters)
    const known = choices.listOf(environmentId)?.hasLastFilters ?? false
    if (hasLastFilters !== known) choices.setList(environmentId, { hasLastFilters })
    const service = environment?.service ?? null
    if (service === null || (!hasLastFilters && !known)) return
    void call('lastFilters.save', { environmentId, service, filters: now }, { quiet: true })
  })

  return { restore }
})

const isSame = (one: LastFilters, other: LastFilters): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
