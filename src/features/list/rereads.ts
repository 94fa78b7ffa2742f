import type { DeploymentSummary, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { pageLimits } from '@contract/deployment-api/list'
import { isRollingOut } from '@contract/deployment-api/statuses'
import type { RefreshSeconds } from '@contract/ipc/screens'
import { defineStore } from 'pinia'
import { refAutoReset, useEventListener, useIntervalFn } from '@vueuse/core'
import { computed, onBeforeUnmount, ref, watch } from 'vue'
import { call } from '@/app/api'
import { useAppStore } from '@/app/stores/app'
import { useChoicesStore } from '@/app/stores/choices'
import { useResource } from '@/app/stores/resource'
import { useSyncStore } from '@/app/stores/sync'
import { type ListedRow, useDeploymentsStore } from './deployments'
import { type FoundByIds, listStart, readByIds, readListPage } from './readers'
import { isDialogOpen } from '@/app/window'
import { mayReread, pauseAfterMs } from '@/features/deployment/deployment'

/** What the service has of rows that were asked for again, and as of when (ISO 8601). */
interface RowsRead extends FoundByIds {
  at: string
}

/** A row as it was read again; the same object if it didn't change. */
export function readAgain<Row extends ListedRow>(row: Row, { rows, missing, at }: RowsRead): Row {
  const read = rows.get(row.id)
  if (!read) return missing.has(row.id) && !row.gone_at ? { ...row, gone_at: at } : row
  const isSame =
    !row.gone_at &&
    Object.entries(read).every(([key, value]) => row[key as keyof DeploymentSummary] === value)
  return isSame ? row : { ...row, ...read, gone_at: null }
}

/**
 * The new rows of the list's first page. After a removal, rows of the next page move up behind the known ones. They
 * don't count as new. An unknown row before a known one does, and so does every unknown row if the page has the whole
 * list or no known row.
 */
export function newRows(
  first: readonly DeploymentSummary[],
  isKnown: (id: string) => boolean,
  isWhole: boolean,
): DeploymentSummary[] {
  const lastKnown = first.reduce((last, { id }, index) => (isKnown(id) ? index : last), -1)
  const end = isWhole || lastKnown < 0 ? first.length : lastKnown
  return first.slice(0, end).filter(({ id }) => !isKnown(id))
}

/** How long the operator must not have typed or scrolled before a re-read, in milliseconds. */
const calmMs = 1_500

/** How long a changed row is marked, in milliseconds. */
const markedMs = 4_000

/** How many rows are read again, which is the cache's longest page. */
const maxRows = 200

/** What a re-read found: rows of the list, and its beginning as it is now. */
interface Found extends RowsRead {
  first: readonly DeploymentSummary[]
  /** Whether the list has no more rows than `first`. */
  isWhole: boolean
}

/**
 * Keeps the list up to date while it is shown. Rows never move by themselves, and changed ones are marked for a moment.
 * A failure leaves the rows as they are and lengthens the pause.
 *
 * Reads the rows of the list again, by their identifiers, and its first page, which shows new ones. Of the list of
 * rollouts, the cache tells what is new, once the service's first page is in it; rows stay even after their rollout.
 */
export const useRereadsStore = defineStore('rereads', () => {
  const app = useAppStore()
  const choices = useChoicesStore()
  const list = useDeploymentsStore()
  const sync = useSyncStore()

  const everySeconds = computed(() => choices.refreshSeconds)
  /** The rows that changed a moment ago. */
  const changed = refAutoReset<ReadonlySet<string>>(new Set(), markedMs)
  /** What the last good re-read found, and why the last one failed; null after a good one. */
  const { value: found, failure, make, cancel: stop, reset } = useResource(() => app.accountKey, read)
  /** How many re-reads have failed since the last good one. */
  const failures = ref(0)
  watch(failure, (now) => (failures.value = now ? failures.value + 1 : 0))
  /** How long to wait before the next re-read, in milliseconds. */
  const pauseMs = computed(() =>
    pauseAfterMs(everySeconds.value * 1_000, failures.value, failure.value?.retryAfterSeconds ?? null),
  )
  /** The deployments that are new and not shown. */
  const arrived = computed<readonly string[]>(() => {
    if (!found.value) return []
    const shown = new Set(list.loaded.map(({ id }) => id))
    const isKnown = list.tellsRollouts ? (id: string) => shown.has(id) : list.live.isKnown
    return newRows(found.value.first, isKnown, found.value.isWhole).map(({ id }) => id)
  })
  /** How many rows of the list of rollouts have rolled out, or are deleted. */
  const finished = computed(() =>
    list.tellsRollouts ? list.loaded.filter((row) => !isRollingOut(row)).length : 0,
  )

  function mark(ids: Iterable<string>): void {
    changed.value = new Set([...changed.value, ...ids])
  }

  async function read(signal: AbortSignal): Promise<Outcome<Found>> {
    const options = { signal, quiet: true }
    const { environmentId } = list.request!
    const request = list.tellsRollouts
      ? { environmentId, filters: { limit: pageLimits.max }, statuses: [] }
      : list.request!
    const page = await readListPage({ ...request, ...options }, listStart)
    if (!page.ok) return page
    const { deployments, fetchedAt: at, next } = page.value
    const rows = new Map(deployments.map((row) => [row.id, row]))
    const shown = list.loaded.slice(0, maxRows).map(({ id }) => id)
    const behind = shown.filter((id) => !rows.has(id))
    const again = await readByIds(environmentId, behind, options)
    if (!again.ok) return again
    const found = { rows: new Map([...rows, ...again.value.rows]), missing: again.value.missing, at }
    if (!list.tellsRollouts) return succeed({ ...found, first: deployments, isWhole: next === null })
    const newest = { query: list.query, offset: 0, limit: maxRows, snapshot: null }
    const cached = await call('cache.page', { environmentId, request: newest }, options)
    if (!cached.ok) return cached
    const isWhole = list.loaded.length === list.cached.page?.total
    return succeed({ ...found, first: cached.value.deployments, isWhole })
  }

  /** Reads the list again. Does nothing while the operator loads it. */
  async function reread(): Promise<void> {
    if (!list.request || list.loading || (!list.tellsRollouts && !list.live.page)) return
    const before = new Set(list.loaded)
    const now = await make(read, true)
    if (!now) return
    // An empty list of rollouts has no row to keep.
    if (list.tellsRollouts && !list.keepsRows) return await list.cached.refresh()
    // A row that was read by itself meanwhile may be newer.
    put((row) => (before.has(row) ? readAgain(row, now) : row), now.at)
    found.value = now
  }

  /** Replaces rows of the list, and marks those that changed. */
  function put(next: <Row extends ListedRow>(row: Row) => Row, at: string): void {
    const before = new Set(list.loaded)
    if (list.tellsRollouts) list.cached.update(next, at)
    else list.live.update(next, at)
    const now = list.loaded.filter((row) => !before.has(row))
    if (now.length > 0) mark(now.map(({ id }) => id))
  }

  /**
   * Puts a deployment that was read by itself into its row, so that one screen shows one status. Does nothing where the
   * list was read after it, or couldn't be read.
   *
   * @param at when the service answered with it (ISO 8601)
   */
  function takeRow(row: DeploymentSummary, at: string): void {
    const { page, failure: failed } = list.live
    if (list.isCached || !page || failed || at <= page.fetchedAt) return
    const read = { rows: new Map([[row.id, row]]), missing: new Set<string>(), at }
    // The other rows are as old as before.
    put((one) => readAgain(one, read), page.fetchedAt)
  }

  /** Shows the list as it is now, with what is new marked in it. */
  async function showNew(): Promise<void> {
    const ids = new Set(arrived.value)
    await (list.tellsRollouts ? list.cached.refresh() : list.live.restart())
    if (list.loaded.some(({ id }) => ids.has(id))) mark(ids)
  }

  function setEvery(seconds: RefreshSeconds): void {
    choices.set({ refreshSeconds: seconds })
    if (seconds === 0) stop()
  }

  // Another list is about to be read, so only the next re-read knows what is new.
  watch(
    [() => app.accountKey, () => list.loading, () => list.isCached],
    () => {
      reset()
      changed.value = new Set()
    },
    { flush: 'sync' },
  )
  watch(
    () => sync.ended,
    () => list.keepsRows && !sync.state?.last?.failure && void reread(),
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

/** How often it is looked whether a re-read is due, in milliseconds. */
const lookMs = 1_000

/** The events of an operator's use of the page, which a re-read must not interrupt. */
const uses = ['keydown', 'wheel', 'scroll', 'pointerdown'] as const

/**
 * While the screen is in view, reads the live list, or the list of rollouts, again at the chosen interval, but not
 * while the operator is using the page.
 */
export function useAutoRefresh(): void {
  const list = useDeploymentsStore()
  const rereads = useRereadsStore()
  let usedAt = 0
  /** When the list was read last, by the operator or again; null while it is read again. */
  let readAt: number | null = Date.now()

  /** Whether a dialog, a menu or a list of options is open. */
  const isHeld = (): boolean =>
    isDialogOpen() || document.querySelector('[role="listbox"], [role="menu"]') !== null

  async function look(): Promise<void> {
    const now = Date.now()
    const isDue = readAt !== null && now - readAt >= rereads.pauseMs && now - usedAt >= calmMs
    if (!isDue || rereads.everySeconds === 0 || !mayReread() || isHeld()) return
    if (list.isCached && !list.tellsRollouts) return
    readAt = null
    await rereads.reread()
    readAt = Date.now()
  }

  useIntervalFn(() => void look(), lookMs)
  watch(
    () => list.loading,
    () => (readAt = Date.now()),
  )
  useEventListener([...uses], () => (usedAt = Date.now()), { capture: true, passive: true })
  onBeforeUnmount(rereads.stop)
}
