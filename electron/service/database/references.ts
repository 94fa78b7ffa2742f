import type { Referred } from './store'

/** What is known of a reference where there is no such integration. */
export const nothingKnown: Referred = {
  hasIntegration: false,
  hasRepository: false,
  hasRefs: false,
  commit: null,
}

/** What a statement finds out about a reference. */
export interface ReferenceRow {
  has_integration: boolean | number
  has_repository: boolean | number
  has_refs: boolean | number
  commit_sha: string | null
}

/** What a statement found out about a reference. */
export const referredOf = (row: ReferenceRow): Referred => ({
  hasIntegration: Boolean(row.has_integration),
  hasRepository: Boolean(row.has_repository),
  hasRefs: Boolean(row.has_refs),
  commit: row.commit_sha,
})
