import type { DeploymentPage, DeploymentSummary, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import type { RefreshSeconds } from '@contract/ipc/screens'
import { defineStore } from 'pinia'
import { computed, shallowRef, watch } from 'vue'
import { newRows, putInto } from '@/domain/list/reread'
import { useAppStore } from '@/stores/application/app'
import { useChoicesStore } from '@/stores/application/choices'
import { useDeploymentsStore } from './deployments'
import { createLatestCall } from '@/stores/application/latest-call'
import { type ListRequest, listStart, readListPage } from './list-page'
import { readByIds } from './read-by-ids'
import { createRereadState } from './reread-state'

/** What a re-read found. */
interface Found {
  rows: Map<string, DeploymentSummary>
  missing: Set<string>
  first: { rows: DeploymentSummary[]; isWhole: boolean }
  at: string
}

/**
 * Keeps the page of the live list up to date: reads its rows again, by their identifiers, and the first page, which
 * shows new ones. Rows never move by themselves.
 */
export const useLiveUpdatesStore = defineStore('live-updates', () => {
  const app = useAppStore()
  const list = useDeploymentsStore()
  const choices = useChoicesStore()

  const everySeconds = computed(() => choices.refreshSeconds)
  /** The deployments that are new on the list's first page and not shown. */
  const arrived = shallowRef<readonly string[]>([])
  const { changed, failure, pauseMs, mark, noteFailure, forgetFailure, reset } = createRereadState()
  const latest = createLatestCall()
  /** The rows that were read by themselves since the running re-read began. It may have older ones. */
  const takenMeanwhile = new Set<string>()

  /** Reads the page again. Does nothing while the operator loads a page. */
  async function reread(): Promise<void> {
    const environmentId = app.currentEnvironmentId
    const page = list.page
    if (environmentId === null || !page || list.loading) return
    const request = { ...list.request(environmentId), quiet: true }
    takenMeanwhile.clear()
    const outcome = await latest.make((signal) => find({ ...request, signal }, page), { quiet: true })
    if (!outcome) return
    if (!outcome.ok) {
      noteFailure(outcome.failure)
      return
    }
    forgetFailure()
    take(outcome.value)
  }

  function take({ rows, missing, first, at }: Found): void {
    // Still the page that was read again, perhaps with rows of `takeRow`: loading another one cancels the re-read.
    const page = list.page
    if (!page) return
    for (const id of takenMeanwhile) {
      rows.delete(id)
      missing.delete(id)
    }
    const again = putInto(page.deployments, rows, missing, at)
    if (!list.update(page, again.rows, at)) return
    arrived.value = newRows(first.rows, list.knownIds, first.isWhole).map(({ id }) => id)
    if (again.changed.size > 0) mark(again.changed)
  }

  /**
   * Puts a deployment that was read by itself into its row, so that one screen shows one status. Does nothing where the
   * list was read after it, or couldn't be read.
   *
   * @param at when the service answered with it (ISO 8601)
   */
  function takeRow(row: DeploymentSummary, at: string): void {
    const page = list.page
    if (!page || list.failure || at <= page.fetchedAt) return
    const again = putInto(page.deployments, new Map([[row.id, row]]), new Set(), at)
    // The other rows are as old as before.
    if (again.changed.size === 0 || !list.update(page, again.rows, page.fetchedAt)) return
    takenMeanwhile.add(row.id)
    mark(again.changed)
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

  /** Shows the new deployments: loads the first page, and marks them in it. */
  async function showArrived(): Promise<void> {
    const ids = new Set(arrived.value)
    await list.restart()
    if (list.page?.deployments.some(({ id }) => ids.has(id))) mark(ids)
  }

  /** Cancels a running re-read. */
  const stop = (): void => latest.cancel()

  function setEvery(seconds: RefreshSeconds): void {
    choices.setRefresh(seconds)
    if (seconds === 0) stop()
  }

  // Another page was loaded, or is about to be, so only the next re-read knows what is new.
  watch(
    () => list.loading,
    (isLoading) => {
      if (!isLoading) return
      stop()
      forgetFailure()
      arrived.value = []
    },
    { flush: 'sync' },
  )
  watch(
    () => app.accountKey,
    () => {
      stop()
      reset()
      arrived.value = []
    },
    { flush: 'sync' },
  )

  return { everySeconds, pauseMs, changed, arrived, failure, reread, takeRow, stop, setEvery, showArrived }
})
