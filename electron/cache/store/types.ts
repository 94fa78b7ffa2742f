import type {
  CachedPageRequest,
  CacheState,
  ChangesRequest,
  DeploymentHistory,
  DeploymentHistoryRequest,
  EnvironmentChanges,
  HistoryState,
  Observer,
  CellDeployment,
  Span,
  StatusCounts,
  StatusHistory,
  StatusHistoryRequest,
  Unseen,
  WrittenPage,
} from '@contract/cache'
import type { PageContent } from './content'
import type { AgentQuerier } from './query/agents'
import type { StoredRepositories } from './repository-lists'

/** A deployment as the service answered it, secret values emptied. Times are ISO 8601. */
export interface StoredDeployment {
  json: string
  fetchedAt: string
  goneAt: string | null
}

/** The cache of one environment. Its functions throw SQLite's errors. Times are milliseconds since 1970. */
export interface Store {
  /** `by` says what requested the page, unless it was the synchronisation `run`. */
  writePage: (body: Uint8Array, span: Span, run: number | null, by?: Observer) => WrittenPage
  /**
   * Writes a page by the digest of its body. `content` is what `readPageBody` has made of the body; undefined if that
   * isn't known. Null, without an effect, if the page isn't known either.
   */
  writeReadPage: (
    digest: string,
    content: PageContent | null | undefined,
    span: Span,
    run: number,
  ) => WrittenPage | null
  /** Whether a page with this digest of its body need not be read to be written. */
  knowsPage: (digest: string) => boolean
  writeDeployment: (body: Uint8Array, span: Span) => void
  writeRepositories: (integrationId: string, body: Uint8Array, span: Span) => void
  /** A page as JSON text of the contract's `CachedPage`. */
  page: (request: CachedPageRequest) => string
  /** Null when it is not cached. */
  deployment: (id: string) => StoredDeployment | null
  repositories: (integrationId: string) => StoredRepositories | null
  state: () => CacheState
  statuses: () => StatusCounts
  /** The content of the Overview, as JSON text of the reply. */
  overview: () => string
  /** The history of a deployment, without its environment. */
  history: (request: DeploymentHistoryRequest) => Omit<DeploymentHistory, 'environmentId'>
  changes: (request: ChangesRequest) => Omit<EnvironmentChanges, 'environmentId'>
  statusHistory: (request: StatusHistoryRequest) => Omit<StatusHistory, 'environmentId'>
  /** A deployment as it was after a point of its history; null if that isn't kept. */
  earlier: (id: string, point: number) => StoredDeployment | null
  historyState: () => HistoryState
  /** Sets for how many days the history is kept, counted from the last synchronisation. */
  keepHistory: (days: HistoryState['days']) => void
  agents: AgentQuerier['agents']
  assignedAgents: AgentQuerier['assigned']
  agentCells: (places: readonly number[]) => CellDeployment[]
  bulk: (on: boolean) => void
  unseen: (run: number, after: number, limit: number) => Unseen
  markGone: (ids: string[], span: Span) => number
  /**
   * Notes that a synchronisation has ended; `complete`: it has read the whole list. False, without an effect, if this
   * store doesn't have its pages.
   */
  synchronised: (run: number, span: Span, complete: boolean) => boolean
  cleanUp: (before: number) => number
  readNote: (key: string) => string | null
  writeNote: (key: string, value: string | null) => void
  /** Frees the memory of pages that were read from the file. The next request reads them again. */
  rest: () => void
  close: () => void
}
