import {
  type CallOutput,
  fail,
  nextPage,
  type Outcome,
  type ParsedCallInput,
  succeed,
  toSearchParams,
} from '@contract'
import { askService } from '../../environments/current-environment'
import { createCreation, type CreationContext } from './creation'
import { findDeployment, listPage, noSuchDeployment, queryForId } from './list-page'

/** Answers a call of the contract. */
type Answer<
  Name extends
    | 'deployments.page'
    | 'deployments.get'
    | 'deployments.status'
    | 'deployments.create'
    | 'deployments.lookUp'
    | 'deployments.claim'
    | 'deployments.dismiss',
> = (input: ParsedCallInput<Name>, signal: AbortSignal) => Promise<Outcome<CallOutput<Name>>>

/** The deployments of the current environment: the calls `deployments.*` of the contract, except for the export. */
export interface Deployments {
  page: Answer<'deployments.page'>
  get: Answer<'deployments.get'>
  status: Answer<'deployments.status'>
  create: Answer<'deployments.create'>
  lookUp: Answer<'deployments.lookUp'>
  claim: Answer<'deployments.claim'>
  dismiss: Answer<'deployments.dismiss'>
}

/** Deployments over the HTTP client (interface: List deployments, Create a deployment). */
export function createDeployments(context: CreationContext): Deployments {
  const { environments, http, reconciler } = context
  return {
    create: createCreation(context),

    lookUp: ({ environmentId, attemptId }, signal) => reconciler.lookUp(environmentId, attemptId, signal),

    claim: ({ environmentId, attemptId, deploymentId }, signal) =>
      reconciler.claim(environmentId, attemptId, deploymentId, signal),

    dismiss: ({ environmentId, attemptId }, signal) => reconciler.dismiss(environmentId, attemptId, signal),

    async page({ environmentId, query }, signal) {
      const job = { kind: 'page', limit: query.limit } as const
      const listed = await askService(environments, environmentId, signal, (target) =>
        listPage(http, target, toSearchParams(query), signal, job),
      )
      if (!listed.ok) return listed
      const { deployments, unreadable, received, returnedOffset } = listed.value
      const { limit, offset } = query
      const next = nextPage({ limit, offset, received, returnedOffset })
      return succeed({
        environmentId,
        offset,
        received,
        deployments,
        unreadable,
        nextOffset: next.offset,
        end: next.end,
        fetchedAt: new Date().toISOString(),
      })
    },

    get: ({ environmentId, id }, signal) => findDeployment(context, environmentId, id, signal),

    async status({ environmentId, id }, signal) {
      const listed = await askService(environments, environmentId, signal, (target) =>
        listPage(http, target, queryForId(id), signal, { kind: 'page', limit: 1 }, 'open'),
      )
      if (!listed.ok) return listed
      const found = listed.value.deployments.find((deployment) => deployment.id === id)
      return found ? succeed({ status: found.status }) : fail(noSuchDeployment)
    },
  }
}
