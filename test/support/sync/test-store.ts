import type { SyncStore } from '../../../electron/main/features/sync/reader'

/** What a cache has of a deployment. */
export interface Copied {
  /** The model's version of its content, such as `v3`. */
  version: string
  gone: boolean
}

/** A cache whose content a test can read. */
export interface TestStore extends SyncStore {
  /** Everything it has, by identifier. Throws if a deployment is there twice. */
  contents: () => Map<string, Copied>
  /** Forgets what is only in memory, as a restart of its process does. */
  restart: () => void
  close: () => void
}
