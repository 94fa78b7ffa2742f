import { type Answers, fail, type Failure, failure, nextPage, succeed, toSearchParams } from '@contract'
import { askService } from '../../environments/current-environment'
import { createCreation, type CreationContext } from './creation'
import { detailOf, listPage, noSuchDeployment, queryForId } from './list-page'

/**
 * The deployments of the current environment over the HTTP client (interface: List deployments, Create a deployment),
 * except for the export.
 */
export function createDeployments(
  context: CreationContext,
): Omit<Answers<'deployments'>, 'deployments.export' | 'deployments.showExport'> {
  const { environments, http, reconciler } = context
  return {
    'deployments.create': createCreation(context),
    'deployments.lookUp': reconciler.lookUp,
    'deployments.claim': reconciler.claim,
    'deployments.dismiss': reconciler.dismiss,

    async 'deployments.page'({ environmentId, query }, signal) {
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

    async 'deployments.get'({ environmentId, id }, signal) {
      const job = { kind: 'found', limit: 1, id } as const
      const found = await askService(environments, environmentId, signal, (target) =>
        listPage(http, target, queryForId(id), signal, job, 'open'),
      )
      if (!found.ok) return found
      const { detail, received } = found.value
      if (detail === null) return fail(received === 0 ? noSuchDeployment : notInAnswer)
      return succeed(detailOf(environmentId, detail))
    },

    async 'deployments.status'({ environmentId, id }, signal) {
      const listed = await askService(environments, environmentId, signal, (target) =>
        listPage(http, target, queryForId(id), signal, { kind: 'page', limit: 1 }, 'open'),
      )
      if (!listed.ok) return listed
      const found = listed.value.deployments.find((deployment) => deployment.id === id)
      return found ? succeed({ status: found.status }) : fail(noSuchDeployment)
    },
  }
}

/** This says nothing about the deployment: other ones came instead. */
const notInAnswer: Failure = failure('not-found', "The service's answer doesn't have this deployment.", {
  advice: 'It may have been deleted in the meantime. Look for it in the list.',
})

export type Deployments = ReturnType<typeof createDeployments>
