import {
  type Answers,
  blockingAttempt,
  type CallInput,
  checkRequest,
  type CreateRequest,
  type CreationEntry,
  type DeploymentDetail,
  deploymentsPath,
  fail,
  type Failure,
  failure,
  foundIn,
  isUnconfirmed,
  type Outcome,
  type ReadDetail,
  succeed,
  urlCredentialTexts,
  isNameTaken,
} from '@contract'
import type { Environments } from '../../environments'
import {
  serviceIdentity,
  ensureUnchanged,
  leadsElsewhere,
  type ReadyEnvironment,
  readyEnvironment,
  whyNotAllowed,
} from '../../environments/known'
import type { ServiceClient } from '../../processes/cache-client'
import type { Drafts } from '../../stored/drafts'
import { type Journal, JournalError, sentOf, type StoredCreation } from '../../stored/journal'
import type { Reconciler } from './reconciler'
import { adoptAttempts } from './attempts'
import { listNamed, detailOf, listPage, queryForId } from './list'
import { sleep } from '../../async'
import type { HttpAnswer } from '../../http/client'
import { readAnswer } from '../../processes/answers'
import { isAlike } from '../../processes/answers/lookup'

export type CreationDrafts = Pick<Drafts, 'settle' | 'fillIn'>

/** What the steps of a creation work with. */
export interface CreationContext {
  environments: Environments
  http: ServiceClient
  journal: Journal
  reconciler: Reconciler
  drafts: CreationDrafts
  report: (error: unknown) => void
}

/** A creation during its steps. */
interface Creation {
  /** As it was at the start. Nothing is sent if it was edited since. */
  environment: ReadyEnvironment
  /** With the values of its secrets. */
  request: CreateRequest
  /** What the operator knew about an unconfirmed attempt when they chose to send its name again. */
  consent: CallInput<'deployments.create'>['again']
  signal: AbortSignal
}

type CreationOutcome = Outcome<DeploymentDetail>

/**
 * Creates the function that creates a deployment (interface: Create a deployment), at most once. Failures: those of the
 * call `deployments.create`.
 */
export function createCreation(context: CreationContext): Answers<'deployments'>['deployments.create'] {
  const { environments, reconciler, drafts } = context
  const locks = new NameLocks()

  return async ({ environmentId, request, confirmedName, again: consent }, callSignal) => {
    const signal = AbortSignal.any([callSignal, reconciler.closing])
    // If Slipway ends before the answer arrives, the next start knows that the draft was sent.
    await drafts.settle()
    if (signal.aborted) return fail(signal.reason as Failure)
    const ready = await readyEnvironment(environments, environmentId, signal)
    if (!ready.ok) return ready
    const environment = ready.value
    const release = locks.acquire(environment, request.name)
    if (release === null) return fail(alreadyUnderWay(request.name))
    try {
      const reason = whyNotSendable(request, confirmedName, environment)
      if (reason) return fail(reason)
      // Fills in for the target of this request, even if the environment is edited meanwhile.
      const filledIn = drafts.fillIn(request, environment)
      if (!filledIn.ok) return filledIn
      return await runCreation(context, { environment, request: filledIn.value, consent, signal })
    } finally {
      release()
    }
  }
}

/** The steps of a creation whose name is locked. Nothing leaves before `sendAttempt`. */
async function runCreation(context: CreationContext, creation: Creation): Promise<CreationOutcome> {
  let attemptId
  try {
    // Asked first: an attempt that is read only afterwards, because the keychain answers meanwhile, still counts as missing.
    const isIncomplete = await context.journal.isIncomplete()
    const reason =
      (await blockedByAttempt(context, creation)) ??
      (isIncomplete ? await blockedByService(context, creation) : null) ??
      (await whyNotUnchanged(context, creation))
    if (reason) return fail(reason)
    attemptId = await beginAttempt(context, creation)
  } catch (error) {
    return fail(notBegun(error, context.report))
  }
  return await sendAttempt(context, creation, attemptId)
}

/**
 * Locks names during their creation, so that a double click never creates twice. A lock applies at the service, which
 * two environments may share, and in the environment, whose base URL or tenant may be edited meanwhile.
 */
class NameLocks {
  readonly #held = new Set<string>()

  /** Locks a name. Gives the function that unlocks it, or null if it is already locked. */
  acquire({ id, target }: ReadyEnvironment, name: string): (() => void) | null {
    const keys = [serviceIdentity(target), id].map((place) => JSON.stringify([place, name]))
    if (keys.some((key) => this.#held.has(key))) return null
    for (const key of keys) this.#held.add(key)
    return () => {
      for (const key of keys) this.#held.delete(key)
    }
  }
}

/** Why a request may not leave: it breaks a rule of the interface, or the environment may not be changed. */
function whyNotSendable(
  request: CreateRequest,
  confirmedName: string | null,
  environment: ReadyEnvironment,
): Failure | null {
  const issues = checkRequest(request, environment.mode)
    .filter(({ level }) => level === 'certain')
    .map(({ path, message }) => ({ path, message }))
  if (issues.length === 0 || environment.readOnly) return whyNotAllowed(environment, confirmedName)
  return failure('invalid-input', "This deployment can't be created in this environment.", {
    advice: 'Fix the fields below and try again.',
    issues,
  })
}

/**
 * The attempt that blocks a name: one at the environment's service, which may be another environment's, or one of the
 * environment itself. The latter counts even if the environment's base URL or tenant was edited since. Otherwise an
 * edited path would allow sending the name again without consent.
 */
async function blockingAt(
  journal: Journal,
  { id, target }: ReadyEnvironment,
  name: string,
): Promise<StoredCreation | null> {
  const attempts = await journal.creations()
  const place = serviceIdentity(target)
  const here = attempts.filter(({ service }) => service === place)
  const own = attempts.filter(({ environmentId }) => environmentId === id)
  return blockingAttempt(here, name) ?? blockingAttempt(own, name)
}

/** Why an unconfirmed attempt blocks the name; null if none does, or the operator has consented to sending it again. */
async function blockedByAttempt(context: CreationContext, creation: Creation): Promise<Failure | null> {
  const { environments, journal, reconciler } = context
  const { environment, request, consent, signal } = creation
  const found = await blockingAt(journal, environment, request.name)
  if (!found) return consent ? attemptChanged(request.name) : null
  // It may be another environment's that no longer leads here.
  await adoptAttempts(journal, environments, environment)
  const blocking = (await journal.creation(found.id)) ?? found
  if (consent?.attemptId !== blocking.id) return unconfirmedBefore(blocking, environment)
  // A call that is repeated, by mistake or not, isn't another consent.
  if (consent.sentAgain !== blocking.sentAgain) return attemptChanged(request.name)
  // If the service doesn't answer, the operator's consent still counts.
  await reconciler.lookUp({ environmentId: environment.id, attemptId: blocking.id }, signal)
  const now = await journal.creation(blocking.id)
  return idsIn(now) === idsIn(blocking) ? null : attemptChanged(request.name)
}

/** The deployments that were found for an attempt. */
const idsIn = (attempt: StoredCreation | null): string =>
  (attempt?.lookup ? foundIn(attempt.lookup) : [])
    .map(({ id }) => id)
    .sort()
    .join()

/**
 * Why the operator's consent is outdated: more is known of the attempt by now. Null if it isn't outdated, or wasn't
 * needed.
 */
async function whyOutdated(
  { journal }: CreationContext,
  { request, consent }: Creation,
): Promise<Failure | null> {
  if (!consent) return null
  const attempt = await journal.creation(consent.attemptId)
  const found = attempt?.lookup?.deployment?.id ?? null
  const holds = attempt && isUnconfirmed(attempt) && found === consent.deploymentId
  return holds ? null : attemptChanged(request.name)
}

/** Why a name may not be sent while the journal is incomplete: the service has it, may have it, or doesn't answer. */
async function blockedByService(
  { http }: CreationContext,
  { environment, request: { name }, signal }: Creation,
): Promise<Failure | null> {
  const listed = await listNamed(http, environment.target, name, signal)
  if (!listed.ok) return listed.failure
  const { deployments, complete, unreadable } = listed.value
  if (deployments.some((deployment) => deployment.name === name)) return isTaken(name)
  const isFree = complete && unreadable === 0 && !deployments.some((one) => isAlike(one.name, name))
  return isFree ? null : mayBeTaken(name)
}

/** Writes an attempt to the journal, so that it is on disk before it leaves. Gives its identifier. */
async function beginAttempt({ journal }: CreationContext, creation: Creation): Promise<string> {
  const { environment, request, consent } = creation
  const { name, source } = request
  // On disk before the attempt is, so that after a restart, too, a consent counts once.
  if (consent) await journal.noteSentAgain(consent.attemptId)
  return await journal.beginCreation(
    { environmentId: environment.id, environmentName: environment.name },
    { name, source, service: serviceIdentity(environment.target), sent: sentOf(request) },
  )
}

/** Sends an attempt and closes its journal entry. It can be cancelled only until its body leaves. */
async function sendAttempt(
  context: CreationContext,
  creation: Creation,
  attemptId: string,
): Promise<CreationOutcome> {
  const { http, report } = context
  const { environment, request, signal } = creation
  try {
    const answer = await http.request({
      cachedAs: { op: 'write-deployment' },
      target: environment.target,
      method: 'POST',
      path: deploymentsPath,
      body: request,
      secrets: [...request.secrets.map(({ value }) => value), ...urlCredentialTexts(request)],
      signal,
    })
    const created = answer.ok ? await readCreated(context, creation, answer.value) : answer
    return await endAttempt(context, creation, attemptId, created)
  } catch (error) {
    report(error)
    return await endAttempt(context, creation, attemptId, fail(lostTrack))
  }
}

/** Why an attempt may not begin any more; null if it may. Anything may have changed since the environment was ready. */
async function whyNotUnchanged(context: CreationContext, creation: Creation): Promise<Failure | null> {
  const unchanged = await ensureUnchanged(context.environments, creation.environment, creation.signal)
  const outdated = await whyOutdated(context, creation)
  if (creation.signal.aborted) return creation.signal.reason as Failure
  return outdated ?? (unchanged.ok ? null : unchanged.failure)
}

/**
 * How a creation ended: refused only if the failure can only precede sending, or the service refused the request;
 * created if it answered so. Every other end is unconfirmed.
 */
async function endAttempt(
  { environments, journal, reconciler, report }: CreationContext,
  { environment, request }: Creation,
  attemptId: string,
  answered: Outcome<ReadDetail>,
): Promise<CreationOutcome> {
  if (!answered.ok) {
    const { failure } = answered
    const isRefused = isRefusal(failure)
    const reason = isRefused ? failure : unconfirmed(failure)
    await journal.endCreation(attemptId, { state: isRefused ? 'refused' : 'unconfirmed', failure: reason })
    if (!isRefused) void reconciler.follow().catch(report)
    return fail(reason)
  }
  await journal.endCreation(attemptId, { state: 'created', deploymentId: answered.value.deployment.id })
  // A deployment of the former service is never shown as one of the new service.
  return (await leadsElsewhere(environments, environment))
    ? fail(createdElsewhere(request.name))
    : succeed(detailOf(environment.id, answered.value))
}

/**
 * Creates a function that says whether an attempt's environment leads to where it was sent (`sentTo` of its entry).
 * Only there does the window open its deployment, or take a draft for created.
 */
export function createSentTo(
  environments: Pick<Environments, 'destination'>,
): (attempt: StoredCreation) => CreationEntry['sentTo'] {
  return (attempt) => {
    const destination = environments.destination(attempt.environmentId)
    if (destination === null) return undefined
    return serviceIdentity(destination.target) === attempt.service ? destination.service : null
  }
}

/** Statuses that mean that the deployment in the body was created. */
const creating: readonly number[] = [200, 201, 202, 204]

/**
 * Reads the answer to a creation. It must contain the new deployment, with its name; or its identifier, under which the
 * list has a deployment with the name.
 */
async function readCreated(
  context: CreationContext,
  creation: Creation,
  answer: HttpAnswer,
): Promise<Outcome<ReadDetail>> {
  const { status } = answer
  const notCreated = (): Failure =>
    failure('unreadable-answer', `The service answered ${status}, but not with the new deployment.`, {
      status,
      sent: 'answered',
    })
  if (!creating.includes(status)) return fail(notCreated())
  const read = await readAnswer(answer, { kind: 'detail' }, notCreated)
  const detail = read.ok ? read.value : await findAnswered(context.http, creation, answer)
  // Whatever is wrong with the answer, sending again would be another creation.
  if (!detail) return read.ok ? fail(notCreated()) : fail({ ...read.failure, retryable: false })
  return detail.deployment.name === creation.request.name ? succeed(detail) : fail(notCreated())
}

/** The waits before the list is read for a deployment that was just created, in milliseconds. */
const listedAfterMs = [0, 1_000, 3_000] as const

/** Reads from the list the deployment whose identifier alone was answered; null if it isn't there yet. */
async function findAnswered(
  http: CreationContext['http'],
  { environment, request }: Creation,
  answer: HttpAnswer,
): Promise<ReadDetail | null> {
  const read = await readAnswer(answer, { kind: 'identifier' }, () => lostTrack)
  const id = (read.ok ? read.value : null) ?? lastSegment(answer.location ?? '')
  if (!id) return null
  for (const waitMs of listedAfterMs) {
    await sleep(waitMs)
    const job = { kind: 'found', limit: 1, id } as const
    const found = await listPage(http, environment.target, queryForId(id), new AbortController().signal, job)
    const detail = found.ok ? found.value.detail : null
    if (detail?.deployment.name === request.name) return detail
  }
  return null
}

/** The end of an address's path. */
function lastSegment(location: string): string | undefined {
  const path = location.replace(/[?#].*$/s, '').replace(/\/+$/, '')
  try {
    return decodeURIComponent(path.slice(path.lastIndexOf('/') + 1))
  } catch {
    return undefined
  }
}

/** Why nothing was sent after an error. Reports the error unless the failure names it. */
function notBegun(error: unknown, report: (error: unknown) => void): Failure {
  if (error instanceof JournalError) return error.failure('nothing was sent')
  report(error)
  return failure('internal', 'Something went wrong inside Slipway, so nothing was sent.')
}

/** Slipway itself failed after the request was handed to the network, so its result is unknown. */
const lostTrack = failure('internal', 'Something went wrong inside Slipway after the request was sent.', {
  sent: 'maybe',
})

function alreadyUnderWay(name: string): Failure {
  return failure('conflict', `"${name}" is already being created.`, {
    advice: 'Wait for the result, which Activity shows.',
  })
}

/**
 * An unconfirmed attempt blocks its name. The failure names the attempt, so that the operator can consent to sending
 * the name again.
 */
function unconfirmedBefore(attempt: StoredCreation, environment: ReadyEnvironment): Failure {
  const { id, name, environmentId, environmentName } = attempt
  const isOwn = environmentId === environment.id
  const earlier = isOwn ? 'an earlier attempt' : `an attempt in "${environmentName}"`
  const message = `Creation of "${name}" is unconfirmed: ${earlier} may have created it.`
  return failure('attempt-unconfirmed', message, {
    advice: `${isOwn ? '' : 'It was sent to the same service. '}See what was found, and check again. Send it again only if you're sure that it isn't there.`,
    attemptId: id,
  })
}

function attemptChanged(name: string): Failure {
  return failure('attempt-changed', `The state of the earlier attempt to create "${name}" has changed.`, {
    advice: 'Nothing was sent. Check its current state.',
  })
}

const createdElsewhere = (name: string): Failure =>
  failure('other-service', `"${name}" was created with the environment's settings from before the edit.`, {
    advice:
      'The environment was edited before the answer arrived. To see the deployment, set its base URL, ' +
      'request headers, proxy and certificate rule back, or add an environment that leads there.',
    sent: 'answered',
  })

function isTaken(name: string): Failure {
  return failure('conflict', `"${name}" already exists, perhaps from an earlier attempt.`, {
    advice: unlockAdvice,
  })
}

function mayBeTaken(name: string): Failure {
  return failure('conflict', `Slipway can't tell whether an earlier attempt created "${name}".`, {
    advice: unlockAdvice,
  })
}

const unlockAdvice =
  "The journal's key in the keychain can't be read, so Slipway can't tell what was created from this machine. " +
  'Unlock the keychain and try again, or choose another name.'

const unconfirmedAdvice = 'The creation is unconfirmed. Slipway looks for the deployment in the list.'

const takenAdvice =
  `${unconfirmedAdvice} If it never appears, the tracing project of an earlier deployment may hold the name: ` +
  'then choose another one.'

/** The failure of a creation that may have happened: it says so, and doesn't offer to try again. */
function unconfirmed(reason: Failure): Failure {
  const advice = isNameTaken(reason) ? takenAdvice : unconfirmedAdvice
  return { ...reason, advice, retryable: false }
}

/**
 * Statuses that may concern another copy of the request, which a gateway sent before, or a request that was forwarded
 * all the same: 408 Request Timeout, 409 Conflict, 429 Too Many Requests.
 */
const doubtful: readonly number[] = [408, 409, 429]

/** Whether a failure shows that nothing was done: it can only precede sending, or the service refused the request. */
export const isRefusal = ({ sent, status }: Failure): boolean =>
  sent === 'no' ||
  (sent === 'answered' && status !== null && status >= 400 && status < 500 && !doubtful.includes(status))
