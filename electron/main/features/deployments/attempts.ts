import { isUnconfirmed, type Deployment, type FoundDeployment, hiddenValue, type Lookup } from '@contract'
import { readTime } from '@contract/core/time'
import type { Environments } from '../../environments'
import { serviceIdentity, type ReadyEnvironment } from '../../environments/known'
import type { Journal, SentConfiguration, StoredCreation } from '../../stored/journal'

/** How many deployments of one name are stored and shown. Nobody compares more than that by eye. */
const maxFound = 5

type Place = Pick<ReadyEnvironment, 'id' | 'name' | 'target'>

/** Whether an attempt was sent to the service of an environment: to its base URL and tenant. */
export const isAtService = ({ service }: StoredCreation, { target }: Pick<Place, 'target'>): boolean =>
  service === serviceIdentity(target)

/** What the journal knows about an attempt's name at the service of an environment, besides that attempt. */
export async function othersAt(
  journal: Journal,
  environment: Place,
  attempt: Pick<StoredCreation, 'id' | 'name'>,
): Promise<Others> {
  const others = (await journal.creations()).filter(
    (one) => one.id !== attempt.id && isAtService(one, environment),
  )
  return {
    taken: new Set(others.flatMap(({ deploymentId }) => deploymentId ?? [])),
    hasRival: others.some(
      (one) => one.name === attempt.name && (one.state === 'sending' || isUnconfirmed(one)),
    ),
  }
}

/**
 * Moves unconfirmed attempts to an environment with the same service if their own environment was removed, or is known
 * to lead elsewhere. They are then shown, looked up and block their names as its own.
 */
export async function adoptAttempts(
  journal: Journal,
  environments: Environments,
  environment: Place,
): Promise<void> {
  const existing = new Set(environments.state().environments.map(({ id }) => id))
  for (const attempt of await journal.creations()) {
    if (!isUnconfirmed(attempt) || attempt.environmentId === environment.id) continue
    const own = environments.destination(attempt.environmentId)
    const isLeft = !existing.has(attempt.environmentId) || (own !== null && !isAtService(attempt, own))
    if (!isLeft || !isAtService(attempt, environment)) continue
    await journal.moveCreation(attempt.id, {
      environmentId: environment.id,
      environmentName: environment.name,
    })
  }
}

/** What a lookup read: the deployments with an attempt's name or a similar one, and how reliable the list is. */
export interface Seen {
  deployments: readonly Deployment[]
  /** Whether the list was read to its end. */
  complete: boolean
  /** How many entries may have the name but couldn't be read. */
  unreadable: number
  /** When the list was read (ISO 8601). */
  at: string
}

/** What else the journal knows of an attempt's name at its service. */
export interface Others {
  /** Identifiers of deployments that other attempts created. */
  taken: ReadonlySet<string>
  /** Whether another attempt at the name is running or unconfirmed, so that a deployment may be its. */
  hasRival: boolean
}

/** How much older than an attempt a deployment may be: the clocks of two machines differ. */
const olderMs = 300_000

/**
 * Decides whether a lookup found what an attempt created (promise 4 in .github/SECURITY.md): exactly one deployment has
 * the name, it was created not more than five minutes before the attempt, and it has the configuration that was sent.
 * Everything else is for the operator to decide, who sees what is there.
 */
export function matchAttempt(
  attempt: Pick<StoredCreation, 'name' | 'startedAt' | 'sent'>,
  seen: Seen,
  { taken, hasRival }: Others,
): Lookup {
  const free = seen.deployments.filter(({ id }) => !taken.has(id))
  const judged = free
    .filter(({ name }) => name === attempt.name)
    .map((deployment) => judge(attempt, deployment))
    .sort((one, other) => one.differences.length - other.differences.length)
  const [best, ...rest] = judged
  const doubt = !seen.complete ? 'incomplete' : seen.unreadable > 0 ? 'unreadable' : null
  const open: Lookup = {
    at: seen.at,
    verdict: 'cannot-tell',
    deployment: null,
    differences: [],
    reason: doubt,
  }
  if (!best) {
    const [alike] = free
    if (alike) return { ...open, deployment: { ...shown(alike), name: alike.name }, reason: 'alike' }
    if (doubt) return open
    const isTaken = seen.deployments.some(({ name }) => name === attempt.name)
    return { ...open, verdict: 'not-found', reason: isTaken ? 'taken' : null }
  }
  const { deployment, differences } = best
  if (rest.length > 0) {
    return {
      ...open,
      deployment,
      others: rest.slice(0, maxFound - 1).map((one) => one.deployment),
      count: judged.length,
      differences: [...new Set(judged.flatMap((one) => one.differences))],
      reason: hasRival ? 'several' : 'repeated',
    }
  }
  if (differences.length > 0) return { ...open, verdict: 'different', deployment, differences, reason: null }
  const reason = best.reason ?? (hasRival ? 'several' : doubt)
  return reason ? { ...open, deployment, reason } : { ...open, verdict: 'found', deployment }
}

/** A deployment with an attempt's name, and what tells it from what the attempt sent. */
interface Judged {
  deployment: FoundDeployment
  differences: string[]
  /** What is missing to compare it; null if nothing is. */
  reason: 'no-time' | 'not-kept' | null
}

function judge({ startedAt, sent }: Parameters<typeof matchAttempt>[0], deployment: Deployment): Judged {
  const createdAt = readTime(deployment.created_at)
  const isOlder = createdAt !== null && createdAt < Date.parse(startedAt) - olderMs
  return {
    deployment: shown(deployment),
    differences: [...(isOlder ? ['created_at'] : []), ...(sent ? differencesOf(sent, deployment) : [])],
    reason: sent === null ? 'not-kept' : createdAt === null ? 'no-time' : null,
  }
}

const shown = ({ id, created_at, status }: Deployment): FoundDeployment => ({
  id,
  createdAt: created_at,
  status,
})

/** Members that an answer may lack without differing: the interface doesn't promise to return them. */
const mayBeMissing: readonly string[] = ['source_config.deployment_type', 'secret_references']

/** The source of a deployment whose answer lacks it. */
const unknownSource = 'unknown'

/**
 * Compares a deployment with what was sent, and gives the members of the request that differ. What only the deployment has isn't a difference, because services fill in
 * members, and neither is null, an empty text or an empty list in a request, which set nothing. The names of secrets
 * must be exactly the same; their values can't be compared.
 */
export function differencesOf(sent: SentConfiguration, deployment: Deployment): string[] {
  const { source, secret_references, secrets } = deployment
  const of = (names: readonly (string | null)[]): string => JSON.stringify([...new Set(names)].sort())
  const names = secrets.map(({ name }) => name)
  const members = [
    { member: 'source', sent: sent.source, there: source === unknownSource ? undefined : source },
    ...membersOf('source_config', sent, deployment),
    ...membersOf('source_revision_config', sent, deployment),
    { member: 'secret_references', sent: sent.secret_references, there: secret_references },
  ]
  const differing = members.filter(
    (one) => !has(one.there, one.sent) && (isSet(one.there) || !mayBeMissing.includes(one.member)),
  )
  const differences = differing.map(({ member }) => member)
  return of(names) === of(sent.secrets) ? differences : [...differences, 'secrets']
}

/** A member of the interface, with its value in the request and in the deployment. */
interface Member {
  member: string
  sent: unknown
  there: unknown
}

/** The members of a part of a request; for the resource spec, the members inside it. */
function membersOf(
  part: 'source_config' | 'source_revision_config',
  sent: SentConfiguration,
  deployment: Deployment,
): Member[] {
  const pairs = (path: string, inSent: unknown, inDeployment: unknown): Member[] =>
    Object.entries(inSent ?? {}).map(([name, value]) => ({
      member: `${path}.${name}`,
      sent: value as unknown,
      there: memberOf(inDeployment, name),
    }))
  return pairs(part, sent[part], deployment[part]).flatMap((one) =>
    one.member === 'source_config.resource_spec' ? pairs(one.member, one.sent, one.there) : [one],
  )
}

/** Whether a value has everything that was sent. What is hidden in it says nothing. */
export function has(there: unknown, sent: unknown): boolean {
  if (typeof sent === 'object' && sent !== null)
    return Object.entries(sent).every(([name, value]) => has(memberOf(there, name), value))
  return !isSet(sent) || there === sent || isSameId(there, sent)
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** UUIDs mean the same in either case. */
const isSameId = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' &&
  typeof other === 'string' &&
  uuid.test(one) &&
  one.toLowerCase() === other.toLowerCase()

const memberOf = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
    ? (holder as Record<string, unknown>)[name]
    : undefined

/** Whether a value says anything. A hidden one doesn't. */
function isSet(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isSet)
  return value !== undefined && value !== null && value !== '' && value !== hiddenValue
}
