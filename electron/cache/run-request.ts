import type { CachedDetail, CachedRepositoryList, CacheRequest } from '@contract/cache'
import type { Store, StoredDeployment, StoredRepositories } from './store'
import { parseAnswer, type Read, readDetail, readRepositories } from '@contract'

/** The requests that one function of a store answers. */
type StoreRequest = Exclude<
  CacheRequest,
  { op: 'open' | 'close' | 'remove' | 'page' | 'overview' | 'read-ahead' | 'write-read-page' }
>

/** Has the store of an open cache answer a request. Gives the reply's value. */
export function runRequest(store: Store, request: StoreRequest): unknown {
  const { environmentId } = request
  switch (request.op) {
    case 'write-page':
      return store.writePage(request.body, request.span, request.run, request.by)
    case 'knows-page':
      return store.knowsPage(request.digest)
    case 'write-deployment':
      return nothing(store.writeDeployment(request.body, request.span))
    case 'write-repositories':
      return nothing(store.writeRepositories(request.integrationId, request.body, request.span))
    case 'deployment':
      return readStoredDeployment(environmentId, store.deployment(request.id), request.missingAt)
    case 'repositories':
      return readStoredRepositories(
        environmentId,
        request.integrationId,
        store.repositories(request.integrationId),
      )
    case 'state':
      return store.state()
    case 'statuses':
      return store.statuses()
    case 'history':
      return { environmentId, ...store.history(request.request) }
    case 'changes':
      return { environmentId, ...store.changes(request.request) }
    case 'status-history':
      return { environmentId, ...store.statusHistory(request.request) }
    case 'earlier': {
      const { id, point } = request.request
      return readStoredDeployment(environmentId, store.earlier(id, point))
    }
    case 'history-state':
      return store.historyState()
    case 'keep-history':
      store.keepHistory(request.days)
      return store.historyState()
    case 'agents':
      return store.agents(request)
    case 'assigned-agents':
      return store.assignedAgents(request)
    case 'agent-cells':
      return store.agentCells(request.places)
    case 'bulk':
      return nothing(store.bulk(request.on))
    case 'unseen':
      return store.unseen(request.run, request.after, request.limit)
    case 'mark-gone':
      return { marked: store.markGone(request.ids, request.span) }
    case 'synchronised':
      return nothing(store.synchronised(request.span))
    case 'clean-up':
      return { removed: store.cleanUp(request.before) }
    case 'read-note':
      return store.readNote(request.key)
    case 'write-note':
      return nothing(store.writeNote(request.key, request.value))
  }
}

function nothing(_value: void): null {
  return null
}

/**
 * A stored deployment in the page's form; null if there is none, or it can't be read.
 *
 * @param missingAt when the service answered that it no longer has it (ISO 8601); otherwise null
 */
export function readStoredDeployment(
  environmentId: string,
  stored: StoredDeployment | null,
  missingAt?: string,
): CachedDetail | null {
  const read = stored && readJson(stored.json, readDetail)
  if (!read) return null
  const fromCache = { goneAt: stored.goneAt ?? missingAt ?? null, missingAt }
  return { environmentId, ...read, fetchedAt: stored.fetchedAt, fromCache }
}

/** A stored list of repositories as the page gets it; null if there is none, or it can't be read. */
function readStoredRepositories(
  environmentId: string,
  integrationId: string,
  stored: StoredRepositories | null,
): CachedRepositoryList | null {
  const read = stored && readJson(stored.json, readRepositories)
  return read && { environmentId, integrationId, ...read, fetchedAt: stored.fetchedAt, fromCache: true }
}

function readJson<T>(json: string, readAs: (answer: unknown) => Read<T>): T | null {
  const parsed = parseAnswer(Buffer.from(json))
  const read = parsed.ok ? readAs(parsed.value) : null
  return read?.ok ? read.value : null
}
