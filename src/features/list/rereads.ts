import type { DeploymentPage, DeploymentSummary, Failure, Outcome } from '@contract'
import type { CachedSummary } from '@contract/cache'
import { succeed } from '@contract/core/outcome'
import { pageLimits } from '@contract/deployment-api/list'
import { isRollingOut } from '@contract/deployment-api/statuses'
import type { RefreshSeconds } from '@contract/ipc/screens'
import { defineStore } from 'pinia'
import { refAutoReset, useEventListener } from '@vueuse/core'
import { computed, onBeforeUnmount, onMounted, ref, shallowRef, watch } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useChoicesStore } from '@/app/stores/choices'
import { createLatestCall } from '@/app/stores/resource'
import { useSyncStore } from '@/app/stores/sync'
import { useDeploymentsStore } from './deployments'
import { type ListRequest, listStart, readByIds, readListPage } from './readers'
import { isDialogOpen } from '@/app/window'
import { pauseAfterMs } from '@/features/deployment/deployment'

/** A row of the live list. `gone_at` says since when the service no longer has the deployment (ISO 8601). */
type ListRow = DeploymentSummary & { gone_at?: string | null }

/** Rows after a refresh. */
interface ReadAgain {
  /** In the same order as before; the same object for a row that didn't change. */
  rows: readonly ListRow[]
  /** The identifiers of rows that changed. */
  changed: ReadonlySet<string>
}

/**
 * Updates the rows with what was read. Rows never move: one that no longer passes the filters stays too.
 *
 * @param missing requested identifiers that the service doesn't have
 * @param at when they were requested (ISO 8601)
 */
export function putInto(
  rows: readonly ListRow[],
  read: ReadonlyMap<string, DeploymentSummary>,
  missing: ReadonlySet<string>,
  at: string,
): ReadAgain {
  const changed = new Set<string>()
  const next = rows.map((row) => {
    const now = nextOf(row, read.get(row.id), missing, at)
    if (now !== row) changed.add(row.id)
    return now
  })
  return { rows: changed.size > 0 ? next : rows, changed }
}

function nextOf(
  row: ListRow,
  read: DeploymentSummary | undefined,
  missing: ReadonlySet<string>,
  at: string,
): ListRow {
  if (read) return isSame(row, read) ? row : read
  return missing.has(row.id) && !row.gone_at ? { ...row, gone_at: at } : row
}

function isSame(row: ListRow, read: DeploymentSummary): boolean {
  if (row.gone_at) return false
  return Object.entries(read).every(([key, value]) => row[key as keyof DeploymentSummary] === value)
}

/**
 * The new rows of the list's first page. After a removal, rows of the next page move up behind the known ones. They
 * don't count as new. An unknown row before a known one does, and so does every unknown row if the page has the whole
 * list or no known row.
 */
export function newRows(
  first: readonly DeploymentSummary[],
  known: ReadonlySet<string>,
  isWhole: boolean,
): DeploymentSummary[] {
  const lastKnown = first.reduce((last, { id }, index) => (known.has(id) ? index : last), -1)
  const end = isWhole || lastKnown < 0 ? first.length : lastKnown
  return first.slice(0, end).filter(({ id }) => !known.has(id))
}

/** How long the operator must not have typed or scrolled before a re-read, in milliseconds. */
const calmMs = 1_500

/** How long a changed row is marked, in milliseconds. */
const markedMs = 4_000

/** How many rows of the list of rollouts are read again, which is the cache's longest page. */
const maxRollouts = 200

/** What a re-read of the live list found. */
interface Found {
  rows: Map<string, DeploymentSummary>
  missing: Set<string>
  first: { rows: DeploymentSummary[]; isWhole: boolean }
  at: string
}

/**
 * Keeps the list up to date while it is shown. Rows never move by themselves, and changed ones are marked for a moment.
 * A failure leaves the rows as they are and lengthens the pause.
 *
 * Of the live list, reads the rows of the page again, by their identifiers, and the first page, which shows new ones.
 * The list of rollouts comes from the cache, so the service is asked for its rows and its first page, and then the cache;
 * its rows stay even after their rollout.
 */
export const useRereadsStore = defineStore('rereads', () => {
  const app = useAppStore()
  const choices = useChoicesStore()
  const list = useDeploymentsStore()
  const sync = useSyncStore()

  const everySeconds = computed(() => choices.refreshSeconds)
  /** The rows that changed a moment ago. */
  const changed = refAutoReset<ReadonlySet<string>>(new Set(), markedMs)
  /** The deployments that are new and not shown. */
  const arrived = shallowRef<readonly string[]>([])
  /** Why the last re-read failed; null after a good one. */
  const failure = shallowRef<Failure | null>(null)
  /** How many re-reads have failed since the last good one. */
  const failures = ref(0)
  /** How long to wait before the next re-read, in milliseconds. */
  const pauseMs = computed(() =>
    pauseAfterMs(everySeconds.value * 1_000, failures.value, failure.value?.retryAfterSeconds ?? null),
  )
  /** How many rows of the list of rollouts have rolled out, or are deleted. */
  const finished = computed(() =>
    list.tellsRollouts ? list.cached.loaded.filter((row) => !isRollingOut(row)).length : 0,
  )
  const latest = createLatestCall()
  /** The rows that were read by themselves since the running re-read began. It may have older ones. */
  const takenMeanwhile = new Set<string>()

  function mark(ids: Iterable<string>): void {
    changed.value = new Set([...changed.value, ...ids])
  }

  /** Takes the end of a re-read; gives its value if it was good. */
  function settle<T>(outcome: Outcome<T> | undefined): T | null {
    if (!outcome) return null
    // A failure of another environment says nothing about this one.
    if (!outcome.ok && outcome.failure.code === 'environment-changed') return null
    failure.value = outcome.ok ? null : outcome.failure
    failures.value = outcome.ok ? 0 : failures.value + 1
    return outcome.ok ? outcome.value : null
  }

  /** Reads the list again. Does nothing while the operator loads it. */
  const reread = (): Promise<void> => (list.tellsRollouts ? rereadRollouts() : rereadPage())

  async function rereadPage(): Promise<void> {
    const { page } = list.live
    const request = list.request()
    if (!request || !page || list.live.loading) return
    takenMeanwhile.clear()
    const outcome = await latest.make((signal) => find({ ...request, signal, quiet: true }, page), {
      quiet: true,
    })
    const found = settle(outcome)
    // Still the page that was read again, perhaps with rows of `takeRow`: loading another one cancels the re-read.
    const now = list.live.page
    if (!found || !now) return
    const { rows, missing, first, at } = found
    for (const id of takenMeanwhile) {
      rows.delete(id)
      missing.delete(id)
    }
    const again = putInto(now.deployments, rows, missing, at)
    if (!list.live.update(now, again.rows, at)) return
    arrived.value = newRows(first.rows, list.live.knownIds, first.isWhole).map(({ id }) => id)
    if (again.changed.size > 0) mark(again.changed)
  }

  async function find(request: ListRequest, page: DeploymentPage): Promise<Outcome<Found>> {
    const read = await readListPage(request, listStart)
    if (!read.ok) return read
    const first = read.value.page.deployments
    const rows = new Map(first.map((row) => [row.id, row]))
    const behind = page.deployments.map(({ id }) => id).filter((id) => !rows.has(id))
    const again = await readByIds(request.environmentId, behind, request)
    if (!again.ok) return again
    for (const [id, row] of again.value.rows) rows.set(id, row)
    const { missing } = again.value
    const isWhole = read.value.next === null
    return succeed({ rows, missing, first: { rows: first, isWhole }, at: read.value.page.fetchedAt })
  }

  /**
   * Puts a deployment that was read by itself into its row, so that one screen shows one status. Does nothing where the
   * list was read after it, or couldn't be read.
   *
   * @param at when the service answered with it (ISO 8601)
   */
  function takeRow(row: DeploymentSummary, at: string): void {
    const { page, failure: failed } = list.live
    if (!page || failed || at <= page.fetchedAt) return
    const again = putInto(page.deployments, new Map([[row.id, row]]), new Set(), at)
    // The other rows are as old as before.
    if (again.changed.size === 0 || !list.live.update(page, again.rows, page.fetchedAt)) return
    takenMeanwhile.add(row.id)
    mark(again.changed)
  }

  async function rereadRollouts(): Promise<void> {
    const { currentEnvironmentId: environmentId } = app
    if (environmentId === null || list.cached.loading) return
    const ids = list.cached.loaded.map(({ id }) => id).slice(0, maxRollouts)
    const outcome = await latest.make(
      async (signal) => {
        const again = await readByIds(environmentId, ids, { signal, quiet: true })
        if (!again.ok) return again
        const query = { limit: pageLimits.max, offset: 0 }
        return call('deployments.page', { environmentId, query }, { signal, quiet: true })
      },
      { quiet: true },
    )
    if (settle<unknown>(outcome) && list.tellsRollouts) await lookInCache(environmentId)
  }

  /** Reads the rows again from the cache, and counts what rolls out by now. An empty list has no row to keep. */
  async function lookInCache(environmentId: string): Promise<void> {
    if (!list.keepsRows) return await list.cached.refresh()
    const { accountKey } = app
    const before = new Map(list.cached.loaded.map((row) => [row.id, row]))
    const snapshot = list.cached.page?.snapshot
    await list.cached.readAgain()
    const request = { query: list.query, offset: 0, limit: maxRollouts, snapshot: null }
    const now = await call('cache.page', { environmentId, request })
    if (accountKey !== app.accountKey || !list.keepsRows || list.cached.page?.snapshot !== snapshot) return
    mark(list.cached.loaded.filter((row) => isChanged(before.get(row.id), row)).map(({ id }) => id))
    if (!now.ok) return
    const isWhole = before.size === list.cached.page?.total
    arrived.value = newRows(now.value.deployments, new Set(before.keys()), isWhole).map(({ id }) => id)
  }

  /** Shows the list as it is now, with what is new marked in it. */
  async function showNew(): Promise<void> {
    const ids = new Set(arrived.value)
    await (list.tellsRollouts ? list.cached.refresh() : list.restart())
    const { rows } = list
    const isShown = Array.from({ length: rows.total }, (_, index) => rows.at(index)).some(
      (row) => row && ids.has(row.id),
    )
    if (isShown) mark(ids)
  }

  /** Cancels a running re-read. */
  const stop = (): void => latest.cancel()

  function setEvery(seconds: RefreshSeconds): void {
    choices.set({ refreshSeconds: seconds })
    if (seconds === 0) stop()
  }

  function forget(): void {
    stop()
    failure.value = null
    failures.value = 0
    arrived.value = []
  }

  // Another list was read, or is about to be, so only the next re-read knows what is new.
  watch(
    [() => list.live.loading, () => list.cached.page?.snapshot, () => list.isCached],
    ([isLoading, snapshot, isCached], [, snapshotBefore, wasCached]) => {
      if (isLoading || isCached !== wasCached) forget()
      else if (snapshot !== snapshotBefore) arrived.value = []
    },
    { flush: 'sync' },
  )
  watch(
    () => sync.ended,
    () => {
      if (app.currentEnvironmentId !== null && list.keepsRows) void lookInCache(app.currentEnvironmentId)
    },
  )
  watch(
    () => app.accountKey,
    () => {
      forget()
      changed.value = new Set()
    },
    { flush: 'sync' },
  )

  return {
    everySeconds,
    pauseMs,
    changed,
    arrived,
    finished,
    failure,
    reread,
    takeRow,
    stop,
    setEvery,
    showNew,
  }
})

/** Whether a row shows something else. When the service last answered with it isn't shown. */
const isChanged = (before: CachedSummary | undefined, now: CachedSummary): boolean =>
  before !== undefined &&
  Object.entries(now).some(
    ([key, value]) => key !== 'fetched_at' && before[key as keyof CachedSummary] !== value,
  )

/** The delay before a postponed re-read is tried again, in milliseconds. */
const againMs = 1_000

/** The events of an operator's use of the page, which a re-read must not interrupt. */
const uses = ['keydown', 'wheel', 'scroll', 'pointerdown'] as const

/**
 * While the screen is in view, reads the live list, or the list of rollouts, again at the chosen interval, but not
 * while the operator is using the page.
 */
export function useAutoRefresh(): void {
  const app = useAppStore()
  const list = useDeploymentsStore()
  const rereads = useRereadsStore()
  let usedAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Whether the screen was left. A re-read that this cancelled still settles, and must not schedule another. */
  let isStopped = false

  function noteUse(): void {
    usedAt = Date.now()
  }

  /** Whether nobody sees it, or the service can't be asked: if it refuses the request headers, that is pointless. */
  const isAway = (): boolean =>
    document.visibilityState !== 'visible' ||
    app.connection?.state === 'offline' ||
    app.connection?.state === 'denied' ||
    (list.isCached && !list.tellsRollouts)

  /** Whether a dialog or a list of options is open, or text is selected. */
  function isHeld(): boolean {
    const isListOpen = document.querySelector('[role="listbox"], [role="menu"]') !== null
    return isDialogOpen() || isListOpen || document.getSelection()?.isCollapsed === false
  }

  function plan(afterMs = rereads.pauseMs): void {
    clearTimeout(timer)
    if (isStopped || rereads.everySeconds === 0 || isAway()) return
    timer = setTimeout(() => void due(), afterMs)
  }

  async function due(): Promise<void> {
    if (isAway() || isHeld() || Date.now() - usedAt < calmMs) return plan(againMs)
    await rereads.reread()
    plan()
  }

  const planNow = (): void => plan()
  watch(
    [
      () => rereads.everySeconds,
      () => list.live.loading,
      () => list.isCached,
      () => list.tellsRollouts,
      () => app.connection?.state,
    ],
    planNow,
  )
  for (const use of uses) useEventListener(use, noteUse, { capture: true, passive: true })
  useEventListener(document, 'visibilitychange', planNow)
  onMounted(planNow)
  onBeforeUnmount(() => {
    isStopped = true
    clearTimeout(timer)
    rereads.stop()
  })
}
