import { randomUUID } from 'node:crypto'
import {
  type CallInput,
  type CallOutput,
  checkRequest,
  type CreateRequest,
  type Deployment,
  type DeploymentDetail,
  type DeploymentPage,
  deploymentsPath,
  fail,
  failure,
  type Failure,
  type Fingerprint,
  isAlike,
  isUnconfirmed,
  nextPage,
  type Outcome,
  type ParsedCallInput,
  type ReadDetail,
  type StoredCreation,
  succeed,
  toSearchParams,
} from '@contract'
import type { Environments, ReadyEnvironment } from '../environments/types'
import type { ReadJob, ResultOf } from '../answers/jobs'
import { headersIdentity, routeIdentity, serviceIdentity } from '../environments/service-identity'
import type { ServiceClient } from '../cache-client/types'
import type { HttpAnswer } from '../http/types'
import { environmentChangedFailure } from '../environments/failures'
import { FullJournalError, type Journal, type JournalBlindness, JournalError } from '../journal'
import {
  adoptAttempts,
  attemptsBefore,
  blockingAt,
  createdIds,
  isAtService,
  isSentAlike,
  journalFailure,
  otherServiceFailure,
} from './attempts/open-attempts'
import { endOf, isCreating, isRefusal, told, unconfirmed } from './attempts/creation-end'
import {
  compare,
  comparableLimits,
  contradictsVariablesOf,
  fingerprintOf,
  hasVariablesOf,
  isComparable,
  isSameRequest,
} from './attempts/fingerprint'
import type { Beginning, CreatedEarlier, Reconciler } from './reconcile'
import { type Listed, listNamed, listPage, type ReadTwice, readTwice } from './list/named'
import {
  askService,
  leadsElsewhere,
  readyEnvironment,
  stillAsAsked,
} from '../environments/current-environment'
import { clockOf, isAnother } from './attempts/match-attempt'

/** What can be done with the deployments of the current environment; the calls of the contract by that name. */
export interface Deployments {
  page: (input: ParsedCallInput<'deployments.page'>, signal: AbortSignal) => Promise<Outcome<DeploymentPage>>
  get: (input: ParsedCallInput<'deployments.get'>, signal: AbortSignal) => Promise<Outcome<DeploymentDetail>>
  create: (
    input: ParsedCallInput<'deployments.create'>,
    signal: AbortSignal,
  ) => Promise<Outcome<CallOutput<'deployments.create'>>>
  look: (
    input: ParsedCallInput<'deployments.look'>,
    signal: AbortSignal,
  ) => Promise<Outcome<CallOutput<'deployments.look'>>>
  claim: (
    input: ParsedCallInput<'deployments.claim'>,
    signal: AbortSignal,
  ) => Promise<Outcome<CallOutput<'deployments.claim'>>>
}

/** What the user knew of an unconfirmed attempt when they said that it is to be sent again. */
type Consent = NonNullable<CallInput<'deployments.create'>['again']>

/** Puts values in the place of marks, as far as they may be sent to the environment (see `Drafts`). */
export type FillIn = (
  request: CreateRequest,
  environment: ReadyEnvironment,
) => Promise<Outcome<CreateRequest>>

/**
 * Deployments over the HTTP client (interface: List deployments, Create a deployment).
 *
 * @param fillIn makes the request that is sent out of one with marks; without it, requests have none
 */
export function createDeployments(
  environments: Environments,
  http: ServiceClient,
  journal: Journal,
  reconciler: Reconciler,
  report: (error: unknown) => void,
  fillIn: FillIn = (request) => Promise.resolve(succeed(request)),
): Deployments {
  /** Names that are being created, as `holdName` has them. */
  const underWay = new Set<string>()
  const processSalt = randomUUID()

  /**
   * Holds a name while it is created, so that a double click never creates twice: at the service, which two environments
   * may share, and in the environment, or an edited base URL or tenant would be a way to send it again meanwhile. Gives
   * what lets it go; null where it is held.
   */
  const holdName = ({ id, target }: ReadyEnvironment, name: string): (() => void) | null => {
    const keys = [serviceIdentity(target, processSalt), id].map((place) => JSON.stringify([place, name]))
    if (keys.some((key) => underWay.has(key))) return null
    for (const key of keys) underWay.add(key)
    return () => {
      for (const key of keys) underWay.delete(key)
    }
  }

  const list = async <Job extends ReadJob>(
    environmentId: string,
    query: URLSearchParams,
    signal: AbortSignal,
    job: Job,
  ): Promise<Outcome<Listed<ResultOf<Job>>>> =>
    await askService(environments, environmentId, signal, (target) =>
      listPage(http, target, query, signal, job),
    )

  const attempt = async (id: string): Promise<StoredCreation | null> =>
    (await journal.creations()).find((one) => one.id === id) ?? null

  /**
   * Why a name must not be sent, as far as earlier attempts at it are concerned: one is unconfirmed, and the user has
   * not consented to sending again with what is known of it now. For that the list is looked at once more; that the
   * service does not answer does not stop what the user consented to. Null where it may be sent.
   */
  const withoutConsent = async (
    environment: ReadyEnvironment,
    name: string,
    again: Consent | null,
    signal: AbortSignal,
  ): Promise<Failure | null> => {
    await adoptAttempts(journal, environments, environment)
    const blocking = await blockingAt(journal, environment, name)
    if (!blocking) {
      const named = again && (await attempt(again.attemptId))
      const isMeant = named?.name === name && isUnconfirmed(named) && isAtService(named, environment)
      return again && !isMeant ? attemptChanged(name) : null
    }
    if (again?.attemptId !== blocking.id) {
      await noteServices(environment, blocking)
      return unclearBefore(blocking, environment)
    }
    const unseen = await reconciler.lookBeforeSending(environment.id, blocking.id, signal)
    if (unseen) return unseen
    const now = await attempt(blocking.id)
    if (fittingOf(now) > fittingOf(blocking)) return attemptChanged(name)
    return await outdatedConsent(name, again)
  }

  /**
   * Notes, as a look would, which unconfirmed attempts of an environment at the name of the one in the way were sent to
   * another service, so that the page says so; and that the one in the way was not, which may be another's.
   */
  const noteServices = async (environment: ReadyEnvironment, blocking: StoredCreation): Promise<void> => {
    for (const one of await journal.creations()) {
      const isOwn = one.environmentId === environment.id && one.name === blocking.name && isUnconfirmed(one)
      if (!isOwn && one.id !== blocking.id) continue
      const isElsewhere = !isAtService(one, environment)
      if (isElsewhere === (one.lookFailure?.code === 'other-service')) continue
      await journal.noteLook(one.id, { lookFailure: isElsewhere ? otherServiceFailure : null })
    }
  }

  /** Why what the user consented to is not what is known of the attempt any more; null where it is. */
  const outdatedConsent = async (name: string, again: Consent | null): Promise<Failure | null> => {
    const now = again && (await attempt(again.attemptId))
    if (!again) return null
    const found = now?.lookup?.deployment?.id ?? null
    const holds = now && isUnconfirmed(now) && found === again.deploymentId
    return holds ? null : attemptChanged(name)
  }

  /**
   * Why a name must not be sent while the journal cannot say whether an earlier attempt at it is unclear: the service
   * has it, or may have it, or cannot be asked. Null where the service does not have it.
   */
  const takenUnseen = async (
    { target }: ReadyEnvironment,
    name: string,
    blindness: JournalBlindness,
    signal: AbortSignal,
  ): Promise<Failure | null> => {
    const listed = await listNamed(http, target, name, signal)
    if (!listed.ok) return listed.failure
    const { deployments, complete, unreadable } = listed.value
    if (deployments.some((deployment) => deployment.name === name)) return takenUnknown(name, blindness)
    const isSure = complete && unreadable === 0 && !deployments.some((one) => isAlike(one.name, name))
    return isSure ? null : unclearUnknown(name, blindness)
  }

  const send = async (
    environment: ReadyEnvironment,
    request: CreateRequest,
    again: Consent | null,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> => {
    const { target, name: environmentName, id: environmentId } = environment
    const { name, source } = request
    const fingerprint = fingerprintOf(request)
    let entry: string | undefined
    let startedAt: string
    let beginning: Beginning
    /** What earlier attempts are known to have created. */
    let others: ReadonlySet<string>
    let outdated: Failure | null
    try {
      const reviewed = await reconciler.reviewRefused(environment, name, signal)
      if (!reviewed.ok) return reviewed
      if (reviewed.value !== null)
        return await createdByEarlier(environment, request, reviewed.value, existsAlready, signal)
      const refused = await withoutConsent(environment, request.name, again, signal)
      if (refused) return fail(refused)
      const blindness = await journal.blindness()
      const taken = blindness && (await takenUnseen(environment, request.name, blindness, signal))
      if (taken) return fail(taken)
      const attempts = await journal.creations()
      const created = createdIds(attempts, environment)
      others = new Set([...created.known, ...created.perhaps])
      const still = await stillAsAsked(environments, environment, signal)
      if (!still.ok) return still
      beginning = reconciler.begin(target)
      startedAt = new Date().toISOString()
      entry = await journal.beginCreation(
        { environmentId, environmentName },
        {
          name,
          source,
          fingerprint,
          serviceIdentity: serviceIdentity(target, fingerprint.salt),
          headersIdentity: headersIdentity(target, fingerprint.salt),
          routeIdentity: routeIdentity(target, fingerprint.salt),
          before: attemptsBefore(attempts, environment, name),
          startedAtService: beginning.startedAtService,
        },
      )
      reconciler.noteBegin(entry, beginning)
      // The environment may have been edited while this was written, or the attempt settled, even while that was asked.
      const unchanged = await stillAsAsked(environments, environment, signal)
      outdated = (await outdatedConsent(name, again)) ?? (unchanged.ok ? null : unchanged.failure)
    } catch (error) {
      const reason = whyNotBegun(error)
      if (!(error instanceof JournalError)) report(error)
      if (entry !== undefined)
        await journal.endCreation(entry, { state: 'refused', failure: reason, heldBack: true })
      return fail(reason)
    }
    const reason = signal.aborted ? (signal.reason as Failure) : (reconciler.closed() ?? outdated)
    if (reason) {
      await journal.endCreation(entry, { state: 'refused', failure: reason, heldBack: true })
      return fail(reason)
    }
    try {
      // From here on nothing cancels the request: to stop waiting would not undo what the service does.
      const answer = await http.request({
        operation: { name: 'create-deployment' },
        target,
        method: 'POST',
        path: deploymentsPath,
        body: request,
        secrets: request.secrets.map(({ value }) => value),
      })
      if (!answer.ok && isRefusal(answer.failure))
        return await afterRefusal(entry, environment, request, again, answer.failure, signal)
      const isMistaken = (deployment: Deployment, date: HttpAnswer['date']): boolean =>
        others.has(deployment.id) ||
        contradictsVariablesOf(request, deployment) ||
        isAnother(
          {
            name,
            startedAt,
            startedAtService: beginning.startedAtService,
            isSteady: beginning.isSteady(),
            fingerprint,
            serviceIdentity: null,
          },
          deployment,
          clockOf(date, Date.now()),
        )
      const answered = answer.ok ? await readCreated(environmentId, name, answer.value, isMistaken) : answer
      const end = endOf(answered)
      await journal.endCreation(entry, end)
      if (end.state === 'unclear') void reconciler.follow().catch(report)
      // What the old service has is never shown as the new one's.
      if (answered.ok && (await leadsElsewhere(environments, environment)))
        return fail(createdElsewhere(name))
      return told(answered, end)
    } catch (error) {
      report(error)
      const open = unconfirmed(lostTrack)
      await journal.endCreation(entry, { state: 'unclear', failure: open })
      void reconciler.follow().catch(report)
      return fail(open)
    }
  }

  /**
   * A refusal may be the sign that an earlier request was accepted: that of the attempt before, or this very one, which a
   * gateway has repeated. The list shows which, or leaves it open.
   */
  const afterRefusal = async (
    entry: string,
    environment: ReadyEnvironment,
    request: CreateRequest,
    again: Consent | null,
    refusal: Failure,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> => {
    // First the earlier one: what it created is not this one's.
    const sent = again && ((await attempt(again.attemptId))?.fingerprint ?? null)
    const earlier = again && (await reconciler.look(environment.id, again.attemptId, signal))
    const { state, lookup, lookFailure } = await reconciler.lookAfterRefusal(
      environment.id,
      entry,
      refusal,
      signal,
    )
    const found = lookup?.deployment ?? null
    if (state === 'created' && found) {
      await journal.endCreation(entry, { state, deploymentId: found.id })
      const created = await getCreated(environment, found.id, signal)
      if (created.ok) return succeed(created.value.value)
      // It is created, whatever became of reading it.
      return fail(
        (await leadsElsewhere(environments, environment))
          ? createdElsewhere(request.name)
          : createdUnread(request.name, created.failure),
      )
    }
    if (state === 'refused') {
      await journal.endCreation(entry, { state, failure: refusal })
      const deploymentId = earlier?.ok ? earlier.value.deploymentId : null
      return deploymentId === null
        ? fail(refusal)
        : await createdByEarlier(environment, request, { deploymentId, sent }, refusal, signal)
    }
    await journal.endCreation(entry, { state: 'unclear', failure: refusal })
    await journal.noteLook(entry, { lookup: lookup ?? undefined, lookFailure })
    void reconciler.follow().catch(report)
    return fail(unconfirmed(refusal))
  }

  /** What was asked for is there since an earlier attempt; the journal says which attempt created it. */
  const createdByEarlier = async (
    environment: ReadyEnvironment,
    request: CreateRequest,
    { deploymentId, sent }: CreatedEarlier,
    refusal: Failure,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> => {
    const created = await getCreated(environment, deploymentId, signal)
    if (created.ok && isAsAsked(request, sent, created.value.asItCame.deployment))
      return succeed(created.value.value)
    return fail({
      ...refusal,
      message: `"${request.name}" exists already: the earlier attempt created it.`,
      advice: created.ok
        ? 'Nothing was created twice. What you send now differs; choose another name for it.'
        : 'Nothing was created twice. It could not be read now: see in the list whether it is what you want.',
    })
  }

  /** Reads what is known to be created at the service that was asked, and nothing that another one calls the same. */
  const getCreated = async (
    asked: ReadyEnvironment,
    id: string,
    signal: AbortSignal,
  ): Promise<Outcome<ReadTwice<DeploymentDetail>>> => {
    // What went wrong in reading says nothing of what was created.
    const found = await getTwice(asked.id, id, signal).catch((error: unknown) => {
      report(error)
      return fail(failure('internal', 'Something went wrong inside the application.'))
    })
    return found.ok && (await leadsElsewhere(environments, asked)) ? fail(environmentChangedFailure) : found
  }

  const getOne = async (
    environmentId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> => {
    const found = await getTwice(environmentId, id, signal)
    return found.ok ? succeed(found.value.value) : found
  }

  const getTwice = async (
    environmentId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<Outcome<ReadTwice<DeploymentDetail>>> => {
    const query = new URLSearchParams({ deployment_ids: id, limit: '1' })
    const found = await list(environmentId, query, signal, { kind: 'found', limit: 1, id })
    if (!found.ok) return found
    const { value, asItCame } = found.value
    if (value === null || asItCame === null) {
      return fail(
        failure('not-found', 'The service has no deployment with this identifier.', {
          advice: 'It may have been deleted in the meantime. Look for it in the list.',
        }),
      )
    }
    return succeed({
      value: detailOf(environmentId, value),
      asItCame: detailOf(environmentId, asItCame),
    })
  }

  return {
    page: async ({ environmentId, query }, signal) => {
      const job = { kind: 'page', limit: query.limit } as const
      const listed = await list(environmentId, toSearchParams(query), signal, job)
      if (!listed.ok) return listed
      const { deployments, unreadable: others, received, returnedOffset } = listed.value.value
      const { limit, offset } = query
      const next = nextPage({ limit, offset, received, returnedOffset })
      return succeed({
        environmentId,
        offset,
        received,
        deployments,
        unreadable: others,
        nextOffset: next.offset,
        end: next.end,
        fetchedAt: new Date().toISOString(),
      })
    },

    get: ({ environmentId, id }, signal) => getOne(environmentId, id, signal),

    look: ({ environmentId, attemptId }, signal) => reconciler.look(environmentId, attemptId, signal),

    claim: ({ environmentId, attemptId, deploymentId }, signal) =>
      reconciler.claim(environmentId, attemptId, deploymentId, signal),

    create: async ({ environmentId, request, confirmedName, again }, signal) => {
      const ended = reconciler.closed()
      if (ended) return fail(ended)
      const ready = await readyEnvironment(environments, environmentId, signal)
      if (!ready.ok) return ready
      const letGo = holdName(ready.value, request.name)
      if (letGo === null) {
        return fail(
          failure('conflict', `"${request.name}" is being created already.`, {
            advice: 'Wait for its result; the journal shows it under Activity.',
          }),
        )
      }
      try {
        const refused = refuseToSend(request, confirmedName, ready.value)
        if (refused) return fail(refused)
        // For the very target that the request goes to, whatever becomes of the environment meanwhile.
        const filledIn = await fillIn(request, ready.value)
        if (!filledIn.ok) return filledIn
        // The user may have been asked, and have left.
        if (signal.aborted) return fail(signal.reason as Failure)
        return await send(ready.value, filledIn.value, again, signal)
      } finally {
        letGo()
      }
    },
  }
}

/** How many deployments were found that fit an attempt, as far as those were several. */
const fittingOf = (attempt: StoredCreation | null): number => attempt?.lookup?.fitting ?? 1

/**
 * Whether a deployment has everything that is asked for, and nothing else that an earlier attempt has sent, as far as that
 * can be compared.
 */
function isAsAsked(request: CreateRequest, sent: Fingerprint | null, deployment: Deployment): boolean {
  if (sent === null || !isSameRequest(request, sent)) return false
  const { differences } = compare(fingerprintOf(request), deployment)
  return differences.length === 0 && hasVariablesOf(request, deployment)
}

/** Why a request does not even leave: its size, a rule of the interface, or a protected environment not confirmed. */
function refuseToSend(
  request: CreateRequest,
  confirmedName: string | null,
  environment: ReadyEnvironment,
): Failure | null {
  if (!isComparable(request)) {
    return failure('invalid-input', 'This deployment has more values than Slipway can send.', {
      advice: `Use at most ${comparableLimits.values} values in at most ${comparableLimits.levels} levels.`,
    })
  }
  const issues = checkRequest(request, environment.mode)
    .filter(({ level }) => level === 'certain')
    .map(({ path: at, message }) => ({ path: at, message }))
  if (issues.length > 0) {
    return failure('invalid-input', 'This deployment cannot be created in this environment.', {
      advice: 'Mend what is named and try again.',
      issues,
    })
  }
  if (environment.protected && confirmedName !== environment.name) {
    return failure('confirmation-needed', `"${environment.name}" is a protected environment.`, {
      advice: "Type the environment's name to confirm that you mean this one.",
    })
  }
  return null
}

/**
 * Reads the answer to a creation: another deployment than that of the name is no answer to it, nor one of the name that
 * `isMistaken` knows to be another's.
 */
async function readCreated(
  environmentId: string,
  name: string,
  answer: HttpAnswer,
  isMistaken: (deployment: Deployment, date: HttpAnswer['date']) => boolean,
): Promise<Outcome<DeploymentDetail>> {
  const { status } = answer
  const another = (): Failure =>
    failure('unreadable-answer', `The service answered ${status}, but not with the new deployment.`, {
      status,
      sent: 'answered',
    })
  const read = await readTwice(answer, { kind: 'detail' }, another)
  // Whatever is wrong with the answer: asking for it again would be another creation.
  if (!read.ok) return fail({ ...read.failure, retryable: false })
  const { value, asItCame } = read.value
  const { deployment } = asItCame
  // An identifier with a credential in it, which may not be kept, is none.
  const isNamed = deployment.name === name && deployment.id === value.deployment.id
  if (!isNamed || !isCreating(status)) return fail(another())
  return isMistaken(deployment, answer.date)
    ? fail({
        ...another(),
        message: `The service answered ${status}, but with another deployment of this name.`,
      })
    : succeed(detailOf(environmentId, value))
}

function detailOf(environmentId: string, read: ReadDetail): DeploymentDetail {
  return { environmentId, ...read, fetchedAt: new Date().toISOString() }
}

/** Why nothing was sent where an error came before. */
function whyNotBegun(error: unknown): Failure {
  if (error instanceof FullJournalError) return error.failure
  return error instanceof JournalError
    ? journalFailure('nothing was sent')
    : failure('internal', 'Something went wrong inside the application, so nothing was sent.')
}

/** Why it is not known what became of a request: Slipway itself failed once it was handed to the network. */
const lostTrack = failure(
  'internal',
  'Something went wrong inside the application after the request was sent.',
  {
    sent: 'maybe',
  },
)

/** Why nothing is sent where what was told as refused turns out to be there. */
const existsAlready = failure('conflict', 'It exists already.')

/** That an attempt stands in the way of its name in an environment, which it names: the user may consent to it there. */
function unclearBefore(attempt: StoredCreation, environment: ReadyEnvironment): Failure {
  const { id, name, environmentId, environmentName } = attempt
  const isOwn = environmentId === environment.id
  const earlier = isOwn ? 'an earlier attempt' : `an attempt in "${environmentName}"`
  const where = wayAdvice(isSentAlike(attempt, environment))
  const message = `Creation of "${name}" is unconfirmed: ${earlier} may have created it.`
  return failure('attempt-unclear', message, {
    advice: isOwn ? unclearAdvice : `${where} ${unclearAdvice}`,
    attemptId: id,
  })
}

const unclearAdvice =
  'See what was found of it, and check again. Send it again only if you are sure that it is not there.'

/** Says where an attempt of another environment was sent; null: how it was sent is not known. */
function wayAdvice(isAlike: boolean | null): string {
  if (isAlike) return 'It was sent to the same service.'
  const how =
    isAlike === null
      ? 'with which request headers, proxy and certificate rule is not known'
      : 'with other request headers, or another proxy or certificate rule'
  return `It was sent to the same base URL, but ${how}. So it may be the same service, another service or another account.`
}

function createdElsewhere(name: string): Failure {
  return failure(
    'other-service',
    `"${name}" was created at the service that this environment led to before.`,
    {
      advice:
        'The environment was edited while the answer was on its way. To see the deployment, set its base URL, ' +
        'request headers, proxy and certificate rule back, or add an environment that leads there.',
      sent: 'answered',
    },
  )
}

function createdUnread(name: string, reason: Failure): Failure {
  return {
    ...reason,
    message: `"${name}" was created, but it could not be read.`,
    advice: 'There is no need to send it again: look for it in the list.',
    retryable: false,
    sent: 'answered',
  }
}

function attemptChanged(name: string): Failure {
  return failure('attempt-changed', `What is known of the earlier attempt to create "${name}" has changed.`, {
    advice: 'Nothing was sent. See what is said about it now.',
  })
}

const adviceWhere: Record<JournalBlindness, string> = {
  keychain:
    'The keychain keeps the key of the journal, so that it cannot be seen what was created from this machine. ' +
    'Unlock the keychain and try again, or choose another name.',
  gap:
    'Entries of the journal were lost or changed not long ago, so that it cannot be seen what was created from this ' +
    'machine. Look for it in the list, or choose another name.',
  newer:
    'A newer Slipway has written the journal, so that it cannot be seen what was created from this machine. ' +
    'Update Slipway and try again, or choose another name.',
}

function takenUnknown(name: string, blindness: JournalBlindness): Failure {
  return failure('conflict', `"${name}" exists already, perhaps from an earlier attempt.`, {
    advice: adviceWhere[blindness],
  })
}

function unclearUnknown(name: string, blindness: JournalBlindness): Failure {
  return failure('conflict', `It cannot be found out whether an earlier attempt created "${name}".`, {
    advice: adviceWhere[blindness],
  })
}
