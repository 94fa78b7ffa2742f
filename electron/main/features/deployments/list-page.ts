import {
  cancelledFailure,
  type DeploymentDetail,
  deploymentsPath,
  fail,
  type Failure,
  failure,
  type Outcome,
  type ReadDetail,
} from '@contract'
import type { Observer } from '@contract/cache'
import { readAnswer } from '../../processes/answers'
import type { ReadJob, ResultOf } from '../../processes/answers/jobs'
import { raceCancellation } from '../../async'
import type { ServiceClient } from '../../processes/cache-client/types'
import type { HttpTarget } from '../../http/types'

/** Requests a page of the list (interface: List deployments) and runs a job on it. */
export async function listPage<Job extends ReadJob>(
  http: ServiceClient,
  target: HttpTarget,
  query: URLSearchParams,
  signal: AbortSignal,
  job: Job,
  by: Observer = 'page',
): Promise<Outcome<ResultOf<Job>>> {
  const request = http.request({
    cachedAs: { op: 'write-page', run: null, by },
    target,
    method: 'GET',
    path: deploymentsPath,
    query,
    signal,
  })
  // The request itself may never end, for example while its session can't be prepared.
  const answer = (await raceCancellation(request, signal)) ?? fail(cancelledFailure)
  if (!answer.ok) return answer
  return await readAnswer(answer.value, job, 'a list of deployments')
}

/** The query for one deployment. The interface has no call for it. */
export const queryForId = (id: string): URLSearchParams =>
  new URLSearchParams({ deployment_ids: id, limit: '1' })

/** A deployment that was just read, as the contract defines it. */
export const detailOf = (environmentId: string, read: ReadDetail): DeploymentDetail => ({
  environmentId,
  ...read,
  fetchedAt: new Date().toISOString(),
})

/** The service was asked for this deployment alone, and answered with none. */
export const noSuchDeployment: Failure = failure(
  'not-found',
  'The service has no deployment with this identifier.',
  { advice: 'It may have been deleted in the meantime. Look for it in the list.' },
)
