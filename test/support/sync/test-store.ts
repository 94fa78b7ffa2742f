import type { SyncStore } from '../../../electron/main/sync/types'

/** What a cache has of a deployment. */
export interface Copied {
  /** The model's version of its content, such as `v3`. */
  version: string
  gone: boolean
}

/** A cache that a test can look into. */
export interface TestStore extends SyncStore {
  /** Everything it has, by identifier. Throws when a deployment is there twice. */
  contents: () => Map<string, Copied>
  /** Forgets what is only in memory, as when its process is started again. */
  restart: () => void
  close: () => void
}
