import type { DeploymentPage, ListQuery, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { call } from '@/api'
import { type MergedList, mergedList, readMergedPage } from '@contract/deployment-api/merged-list'

/** Where a page begins: at an offset of the service's list, or in several lists that are shown as one. */
export interface PageStart {
  /** With several lists: how many rows are on the pages before. */
  offset: number
  merged: MergedList | null
}

/** A page, and where the next one begins; null at the end. */
export interface ListPage {
  page: DeploymentPage
  next: PageStart | null
}

/** What to read: the filters, any number of statuses, and how many rows. */
export interface ListRequest {
  environmentId: string
  filters: Omit<ListQuery, 'offset' | 'status'>
  statuses: readonly string[]
  /** Cancels the requests when aborted. */
  signal: AbortSignal
  /** Whether to show no progress: for reads in the background. */
  quiet?: boolean
}

/** The beginning of the list. */
export const listStart: PageStart = { offset: 0, merged: null }

/**
 * Reads a page of the list. The interface takes one status: several are read as a list each and merged. Failures: those of
 * `deployments.page`.
 */
export async function readListPage(request: ListRequest, start: PageStart): Promise<Outcome<ListPage>> {
  const { environmentId, filters, statuses, signal, quiet } = request
  const read = (status: string | null, offset: number, limit: number): Promise<Outcome<DeploymentPage>> =>
    call(
      'deployments.page',
      { environmentId, query: { ...filters, status, offset, limit } },
      { signal, quiet },
    )
  if (statuses.length <= 1) {
    const outcome = await read(statuses[0] ?? null, start.offset, filters.limit)
    if (!outcome.ok) return outcome
    const { nextOffset } = outcome.value
    return succeed({
      page: outcome.value,
      next: nextOffset === null ? null : { offset: nextOffset, merged: null },
    })
  }
  const merged = await readMergedPage(start.merged ?? mergedList(statuses), filters.limit, read)
  if (!merged.ok) return merged
  const { rows, unreadable, readAt, next } = merged.value
  const end = start.offset + rows.length
  return succeed({
    page: {
      environmentId,
      offset: start.offset,
      received: rows.length + unreadable.length,
      deployments: rows,
      unreadable,
      nextOffset: next && end,
      end: next ? null : 'short',
      fetchedAt: readAt,
    },
    next: next && { offset: end, merged: next },
  })
}
