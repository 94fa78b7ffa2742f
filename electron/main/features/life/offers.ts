import type { Route } from '../../processes/answers/life'
import { deploymentsPath, fail, type Failure, failure, type Outcome, succeed } from '@contract'
import {
  type LifeOperation,
  type Write,
  type LogCall,
  interruptCalls,
  type Offers,
} from '@contract/life/offers'
import { raceTimeout } from '../../async'
import type { Environments } from '../../environments'
import {
  accountIdentity,
  isSameService,
  storedServiceOf,
  environmentChangedFailure,
} from '../../environments/known'
import type { HttpClient, HttpTarget } from '../../http/client'
import type { Personal, PersonalContent } from '../../stored/personal'
import { readAnswer } from '../../processes/answers'

export type OffersReader = ReturnType<typeof createOffersReader>

/** How long it is kept, in milliseconds: a service may be updated meanwhile. */
const keptForMs = 86_400_000

/** How long what is kept is waited for, in milliseconds: the keychain may not answer. */
const readingMs = 3_000

/** How long a reason of a service may be, in characters. */
const longestReason = 300

/** Finds out what services offer, and keeps it for each environment as long as it leads to the same service. */
export function createOffersReader({ http, personal, environments }: OffersReaderOptions) {
  /** Those of this session, also where nothing can be kept on the disk. */
  const known = new Map<string, Offers>()
  const keyOf = (target: HttpTarget): string => `${target.environmentId} ${accountIdentity(target)}`

  async function read(target: HttpTarget): Promise<Outcome<Offers | null>> {
    const before = known.get(keyOf(target))
    if (before) return succeed(before)
    const content = await personal.content()
    if (!content.ok) return content
    const service = storedServiceOf(target)
    const stored = content.value.offers.find((one) => isSameService(one, service))?.offers
    // One that was found meanwhile is newer.
    if (stored && !known.has(keyOf(target))) known.set(keyOf(target), stored)
    return succeed(known.get(keyOf(target)) ?? null)
  }

  function keep(target: HttpTarget, offers: Offers): void {
    known.set(keyOf(target), offers)
    personal.note(target.environmentId, (content) => withOffers(content, target, offers))
  }

  const targetOf = (environmentId: string): HttpTarget | null =>
    environments.destination(environmentId)?.target ?? null

  return {
    /**
     * What the service of a target offers. `deploymentId` is one that it has, for a service without a document. `again`:
     * asks it, whatever is kept.
     */
    async of(
      target: HttpTarget,
      deploymentId: string,
      signal: AbortSignal,
      again = false,
    ): Promise<Outcome<Offers>> {
      const kept = await raceTimeout(read(target), readingMs)
      const before = kept?.ok ? kept.value : null
      if (before && !again && Date.now() - Date.parse(before.readAt) < keptForMs) return succeed(before)
      // What comes of these requests says nothing about the connection of the environment.
      const asked = { ...target, environmentId: null }
      const found =
        (await fromDocument(http, asked, signal)) ?? (await fromRequests(http, asked, deploymentId, signal))
      if ('code' in found) return before && !again ? succeed(before) : fail(found)
      const readAt = new Date().toISOString()
      const offers = withByHand(
        { ...found, byHand: [], missing: [], readAt },
        found.from === 'requests' ? (before?.byHand ?? []) : [],
      )
      keep(target, offers)
      return succeed(offers)
    },

    /** Notes that the service doesn't have an operation in spite of what was found, and why. */
    without(target: HttpTarget, operation: LifeOperation, { message, serviceWords }: Failure): void {
      const offers = known.get(keyOf(target))
      const reason = [message, serviceWords].filter(Boolean).join(' ').slice(0, longestReason)
      if (offers) keep(target, withoutOperation(offers, operation, reason))
    },

    /** What is kept of the service that an environment leads to; null if nothing is. */
    async kept(environmentId: string): Promise<Outcome<Offers | null>> {
      const target = targetOf(environmentId)
      return target ? await read(target) : succeed(null)
    },

    /** Has exactly these writes offered beside what was found. Failures: `environment-changed`, those of `Personal`. */
    async switchOn(environmentId: string, writes: readonly Write[]): Promise<Outcome<Offers>> {
      const target = targetOf(environmentId)
      const before = target && (await read(target))
      if (before && !before.ok) return before
      if (!target || !before?.value) return fail(environmentChangedFailure)
      const offers = withByHand(before.value, writes)
      const stored = await personal.change(environmentId, (content) =>
        succeed({ content: withOffers(content, target, offers), value: null }),
      )
      if (!stored.ok) return stored
      known.set(keyOf(target), offers)
      return succeed(offers)
    },
  }
}

/** What is found out about services works with. */
interface OffersReaderOptions {
  http: HttpClient
  personal: Pick<Personal, 'content' | 'change' | 'note'>
  environments: Pick<Environments, 'destination'>
}

/** The content with these offers alone for a target's environment. */
function withOffers(content: PersonalContent, target: HttpTarget, offers: Offers): PersonalContent {
  const others = content.offers.filter(({ environmentId }) => environmentId !== target.environmentId)
  return { ...content, offers: [...others, { ...storedServiceOf(target), offers }] }
}

type Found = Omit<Offers, 'readAt' | 'byHand' | 'missing'>

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

const routes: [operation: LifeOperation, route: RegExp][] = [
  ['revisions', /^GET .*\/v2\/deployments\/\{\}\/revisions$/],
  ['change', /^PATCH .*\/v2\/deployments\/\{\}$/],
  ['new-revision', /^POST .*\/v2\/deployments\/\{\}\/revisions$/],
  ['redeploy', /^POST .*\/v2\/deployments\/\{\}\/revisions\/\{\}\/redeploy$/],
  ['interrupt', /^POST .*\/v2\/deployments\/\{\}\/revisions\/\{\}\/interrupt(?:ion)?$/],
  ['delete', /^DELETE .*\/v2\/deployments\/\{\}$/],
  ['delete-many', /^DELETE .*\/v2\/deployments$/],
  ['integrations', /^GET .*\/v1\/integrations\/forge\/repohost\/install$/],
  ['listeners', /^GET .*\/v2\/listeners$/],
]

const logRoutes: [call: LogCall, route: RegExp][] = [
  ['revision', /^GET .*\/v2\/deployments\/\{\}\/revisions\/\{\}\/logs$/],
  ['deployment', /^GET .*\/v2\/deployment-logs$/],
  ['project', /^POST .*\/v1\/projects\/\{\}\/revisions\/\{\}\/build_logs$/],
]

/** Offers with exactly these writes switched on by the operator. What turned out to be missing is tried again. */
function withByHand(offers: Offers, byHand: readonly Write[]): Offers {
  const found = offers.operations.filter((one) => !offers.byHand.some((write) => write === one))
  const added = byHand.filter((one) => !found.includes(one))
  const missing = offers.missing.filter(({ operation }) => !added.some((one) => one === operation))
  return { ...offers, operations: [...found, ...added], byHand: added, missing }
}

/** Offers without an operation that the service doesn't have. */
const withoutOperation = (offers: Offers, operation: LifeOperation, reason: string): Offers => ({
  ...offers,
  operations: offers.operations.filter((one) => one !== operation),
  byHand: offers.byHand.filter((one) => one !== operation),
  missing: [...offers.missing.filter((one) => one.operation !== operation), { operation, reason }],
})

/** What the routes of a service's document offer. */
export function offersOf(found: readonly Route[]): Pick<Offers, 'operations' | 'logCall' | 'interruptCall'> {
  const has = (route: RegExp): boolean => found.some((one) => route.test(one))
  const operations = routes.filter(([, route]) => has(route)).map(([operation]) => operation)
  const logCall = logRoutes.find(([, route]) => has(route))?.[0] ?? null
  const interruptCall = interruptCalls.find((call) => has(new RegExp(`^POST .*/${call}$`))) ?? null
  return { operations: logCall ? [...operations, 'logs'] : operations, logCall, interruptCall }
}
