import type { Referred } from './store'

/** The result for a reference whose integration doesn't exist. */
export const nothingKnown: Referred = {
  hasIntegration: false,
  hasRepository: false,
  hasRefs: false,
  commit: null,
}

/** The result of a statement about a reference. */
export interface ReferenceRow {
  has_integration: boolean | number
  has_repository: boolean | number
  has_refs: boolean | number
  commit_sha: string | null
}

/** The result for a reference, from a row. */
export const referredOf = (row: ReferenceRow): Referred => ({
  hasIntegration: Boolean(row.has_integration),
  hasRepository: Boolean(row.has_repository),
  hasRefs: Boolean(row.has_refs),
  commit: row.commit_sha,
})
