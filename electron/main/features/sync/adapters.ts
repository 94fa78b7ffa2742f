import { createHash } from 'node:crypto'
import {
  deploymentsPath,
  fail,
  failure,
  type ListQuery,
  type Outcome,
  succeed,
  toSearchParams,
} from '@contract'
import { sleep, startSpan } from '../../async'
import { largestReadAhead } from '@contract/cache'
import type { Cache } from '../../processes/cache-client'
import type { Environments } from '../../environments/types'
import type { HttpClient } from '../../http/types'
import type { Clock, FetchedPage, SyncSource, SyncStore } from './reader'

/** The environment of a synchronisation, and the service that it led to at the start. */
export interface SyncPlace {
  environmentId: string
  /** As `Cache.service` names it. */
  service: string
}

const edited = failure('environment-changed', 'The environment now points to another service.')

/** As the cache's contract identifies a body. */
const digestOf = (body: Uint8Array): string => createHash('sha1').update(body).digest('base64')

/**
 * The service of an environment for a synchronisation (interface: List deployments). Fails with `environment-changed`
 * once the environment leads to another one.
 */
export function createSource(
  environments: Environments,
  http: HttpClient,
  cache: Pick<Cache, 'serviceOf'>,
  { environmentId, service }: SyncPlace,
): SyncSource {
  async function list(query: ListQuery, signal: AbortSignal): Promise<Outcome<FetchedPage>> {
    const ready = await environments.ready(environmentId, signal)
    if (!ready.ok) return ready
    if (cache.serviceOf(ready.value.target) !== service) return fail(edited)
    const span = startSpan()
    const answer = await http.request({
      target: ready.value.target,
      method: 'GET',
      path: deploymentsPath,
      query: toSearchParams(query),
      // `PageReader` repeats it.
      once: true,
      signal,
    })
    if (!answer.ok) return answer
    const body = answer.value.body.slice()
    return succeed({ body, digest: digestOf(body), span: span() })
  }
  return {
    fetchPage: (offset, limit, signal) => list({ offset, limit }, signal),
    fetchByIds: (ids, signal) => list({ offset: 0, limit: 100, deployment_ids: ids.join(',') }, signal),
  }
}

/**
 * The cache of an environment for a synchronisation. Fails with `environment-changed` once it belongs to another
 * service.
 */
export function createStore(cache: Cache, { environmentId, service }: SyncPlace): SyncStore {
  return {
    opening: () => cache.opening(environmentId),
    async writePage({ body, digest, span }, run) {
      const result = await cache.ask(environmentId, 'write-read-page', { digest, span, run }, service)
      if (!result.ok) return result
      if (result.value) return succeed(result.value)
      return cache.ask(environmentId, 'write-page', { body, span, run }, service)
    },
    async readAhead({ body, digest }) {
      if (body.byteLength > largestReadAhead) return
      const known = await cache.ask(environmentId, 'knows-page', { digest }, service)
      if (!known.ok || known.value) return
      void cache.ask(environmentId, 'read-ahead', { digest, body }, service)
    },
    unseen: (run, after, limit) => cache.ask(environmentId, 'unseen', { run, after, limit }, service),
    markGone: (ids, span) => cache.ask(environmentId, 'mark-gone', { ids, span }, service),
    bulk: (on) => cache.ask(environmentId, 'bulk', { on }, service),
  }
}

export const systemClock: Clock = { now: () => Date.now(), sleep }
