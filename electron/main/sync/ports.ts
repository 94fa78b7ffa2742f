import { type ListQuery, type Outcome, succeed, toSearchParams } from '@contract'
import type { Cache } from '../cache'
import type { Environments } from '../environments/port'
import type { HttpClient } from '../http/port'
import type { Clock, FetchedPage, SyncSource, SyncStore } from './port'

/** The service of an environment as a synchronisation sees it (interface: List deployments). */
export function createSource(
  environments: Environments,
  http: HttpClient,
  environmentId: string,
): SyncSource {
  async function list(query: ListQuery, signal: AbortSignal): Promise<Outcome<FetchedPage>> {
    const ready = await environments.ready(environmentId, signal)
    if (!ready.ok) return ready
    const sentAt = Date.now()
    const answer = await http.request({
      target: ready.value.target,
      method: 'GET',
      path: '/v2/deployments',
      query: toSearchParams(query),
      unread: true,
      signal,
    })
    if (!answer.ok) return answer
    return succeed({ body: answer.value.body ?? new Uint8Array(), span: { sentAt, receivedAt: Date.now() } })
  }
  return {
    fetchPage: (offset, limit, signal) => list({ offset, limit }, signal),
    fetchByIds: (ids, signal) => list({ offset: 0, limit: 100, deployment_ids: ids.join(',') }, signal),
  }
}

/** The copy of an environment as a synchronisation sees it. */
export function createStore(cache: Cache, environmentId: string): SyncStore {
  return {
    opening: () => cache.opening(environmentId),
    writePage: ({ body, span }, run) => cache.ask(environmentId, 'write-page', { body, span, run }),
    unseen: (run, after, limit) => cache.ask(environmentId, 'unseen', { run, after, limit }),
    markGone: (ids, span) => cache.ask(environmentId, 'mark-gone', { ids, span }),
    bulk: (on) => cache.ask(environmentId, 'bulk', { on }),
    readNote: (key) => cache.ask(environmentId, 'read-note', { key }),
    writeNote: (key, value) => cache.ask(environmentId, 'write-note', { key, value }),
  }
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal.addEventListener('abort', end)
    }),
}
