import type { Annotation, IgnoredField, LastFilters, RecentChoice } from '../app/personal'
import type { SavedView } from '../cache/query'
import type { NoticeEntry, QuietHours, Watch } from '../cache/watches'
import type { Offers } from '../life/offers'

/** A service that an environment leads to. A hash of base URL and tenant identifies it. */
export interface StoredService {
  environmentId: string
  service: string
}

/** What operators keep for themselves. Each member is stored by itself. */
export interface PersonalContent {
  /** Favourites, labels and notes of the deployments of each service. */
  services: (StoredService & { annotations: Annotation[] })[]
  views: SavedView[]
  /** The deployments of each service that were assigned to an agent by hand. */
  agents: (StoredService & { deployments: { id: string; agent: string }[] })[]
  /** The agents whose rows of the board are pinned. */
  pinnedAgents: string[]
  /** The filters that lists were left with, the latest first. */
  lastFilters: (StoredService & { filters: LastFilters })[]
  /** What was chosen in the command palette, the latest first. A deployment belongs to a service. */
  recent: (RecentChoice & { of: StoredService | null })[]
  /** What the services of environments offer beside the interface: one for each environment. */
  offers: (StoredService & { offers: Offers })[]
  /** The fields that comparisons leave out. */
  ignoredFields: IgnoredField[]
}

/** The largest member that a change writes, in bytes: writing it doesn't block a process noticeably. */
export const largestPersonalMember = 4_000_000

/**
 * A watch belongs to a service. A list begins with a complete synchronisation. One that is too long is marked
 * as such.
 */
export type StoredWatch = Watch & StoredService & { hasBegun: boolean; isTooLong: boolean }

/**
 * A notice of watches: the result of one synchronisation or one round of requests, or that a service can't be reached.
 */
export interface StoredNotice extends StoredService {
  id: string
  /** ISO 8601. */
  at: string
  kind: 'changes' | 'unreachable' | 'reachable'
  entries: NoticeEntry[]
  /** How many deployments it leaves out. */
  more: number
  isRead: boolean
}

/** Watches and their notices, newest first. */
export interface WatchesContent {
  watches: StoredWatch[]
  notices: StoredNotice[]
  quiet: QuietHours
}
