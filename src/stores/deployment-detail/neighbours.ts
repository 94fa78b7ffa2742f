import type { DeploymentSummary } from '@contract'
import { type Chunks, rowOf } from '@/stores/deployment-list/cached-deployments'

/**
 * A row of the live or the cached list. `gone_at` says since when the service no longer has the deployment,
 * `fetched_at` as of when the cache has it (ISO 8601).
 */
export type ListedRow = DeploymentSummary & { gone_at?: string | null; fetched_at?: string }

/** The row of a deployment in the list and those around it. Null at its ends, and where the list isn't loaded. */
export interface Neighbours {
  own: ListedRow | null
  previous: ListedRow | null
  next: ListedRow | null
}

const unlisted: Neighbours = { own: null, previous: null, next: null }

/** The neighbours of a deployment on a page of the live list. */
export function neighboursOnPage(id: string, rows: readonly ListedRow[]): Neighbours {
  const index = rows.findIndex((row) => row.id === id)
  if (index < 0) return unlisted
  return { own: rows[index] ?? null, previous: rows[index - 1] ?? null, next: rows[index + 1] ?? null }
}

/** The neighbours of a deployment in the cached list, as far as it was read. */
export function neighboursInCache(id: string, chunks: Chunks): Neighbours {
  for (const [first, rows] of chunks) {
    const index = rows.findIndex((row) => row.id === id)
    if (index < 0) continue
    return {
      own: rows[index] ?? null,
      previous: rowOf(chunks, first + index - 1) ?? null,
      next: rowOf(chunks, first + index + 1) ?? null,
    }
  }
  return unlisted
}
