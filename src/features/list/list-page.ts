import type { DeploymentPage, DeploymentSummary, ListQuery, Outcome } from '@contract'
import { succeed } from '@contract/core/outcome'
import { idBatches } from '@contract/deployment-api/list'
import { type MergedList, mergedList, readMergedPage } from '@contract/deployment-api/reading/merged-statuses'
import { call } from '@/app/api'

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
  /** Only these deployments, none of them if it is empty; null for all. */
  ids?: readonly string[] | null
  /** Cancels the requests when aborted. */
  signal: AbortSignal
  /** Whether to show no progress: for reads in the background. */
  quiet?: boolean
}

/** The beginning of the list. */
export const listStart: PageStart = { offset: 0, merged: null }

/**
 * Reads a page of the list. The interface takes one status: several are read as a list each and merged. Failures: those
 * of `deployments.page`.
 */
export function readListPage(request: ListRequest, start: PageStart): Promise<Outcome<ListPage>> {
  // An identifier with a comma can't be asked for.
  const ids = request.ids?.filter((id) => !id.includes(','))
  return ids ? readOf(request, ids, start.offset) : readPage(request, start)
}

/** Reads some deployments: from `offset` of their identifiers, as many as a page has and one request can name. */
async function readOf(
  request: ListRequest,
  ids: readonly string[],
  offset: number,
): Promise<Outcome<ListPage>> {
  const { environmentId, filters } = request
  const [batch] = idBatches(ids.slice(offset, offset + filters.limit))
  if (!batch) return succeed({ page: emptyPage(environmentId, offset), next: null })
  const batchRequest = { ...request, filters: { ...filters, deployment_ids: batch.join(',') } }
  const read = await readPage(batchRequest, listStart)
  if (!read.ok) return read
  const end = offset + batch.length
  // Other filters or the service may exclude all of these.
  if (read.value.page.received === 0 && end < ids.length) return await readOf(request, ids, end)
  const isLast = end >= ids.length
  return succeed({
    page: { ...read.value.page, offset, nextOffset: isLast ? null : end, end: isLast ? 'short' : null },
    next: isLast ? null : { offset: end, merged: null },
  })
}

const emptyPage = (environmentId: string, offset: number): DeploymentPage => ({
  environmentId,
  offset,
  received: 0,
  deployments: [],
  unreadable: [],
  nextOffset: null,
  end: 'empty',
  fetchedAt: new Date().toISOString(),
})

async function readPage(request: ListRequest, start: PageStart): Promise<Outcome<ListPage>> {
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

/** What the service has of some deployments. */
interface FoundByIds {
  rows: Map<string, DeploymentSummary>
  /** Identifiers that the service was asked for and doesn't have. */
  missing: Set<string>
}

/** Reads deployments by their identifiers, in as many requests as that takes. Failures: those of `deployments.page`. */
export async function readByIds(
  environmentId: string,
  wanted: readonly string[],
  options: { signal: AbortSignal; quiet?: boolean },
): Promise<Outcome<FoundByIds>> {
  const rows = new Map<string, DeploymentSummary>()
  const missing = new Set<string>()
  for (const batch of idBatches(wanted)) {
    for (let ids = batch; ids.length > 0;) {
      const query = { deployment_ids: ids.join(','), limit: ids.length, offset: 0 }
      const outcome: Outcome<DeploymentPage> = await call(
        'deployments.page',
        { environmentId, query },
        options,
      )
      if (!outcome.ok) return outcome
      const { deployments, received } = outcome.value
      for (const row of deployments) rows.set(row.id, row)
      const rest = ids.filter((id) => !rows.has(id))
      if (rest.length < ids.length) {
        // A service may answer fewer at once than it was asked for.
        ids = rest
        continue
      }
      if (received === 0) for (const id of rest) missing.add(id)
      break
    }
  }
  return succeed({ rows, missing })
}
