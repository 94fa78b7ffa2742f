import {
  type CallOutput,
  checkRequest,
  type CreateRequest,
  type DeploymentDetail,
  type DeploymentPage,
  fail,
  failure,
  type Failure,
  nextPage,
  type Outcome,
  type ParsedCallInput,
  type Read,
  readDetail,
  type ReadDetail,
  readFound,
  readPage,
  type StoredCreation,
  succeed,
  toSearchParams,
} from '@contract'
import type { Environments, ReadyEnvironment } from '../environments/port'
import type { HttpClient } from '../http/port'
import type { Journal, JournalBlindness } from '../journal'
import { endOf, isCreating, told } from './creation-end'
import { differences, fingerprintOf } from './fingerprint'
import { type FollowUp, isRecent } from './follow-up'
import { deploymentsPath, listNamed, listPage } from './listing'
import { readyEnvironment } from './ready-environment'

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
  claim: (input: ParsedCallInput<'deployments.claim'>) => Promise<Outcome<CallOutput<'deployments.claim'>>>
}

/** Deployments over the HTTP client (interface: List deployments, Create a deployment). */
export function createDeployments(
  environments: Environments,
  http: HttpClient,
  journal: Journal,
  followUp: FollowUp,
  report: (error: unknown) => void,
): Deployments {
  /** Creations under way, by environment and name, so that a double click never creates twice. */
  const underWay = new Set<string>()

  const list = async <T>(
    environmentId: string,
    query: URLSearchParams,
    signal: AbortSignal,
    read: (answer: unknown, limit: number) => Read<T>,
  ): Promise<Outcome<T>> => {
    const ready = await readyEnvironment(environments, environmentId, signal)
    if (!ready.ok) return ready
    const listed = await listPage(http, ready.value.target, query, signal, read)
    return listed.ok ? succeed(listed.value.value) : listed
  }

  /** The newest attempt at a name of which it is not known what became; null where there is none. */
  const unclearAttempt = async (environmentId: string, name: string): Promise<StoredCreation | null> =>
    (await journal.creations(environmentId))
      .filter((one) => one.name === name && one.state === 'unclear' && isRecent(one))
      .at(-1) ?? null

  /**
   * Why a name must not be sent while the journal cannot say whether an earlier attempt at it is unclear: the service
   * has it, or cannot be asked. Null where the service does not have it.
   */
  const takenUnseen = async (
    { target }: ReadyEnvironment,
    name: string,
    blindness: JournalBlindness,
    signal: AbortSignal,
  ): Promise<Failure | null> => {
    const listed = await listNamed(http, target, name, signal)
    if (!listed.ok) return listed.failure
    const { deployments, complete } = listed.value
    if (deployments.some((deployment) => deployment.name === name)) return takenUnknown(name, blindness)
    return complete ? null : unclearUnknown(name, blindness)
  }

  const send = async (
    environment: ReadyEnvironment,
    request: CreateRequest,
    again: string | null,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> => {
    const { target, name: environmentName, id: environmentId } = environment
    let earlier: StoredCreation | null
    let entry: string
    try {
      earlier = await unclearAttempt(environmentId, request.name)
      if (earlier && earlier.id !== again) return fail(unclearBefore(request.name))
      const blindness = await journal.blindness()
      const taken = blindness && (await takenUnseen(environment, request.name, blindness, signal))
      if (taken) return fail(taken)
      const { name, source } = request
      entry = await journal.beginCreation(
        { environmentId, environmentName },
        { name, source, fingerprint: fingerprintOf(request) },
      )
    } catch {
      return fail(journalFailure)
    }
    if (signal.aborted) {
      const reason = signal.reason as Failure
      await journal.endCreation(entry, { state: 'refused', failure: reason })
      return fail(reason)
    }
    // From here on nothing cancels the request: to stop waiting would not undo what the service does.
    const answer = await http.request({
      target,
      method: 'POST',
      path: deploymentsPath,
      body: request,
      secrets: request.secrets.map(({ value }) => value),
    })
    const answered = answer.ok ? readCreated(environmentId, request.name, answer.value) : answer
    const end = endOf(answered)
    const outcome = told(answered, end)
    await journal.endCreation(entry, end)
    if (end.state === 'unclear') void followUp.follow().catch(report)
    if (earlier && !outcome.ok && outcome.failure.code === 'conflict') {
      return await afterConflict(earlier, request, outcome.failure, signal)
    }
    return outcome
  }

  /** A name that is taken after an unclear attempt at it may be the sign that this attempt had created it. */
  const afterConflict = async (
    { environmentId, id, name }: StoredCreation,
    request: CreateRequest,
    conflict: Failure,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> => {
    const looked = await followUp.look(environmentId, id, signal)
    if (!looked.ok || looked.value.deploymentId === null) return fail(conflict)
    const created = await getOne(environmentId, looked.value.deploymentId, signal)
    // What was asked for is there; the journal says which attempt created it.
    if (created.ok && differences(fingerprintOf(request), created.value.deployment).length === 0)
      return created
    return fail({
      ...conflict,
      message: `"${name}" exists already: the earlier attempt, whose answer was lost, created it.`,
      advice: 'Nothing was created twice. What you send now differs; choose another name for it.',
    })
  }

  const getOne = async (
    environmentId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> => {
    const query = new URLSearchParams({ deployment_ids: id, limit: '1' })
    const found = await list(environmentId, query, signal, (answer, limit) => readFound(answer, limit, id))
    if (!found.ok) return found
    if (found.value === null) {
      return fail(
        failure('not-found', 'The service has no deployment with this identifier.', {
          advice: 'It may have been deleted in the meantime. Look for it in the list.',
        }),
      )
    }
    return succeed(detailOf(environmentId, found.value))
  }

  return {
    page: async ({ environmentId, query }, signal) => {
      const listed = await list(environmentId, toSearchParams(query), signal, readPage)
      if (!listed.ok) return listed
      const { deployments, unreadable: others, received, returnedOffset } = listed.value
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

    look: ({ environmentId, attemptId }, signal) => followUp.look(environmentId, attemptId, signal),

    claim: ({ environmentId, attemptId, deploymentId }) =>
      followUp.claim(environmentId, attemptId, deploymentId),

    create: async ({ environmentId, request, confirmedName, again }, signal) => {
      const key = JSON.stringify([environmentId, request.name])
      if (underWay.has(key)) {
        return fail(
          failure('conflict', `"${request.name}" is being created already.`, {
            advice: 'Wait for its result; the journal shows it under Activity.',
          }),
        )
      }
      underWay.add(key)
      try {
        const ready = await readyEnvironment(environments, environmentId, signal)
        if (!ready.ok) return ready
        const refused = refuseToSend(request, confirmedName, ready.value)
        return refused ? fail(refused) : await send(ready.value, request, again, signal)
      } finally {
        underWay.delete(key)
      }
    },
  }
}

/** Why a request does not even leave: a rule of the interface, or a protected environment not confirmed. */
function refuseToSend(
  request: CreateRequest,
  confirmedName: string | null,
  environment: ReadyEnvironment,
): Failure | null {
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

/** Reads the answer to a creation: another deployment than that of the name is no answer to it. */
function readCreated(
  environmentId: string,
  name: string,
  { json, status }: { json: unknown; status: number },
): Outcome<DeploymentDetail> {
  const detail = readDetail(json)
  if (detail.ok && detail.value.deployment.name === name && isCreating(status)) {
    return succeed(detailOf(environmentId, detail.value))
  }
  return fail(
    failure('unreadable-answer', `The service answered ${status}, but not with the new deployment.`, {
      status,
      sent: 'answered',
    }),
  )
}

function detailOf(environmentId: string, read: ReadDetail): DeploymentDetail {
  return { environmentId, ...read, fetchedAt: new Date().toISOString() }
}

const journalFailure = failure('internal', 'The journal could not be written, so nothing was sent.', {
  advice: 'Check that the disk has room and that its folder may be written, then try again.',
  retryable: true,
})

function unclearBefore(name: string): Failure {
  return failure('attempt-unclear', `It is not known whether an earlier attempt created "${name}".`, {
    advice:
      'See what was found of it, and look again. Send it again only if you are sure that it is not there.',
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
