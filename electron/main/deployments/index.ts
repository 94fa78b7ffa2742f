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
  readDeployment,
  readPage,
  type ReadPage,
  succeed,
  summarise,
  toSearchParams,
  withoutSecretValues,
} from '@contract'
import type { Environments, ReadyEnvironment } from '../environments/port'
import type { HttpClient } from '../http/port'
import type { CreationEnd, Journal } from '../journal'
import { readyEnvironment } from './ready-environment'

/** What can be done with the deployments of the current environment; the calls of the contract by that name. */
export interface Deployments {
  page: (input: ParsedCallInput<'deployments.page'>, signal: AbortSignal) => Promise<Outcome<DeploymentPage>>
  get: (input: ParsedCallInput<'deployments.get'>, signal: AbortSignal) => Promise<Outcome<DeploymentDetail>>
  create: (
    input: ParsedCallInput<'deployments.create'>,
    signal: AbortSignal,
  ) => Promise<Outcome<CallOutput<'deployments.create'>>>
}

const path = '/v2/deployments'

const lookFirst =
  'It is not known whether the deployment was created; look for it in the list before sending again.'

/** Deployments over the HTTP client (interface: List deployments, Create a deployment). */
export function createDeployments(
  environments: Environments,
  http: HttpClient,
  journal: Journal,
): Deployments {
  /** Creations under way, by environment and name, so that a double click never creates twice. */
  const underWay = new Set<string>()

  /** Asks for a page of the list; gives it read, and as it came. */
  const list = async (
    environmentId: string,
    query: URLSearchParams,
    signal: AbortSignal,
  ): Promise<Outcome<{ page: ReadPage; json: unknown }>> => {
    const ready = await readyEnvironment(environments, environmentId, signal)
    if (!ready.ok) return ready
    const answer = await http.request({ target: ready.value.target, method: 'GET', path, query, signal })
    if (!answer.ok) return answer
    const { json, status } = answer.value
    const page = readPage(json)
    return page.ok ? succeed({ page: page.value, json }) : unreadable(page.reason, status)
  }

  const send = async (
    { target, name: environmentName, id: environmentId }: ReadyEnvironment,
    request: CreateRequest,
    signal: AbortSignal,
  ): Promise<Outcome<DeploymentDetail>> => {
    let entry: string
    try {
      entry = await journal.beginCreation({ environmentId, environmentName }, request)
    } catch {
      return fail(
        failure('internal', 'The journal could not be written, so nothing was sent.', {
          advice: 'Check that the disk has room and that its folder may be written, then try again.',
          retryable: true,
        }),
      )
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
      path,
      body: request,
      secrets: request.secrets.map(({ value }) => value),
    })
    const outcome = answer.ok ? readCreated(environmentId, answer.value) : answer
    await journal.endCreation(entry, endOf(outcome))
    return outcome
  }

  return {
    page: async ({ environmentId, query }, signal) => {
      const listed = await list(environmentId, toSearchParams(query), signal)
      if (!listed.ok) return listed
      const { deployments, unreadable: others, received, returnedOffset } = listed.value.page
      const { limit, offset } = query
      const next = nextPage({ limit, offset, received, returnedOffset })
      return succeed({
        environmentId,
        offset,
        received,
        deployments: deployments.map(summarise),
        unreadable: others,
        nextOffset: next.offset,
        end: next.end,
        fetchedAt: new Date().toISOString(),
      })
    },

    get: async ({ environmentId, id }, signal) => {
      const query = new URLSearchParams({ deployment_ids: id, limit: '1' })
      const listed = await list(environmentId, query, signal)
      if (!listed.ok) return listed
      const { page, json } = listed.value
      const deployment = page.deployments.find((candidate) => candidate.id === id)
      if (!deployment) {
        return fail(
          failure('not-found', 'The service has no deployment with this identifier.', {
            advice: 'It may have been deleted in the meantime. Look for it in the list.',
          }),
        )
      }
      const { resources } = json as { resources: unknown[] }
      const answered = resources.find((item) => (item as { id?: unknown } | null)?.id === id)
      return succeed(detailOf(environmentId, deployment, answered))
    },

    create: async ({ environmentId, request, confirmedName }, signal) => {
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
        return refused ? fail(refused) : await send(ready.value, request, signal)
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

function readCreated(
  environmentId: string,
  { json, status }: { json: unknown; status: number },
): Outcome<DeploymentDetail> {
  const deployment = readDeployment(json)
  if (deployment.ok) return succeed(detailOf(environmentId, deployment.value, json))
  return fail(
    failure('unreadable-answer', `The service answered ${status}, but not with a deployment.`, {
      advice: lookFirst,
      status,
    }),
  )
}

function detailOf(
  environmentId: string,
  deployment: DeploymentDetail['deployment'],
  answered: unknown,
): DeploymentDetail {
  return {
    environmentId,
    deployment,
    json: JSON.stringify(withoutSecretValues(answered), null, 2),
    fetchedAt: new Date().toISOString(),
  }
}

function unreadable(reason: string, status: number): Outcome<never> {
  return fail(
    failure('unreadable-answer', 'The answer is not a list of deployments.', {
      advice: `Check the base URL: something else than the service may be answering there (${reason}).`,
      retryable: true,
      status,
    }),
  )
}

/**
 * How a creation ended. Unclear is every outcome after which the service may have created the deployment all the
 * same: no answer, one that cannot be read, a fault on its side, or a redirect that stands for "done" (303).
 */
function endOf(outcome: Outcome<DeploymentDetail>): CreationEnd {
  if (outcome.ok) return { state: 'created', deploymentId: outcome.value.deployment.id }
  const { code, status } = outcome.failure
  const unclear =
    ['timeout', 'connection-lost', 'unreadable-answer', 'too-large', 'service-error', 'internal'].includes(
      code,
    ) ||
    (code === 'redirected' && status === 303)
  return { state: unclear ? 'unclear' : 'refused', failure: outcome.failure }
}
