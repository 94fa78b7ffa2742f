import type { Failure, RepositoryList } from '@contract'
import { defineStore } from 'pinia'
import { computed, ref, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { wordSearch } from '@/ui/format/names'
import { useAppStore } from '@/app/stores/app'
import { createLatestCall } from '@/app/stores/resource'
import { useSourcesStore } from './sources'

/** What the screen remembers of an environment. */
interface Listing {
  integrationId: string | null
  list: RepositoryList | null
  search: string
}

const nothing = (): Listing => ({ integrationId: null, list: null, search: '' })

/**
 * The repositories of an integration of the current environment. The session remembers each environment's listing, and
 * shows it for that environment only.
 */
export const useRepositoriesStore = defineStore('repositories', () => {
  const app = useAppStore()
  const integrationId = ref<string | null>(null)
  const list = shallowRef<RepositoryList | null>(null)
  const search = ref('')
  const failure = shallowRef<Failure | null>(null)
  const latest = createLatestCall()
  /** The integration that is being listed. */
  let listing: string | null = null
  const remembered = new Map<string, Listing>()
  const sources = useSourcesStore()

  /** The repositories whose name, owner, URL and branch contain every word of the search. */
  const found = computed(() => {
    const matches = wordSearch(search.value)
    return (list.value?.repositories ?? []).filter(({ name, owner, url, default_branch }) =>
      matches([name, owner, url, default_branch].join(' ')),
    )
  })

  /** Lists the repositories of the chosen integration (interface: List repositories). */
  async function load(): Promise<void> {
    const environmentId = app.currentEnvironmentId
    const chosen = integrationId.value?.trim() ?? ''
    if (environmentId === null || chosen === '') return
    // One press may choose an integration and ask for its list.
    if (latest.loading.value && listing === chosen) return
    listing = chosen
    const input = { environmentId, integrationId: chosen }
    const outcome = await latest.make((signal) => call('repositories.list', input, { signal }))
    if (!outcome) return
    if (!outcome.ok) {
      if (outcome.failure.code === 'environment-changed') return
      failure.value = outcome.failure
      // Never show the repositories of one integration under another's identifier.
      if (list.value?.integrationId !== chosen) list.value = null
      return
    }
    if (outcome.value.environmentId !== app.currentEnvironmentId) return
    failure.value = null
    list.value = outcome.value
    sources.noteListing(outcome.value)
  }

  watch(
    () => app.accountKey,
    (now, before) => {
      latest.cancel()
      if (before !== null) {
        remembered.set(before, { integrationId: integrationId.value, list: list.value, search: search.value })
      }
      const listing = (now === null ? undefined : remembered.get(now)) ?? nothing()
      integrationId.value = listing.integrationId
      list.value = listing.list
      search.value = listing.search
      failure.value = null
    },
    { flush: 'sync' },
  )

  return { integrationId, list, search, failure, loading: latest.loading, found, load }
})
