import type { DeploymentSummary } from '@contract'
import type { RowList } from '@/composables/list-position'

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

/** The neighbours of a deployment in the list, as far as that is read. */
export function neighboursOf(id: string, { total, at }: RowList<ListedRow>): Neighbours {
  for (let index = 0; index < total; index += 1) {
    const own = at(index)
    if (own?.id === id) return { own, previous: at(index - 1) ?? null, next: at(index + 1) ?? null }
  }
  return { own: null, previous: null, next: null }
}
