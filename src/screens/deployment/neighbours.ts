import type { DeploymentSummary } from '@contract'
import { type Chunks, rowOf } from '@/stores/cached-deployments'

/** The deployments before and after one in the list. Null at its ends, and where the list isn't loaded. */
export interface Neighbours {
  previous: DeploymentSummary | null
  next: DeploymentSummary | null
}

/** The neighbours of a deployment on a page of the live list. */
export function neighboursOnPage(id: string, rows: readonly DeploymentSummary[]): Neighbours {
  const index = rows.findIndex((row) => row.id === id)
  if (index < 0) return { previous: null, next: null }
  return { previous: rows[index - 1] ?? null, next: rows[index + 1] ?? null }
}

/** The neighbours of a deployment in the cached list, as far as it was read. */
export function neighboursInCache(id: string, chunks: Chunks): Neighbours {
  for (const [first, rows] of chunks) {
    const index = rows.findIndex((row) => row.id === id)
    if (index < 0) continue
    return {
      previous: rowOf(chunks, first + index - 1) ?? null,
      next: rowOf(chunks, first + index + 1) ?? null,
    }
  }
  return { previous: null, next: null }
}
