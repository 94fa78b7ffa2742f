import type { Outcome } from '@contract'
import type { CachedSummary } from '@contract/cache'
import { pageLimits } from '@contract/deployment-api/list'
import { succeed } from '@contract/core/outcome'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { call } from '@/api'
import { newRows } from '@/domain/list/reread'
import { isRollingOut } from '@contract/deployment-api/statuses'
import { useAppStore } from '@/stores/application/app'
import { createLatestCall } from '@/stores/application/latest-call'
import { useSyncStore } from '@/stores/application/sync'
import { useCachedDeploymentsStore } from './cached-deployments'
import { readByIds } from './read-by-ids'
import { createRereadState } from './reread-state'

/** How many rows are requested from the service, and how many from the cache, which is its longest page. */
const maxRows = 200

/**
 * Keeps the list of what is rolling out up to date. It comes from the cache, so the service is asked first. Rows stay
 * in place, even after their rollout, until the operator reloads the list.
 */
export const useRolloutUpdatesStore = defineStore('rollout-updates', () => {
  const app = useAppStore()
  const cached = useCachedDeploymentsStore()
  const sync = useSyncStore()

  const { changed, failure, pauseMs, mark, noteFailure, forgetFailure, reset } = createRereadState()
  /** The deployments that have begun to roll out and aren't in the list. */
  const arrived = shallowRef<readonly string[]>([])
  const latest = createLatestCall()

  const rows = computed(() => [...cached.chunks.values()].flat())
  /** How many rows of the list have rolled out, or are deleted. */
  const finished = computed(() =>
    cached.tellsRollouts ? rows.value.filter((row) => !isRollingOut(row)).length : 0,
  )

  /** Asks the service for the rows and for its first page, which brings what is new, and then the cache. */
  async function reread(): Promise<void> {
    const environmentId = app.currentEnvironmentId
    if (environmentId === null || cached.loading) return
    const outcome = await latest.make((signal) => ask(environmentId, signal), { quiet: true })
    if (!outcome) return
    if (outcome.ok) forgetFailure()
    else noteFailure(outcome.failure)
    if (outcome.ok && cached.tellsRollouts) await look(environmentId)
  }

  async function ask(environmentId: string, signal: AbortSignal): Promise<Outcome<null>> {
    const ids = rows.value.map(({ id }) => id).slice(0, maxRows)
    const again = await readByIds(environmentId, ids, { signal, quiet: true })
    if (!again.ok) return again
    const query = { limit: pageLimits.max, offset: 0 }
    const first = await call('deployments.page', { environmentId, query }, { signal, quiet: true })
    return first.ok ? succeed(null) : first
  }

  /** Reads the rows again from the cache, and counts what rolls out by now. An empty list has no row to keep. */
  async function look(environmentId: string): Promise<void> {
    if (!cached.keepsRows) return await cached.load()
    const { accountKey } = app
    const before = new Map(rows.value.map((row) => [row.id, row]))
    const list = cached.page?.snapshot
    await cached.readAgain()
    const request = { query: cached.query, offset: 0, limit: maxRows, snapshot: null }
    const now = await call('cache.page', { environmentId, request }, { quiet: true })
    if (accountKey !== app.accountKey || !cached.keepsRows || cached.page?.snapshot !== list) return
    mark(rows.value.filter((row) => isChanged(before.get(row.id), row)).map(({ id }) => id))
    if (!now.ok) return
    const isWhole = before.size === cached.page?.total
    arrived.value = newRows(now.value.deployments, new Set(before.keys()), isWhole).map(({ id }) => id)
  }

  /** Shows the list as it is now, with what is new marked in it. */
  async function showNow(): Promise<void> {
    const ids = arrived.value
    await cached.load()
    mark(ids)
  }

  /** Cancels a running re-read. */
  const stop = (): void => latest.cancel()

  // The list has changed, so only the next re-read knows what is new.
  watch(
    () => cached.page?.snapshot,
    () => {
      arrived.value = []
    },
    { flush: 'sync' },
  )
  watch(
    () => sync.ended,
    () => {
      if (app.currentEnvironmentId !== null && cached.keepsRows) void look(app.currentEnvironmentId)
    },
  )
  watch(
    () => app.accountKey,
    () => {
      stop()
      reset()
    },
    { flush: 'sync' },
  )

  return { changed, failure, pauseMs, arrived, finished, reread, showNow, stop }
})

/** Whether a row shows something else. When the service last answered with it isn't shown. */
const isChanged = (before: CachedSummary | undefined, now: CachedSummary): boolean =>
  before !== undefined &&
  Object.entries(now).some(
    ([key, value]) => key !== 'fetched_at' && before[key as keyof CachedSummary] !== value,
  )
