import type { LastFilters } from '@contract/app/personal'
import { noLastFilters } from '@contract/app/personal-values'
import { privateFilters } from '@contract/cache/filters'
import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import { call } from '@/app/api'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { useAppStore } from '@/app/stores/app'
import { useChoicesStore } from '@/app/stores/choices'
import { useDeploymentsStore } from './deployments'
import { isSame } from './live-reader'

/**
 * The filters that are only stored in an encrypted file: typed text, favourites and label. The main process stores them
 * for the service that the environment leads to.
 */
export const useLastFiltersStore = defineStore('last-filters', () => {
  const annotations = useAnnotationsStore()
  const app = useAppStore()
  const choices = useChoicesStore()
  const list = useDeploymentsStore()

  const filters = computed<LastFilters>(() => ({
    ...privateFilters(list.applied),
    searchesCache: list.searchesCache,
  }))

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
    if (list.settled || environmentId === null || reading === accountKey) return
    reading = accountKey
    const outcome = await call('lastFilters.read', { environmentId })
    const found = outcome.ok ? outcome.value : null
    // Until annotations are read, no deployment would match.
    if (found && (found.favourites || found.label !== null)) await annotations.open()
    if (reading === accountKey) reading = null
    if (accountKey !== app.accountKey || list.settled) return
    if (found) {
      const { searchesCache, favourites, label, ...texts } = found
      if (searchesCache) list.searchInCache()
      list.beginWith(annotations.byId === null ? texts : { ...texts, favourites, label })
      begun = filters.value
    }
    list.settled = true
  }

  watch(filters, (now, before) => {
    const { currentEnvironmentId: environmentId, environment } = app
    // Opening an environment isn't a change, unless the list was filtered at once.
    if (!list.settled || environmentId === null || isSame(now, before)) return
    if (begun !== null && isSame(now, begun)) return
    begun = null
    const hasPrivateFilters = !isSame(now, noLastFilters)
    const known = choices.listOf(environmentId)?.hasPrivateFilters ?? false
    if (hasPrivateFilters !== known) choices.setList(environmentId, { hasPrivateFilters })
    const service = environment?.service ?? null
    if (service === null || (!hasPrivateFilters && !known)) return
    void call('lastFilters.save', { environmentId, service, filters: now })
  })

  return { restore }
})
