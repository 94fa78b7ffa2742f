import { deploymentsPath, fail, type Failure, failure, type Outcome, succeed } from '@contract'
import { type LifeOperation, type LogCall, type Offers, offersOf } from '@contract/life/offers'
import { accountIdentity } from '../../environments/model/service-identity'
import type { HttpClient, HttpTarget } from '../../http/types'
import { readAnswer } from '../../processes/answers'

/** Finds out what services offer, once for each service and account. */
export interface OffersReader {
  /** What the service of a target offers. `deploymentId` is one that it has, for a service without a document. */
  of: (target: HttpTarget, deploymentId: string, signal: AbortSignal) => Promise<Outcome<Offers>>
  /** Forgets an operation that the service doesn't have in spite of its document. */
  without: (target: HttpTarget, operation: LifeOperation) => void
}

/** How long it is known, in milliseconds: a service may be updated meanwhile. */
const knownForMs = 3_600_000

export function createOffersReader(http: HttpClient): OffersReader {
  const known = new Map<string, Offers>()
  const keyOf = (target: HttpTarget): string => accountIdentity(target, 'offers')

  return {
    async of(target, deploymentId, signal) {
      const key = keyOf(target)
      // What comes of these requests says nothing about the connection of the environment.
      const asked = { ...target, environmentId: null }
      const before = known.get(key)
      if (before && Date.now() - Date.parse(before.readAt) < knownForMs) return succeed(before)
      const found =
        (await fromDocument(http, asked, signal)) ?? (await fromRequests(http, asked, deploymentId, signal))
      if ('code' in found) return before ? succeed(before) : fail(found)
      const offers: Offers = { ...found, readAt: new Date().toISOString() }
      known.set(key, offers)
      return succeed(offers)
    },

    without(target, operation) {
      const offers = known.get(keyOf(target))
      if (offers) offers.operations = offers.operations.filter((one) => one !== operation)
    },
  }
}

type Found = Omit<Offers, 'readAt'>

/** What a service's own document says (OpenAPI); null if it has none. */
async function fromDocument(
  http: HttpClient,
  target: HttpTarget,
  signal: AbortSignal,
): Promise<Found | null> {
  const answer = await http.request({ target, method: 'GET', path: '/openapi.json', signal, once: true })
  if (!answer.ok) return null
  const routes = await readAnswer(answer.value, { kind: 'routes' }, () => noDocument)
  return routes.ok ? { ...offersOf(routes.value), from: 'document' } : null
}

const noDocument = failure('unreadable-answer', 'The service has no document of its interface.')

/** The form of a call about logs, by its path. Older services read logs by a POST, which is never tried unasked. */
const readOnlyLogs: LogCall[] = ['revision', 'deployment']

/** What requests that only read show. Writes stay unknown, and count as not offered. */
async function fromRequests(
  http: HttpClient,
  target: HttpTarget,
  deploymentId: string,
  signal: AbortSignal,
): Promise<Found | Failure> {
  const isThere = async (path: string, query: Record<string, string>): Promise<boolean | Failure> => {
    const asked = await http.request({
      target,
      method: 'GET',
      path,
      query: new URLSearchParams(query),
      signal,
      once: true,
    })
    return asked.ok || isRouteRefusing(asked.failure, deploymentId)
  }
  const revisions = await isThere(revisionsPath(deploymentId), { limit: '1' })
  if (typeof revisions !== 'boolean') return revisions
  let logCall: LogCall | null = null
  for (const call of revisions ? readOnlyLogs : []) {
    const { path, query } = logRequest(call, deploymentId, deploymentId, 'build')
    if (!logCall && (await isThere(path, { ...query, limit: '1' })) === true) logCall = call
  }
  const operations: LifeOperation[] = revisions ? ['revisions'] : []
  return {
    operations: logCall ? [...operations, 'logs'] : operations,
    logCall,
    interruptCall: null,
    from: 'requests',
  }
}

/**
 * Whether a refusal shows that the route exists: it isn't for this key, or says something about the identifier. The
 * failure itself if nobody answered.
 */
function isRouteRefusing(reason: Failure, id: string): boolean | Failure {
  const { status, sent, serviceWords } = reason
  if (sent !== 'answered' || status === null) return reason
  if (status === 404) return serviceWords?.includes(id) ?? false
  return status === 401 || status === 403 || status === 400 || status === 422
}

export const revisionsPath = (deploymentId: string): string =>
  `${deploymentsPath}/${encodeURIComponent(deploymentId)}/revisions`

/** The request for a log in one of the forms of the call, newest lines first. */
export function logRequest(
  call: LogCall,
  deploymentId: string,
  revisionId: string,
  type: 'build' | 'deploy',
): { method: 'GET' | 'POST'; path: string; query: Record<string, string>; place: 'offset' | 'cursor' } {
  switch (call) {
    case 'revision':
      return {
        method: 'GET',
        path: `${revisionsPath(deploymentId)}/${encodeURIComponent(revisionId)}/logs`,
        query: { type, order: 'desc' },
        place: 'offset',
      }
    case 'deployment':
      return {
        method: 'GET',
        path: '/v2/deployment-logs',
        query: { deployment_id: deploymentId, revision_id: revisionId, log_type: type, order: 'desc' },
        place: 'cursor',
      }
    case 'project':
      return {
        method: 'POST',
        path: `/v1/projects/${encodeURIComponent(deploymentId)}/revisions/${encodeURIComponent(revisionId)}/${type}_logs`,
        query: { order: 'desc' },
        place: 'offset',
      }
  }
}
