import {
  type Answers,
  cancelledFailure,
  nextPage,
  toSearchParams,
  type DeploymentDetail,
  deploymentsPath,
  fail,
  type Failure,
  failure,
  type Outcome,
  type ReadDetail,
  type Deployment,
  pageLimits,
  succeed,
} from '@contract'
import type { Observer } from '@contract/cache'
import { readAnswer, type ReadJob, type ResultOf } from '../../processes/answers'
import { formsOf } from '../../processes/answers/lookup'
import { raceCancellation, raceTimeout } from '../../async'
import type { ServiceClient } from '../../processes/cache-client'
import type { Environments } from '../../environments'
import { askService } from '../../environments/known'
import type { HttpTarget } from '../../http/client'

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

/** All entries of the list for a name, and whether the list was read to its end. */
export interface NamedDeployments {
  /** Deployments with this name, or with one that differs in case and spaces (`isAlike`). */
  deployments: Deployment[]
  /** How many entries may have the name but can't be compared: they are unreadable or too large. */
  unreadable: number
  complete: boolean
  /** When the last page arrived (ISO 8601). */
  at: string
}

/** The time limit of one lookup with all its requests, in milliseconds. Its name is locked meanwhile. */
export const lookupLimitMs = 60_000

/** How many pages are read for one form of a name: a service that ignores the filter would make us read everything. */
const maxPages = 100

/** More deployments of one name aren't compared: nobody has them. */
const maxNamed = 100

/**
 * Reads all deployments with a name, or with one that differs in case and spaces, on all pages. If one were missed, it
 * might be created a second time. So each page begins with the last entry of the one before (decision 0021), and only a
 * list whose pages join is complete. Fails with `timeout` after `lookupLimitMs`.
 */
export async function listNamed(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  const late = new AbortController()
  const listing = listAllForms(http, target, name, AbortSignal.any([signal, late.signal]))
  return (await raceTimeout(listing, lookupLimitMs, () => late.abort())) ?? fail(outOfTime)
}

async function listAllForms(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  /** By identifier: an entry may have several forms of the name, or move to the next page while the list is read. */
  const found = new Map<string, Deployment>()
  const limit = pageLimits.max
  let unreadable = 0
  let isWhole = true
  for (const form of formsOf(name)) {
    let offset = 0
    let joint: string | undefined
    for (let count = 0; isWhole; count += 1) {
      const query = new URLSearchParams({ name_contains: form, limit: String(limit), offset: String(offset) })
      const page = await listPage(http, target, query, signal, { kind: 'named', limit, name })
      if (!page.ok) return page
      const { keys, deployments } = page.value
      unreadable += page.value.unreadable
      for (const deployment of deployments) found.set(deployment.id, deployment)
      isWhole = (joint === undefined || keys[0] === joint) && count < maxPages && found.size < maxNamed
      // A page that brings nothing new ends the list, whatever its length.
      if (keys.length <= (joint === undefined ? 0 : 1)) break
      joint = keys.at(-1)
      offset += keys.length - 1
    }
  }
  const at = new Date().toISOString()
  return succeed({ deployments: [...found.values()], unreadable, complete: isWhole, at })
}

const outOfTime = failure('timeout', `The list couldn't be read within ${lookupLimitMs / 1000} seconds.`, {
  advice: 'Try again. If it keeps happening, check the network and whether the service is busy.',
  retryable: true,
})

/**
 * Reads the deployments of the current environment over the HTTP client (interface: List deployments). An export reads
 * its list here, too.
 */
export function createDeployments({
  environments,
  http,
}: {
  environments: Environments
  http: ServiceClient
}): Pick<Answers<'deployments'>, 'deployments.page' | 'deployments.get' | 'deployments.status'> {
  return {
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
