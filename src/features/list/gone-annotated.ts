import type { Annotation, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { useAnnotationsStore } from '@/app/stores/annotations'
import { useAppStore } from '@/app/stores/app'
import { useDeploymentsStore } from './deployments'
import { createLatestCall } from '@/app/stores/resource'
import { readByIds } from './live-reader'

/** The deployments that weren't found. */
interface Missing {
  missing: ReadonlySet<string>
}

/** How many cached deployments are looked at in one call. */
const cachedBatch = 200

/**
 * The deployments that match favourites or a label and aren't in the list, because the service or the cache no longer
 * has them. Ignores other filters.
 */
export const useGoneAnnotatedStore = defineStore('gone-annotated', () => {
  const app = useAppStore()
  const annotations = useAnnotationsStore()
  const list = useDeploymentsStore()
  const missing = shallowRef<ReadonlySet<string>>(new Set())
  const latest = createLatestCall()

  const gone = computed<Annotation[]>(() =>
    (list.annotatedIds ?? []).flatMap((id) => (missing.value.has(id) ? (annotations.of(id) ?? []) : [])),
  )

  async function look(): Promise<void> {
    latest.cancel()
    const ids = list.annotatedIds
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || ids === null || ids.length === 0) {
      missing.value = new Set()
      return
    }
    const isCached = list.isCached
    const found = await latest.make<Missing>(
      (signal) =>
        isCached
          ? lookInCache(environmentId, ids, signal)
          : readByIds(environmentId, ids, { signal, quiet: true }),
      { quiet: true },
    )
    if (found?.ok) missing.value = found.value.missing
  }

  async function lookInCache(
    environmentId: string,
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<Outcome<Missing>> {
    const left = new Set(ids)
    for (let start = 0; start < ids.length; start += cachedBatch) {
      const query = { filters: { ids: ids.slice(start, start + cachedBatch) } }
      const request = { query, offset: 0, limit: cachedBatch, snapshot: null }
      const outcome = await call('cache.page', { environmentId, request }, { signal })
      if (!outcome.ok) return outcome
      for (const { id } of outcome.value.deployments) left.delete(id)
    }
    return succeed({ missing: left })
  }

  watch(
    () => [app.accountKey, list.isCached, list.annotatedIds?.join()] as const,
    ([account], before) => {
      if (account !== before?.[0]) missing.value = new Set()
      void look()
    },
    { immediate: true },
  )

  return { gone }
})
