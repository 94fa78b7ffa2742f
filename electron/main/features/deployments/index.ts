import {
  type CallName,
  type DeploymentPage,
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

type Input<Name extends CallName> = ParsedCallInput<Name>

/**
 * The deployments of the current environment over the HTTP client (interface: List deployments, Create a deployment):
 * the calls `deployments.*` of the contract, except for the export.
 */
export function createDeployments(context: CreationContext) {
  const { environments, http, reconciler } = context
  return {
    create: createCreation(context),

    lookUp: ({ environmentId, attemptId }: Input<'deployments.lookUp'>, signal: AbortSignal) =>
      reconciler.lookUp(environmentId, attemptId, signal),

    claim: ({ environmentId, attemptId, deploymentId }: Input<'deployments.claim'>, signal: AbortSignal) =>
      reconciler.claim(environmentId, attemptId, deploymentId, signal),

    dismiss: ({ environmentId, attemptId }: Input<'deployments.dismiss'>, signal: AbortSignal) =>
      reconciler.dismiss(environmentId, attemptId, signal),

    async page(
      { environmentId, query }: Input<'deployments.page'>,
      signal: AbortSignal,
    ): Promise<Outcome<DeploymentPage>> {
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

    get: ({ environmentId, id }: Input<'deployments.get'>, signal: AbortSignal) =>
      findDeployment(context, environmentId, id, signal),

    async status(
      { environmentId, id }: Input<'deployments.status'>,
      signal: AbortSignal,
    ): Promise<Outcome<{ status: string }>> {
      const listed = await askService(environments, environmentId, signal, (target) =>
        listPage(http, target, queryForId(id), signal, { kind: 'page', limit: 1 }, 'open'),
      )
      if (!listed.ok) return listed
      const found = listed.value.deployments.find((deployment) => deployment.id === id)
      return found ? succeed({ status: found.status }) : fail(noSuchDeployment)
    },
  }
}

export type Deployments = ReturnType<typeof createDeployments>
