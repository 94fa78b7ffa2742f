import type { Change, Observer } from '@contract/cache'

/** The content of a history row, besides the deployment's identifier and the time. */
export interface StoredEntry {
  name: string
  by: Observer
  /** The change happened after this time, in milliseconds; null if that isn't known. */
  previousAt: number | null
  /** The changes that one answer showed. */
  changes: Change[]
}
