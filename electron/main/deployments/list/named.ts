import {
  answerLimits,
  type Deployment,
  deploymentsPath,
  fail,
  type Failure,
  failure,
  formsOf,
  type Outcome,
  pageLimits,
  succeed,
} from '@contract'
import { shorten } from '@contract/deployment-api/shorten'
import { readAnswer } from '../../answers'
import type { ReadJob, ResultOf } from '../../answers/jobs'
import { hasCredentials } from '../../http/credentials'
import type { ServiceClient } from '../../cache-client/types'
import { untilAborted } from '../../environments/abort'
import type { HttpAnswer, HttpTarget } from '../../http/types'
import { JoinedPages } from './joined-pages'
import { withTimeLimit } from './time-limit'

/** What was read of an answer of the list, and what the service's clock said. */
export interface Listed<T> extends ReadTwice<T> {
  date: string | null
  /** Whether a cache on the way answered, from before the request. */
  isStale: boolean
}

/** What was read of an answer. */
export interface ReadTwice<T> {
  /** As it may be shown. */
  value: T
  /** With nothing taken out of it: only to compare it with what was sent, never to be shown, kept or logged. */
  asItCame: T
}

/** Reads of an answer what a job says, as it may be shown and as it came. */
export async function readTwice<Job extends ReadJob>(
  answer: HttpAnswer,
  job: Job,
  unlike: (reason: string) => Failure,
): Promise<Outcome<ReadTwice<ResultOf<Job>>>> {
  const read = await readAnswer(answer, job, unlike)
  if (!read.ok) return read
  if (!answer.unmasked) return succeed({ value: read.value, asItCame: read.value })
  const asItCame = await readAnswer({ ...answer, body: answer.unmasked }, job, unlike)
  return asItCame.ok ? succeed({ value: read.value, asItCame: asItCame.value }) : asItCame
}

/** Asks for a page of the list (interface: List deployments), and reads of it what is needed. */
export async function listPage<Job extends ReadJob>(
  http: ServiceClient,
  target: HttpTarget,
  query: URLSearchParams,
  signal: AbortSignal,
  job: Job,
): Promise<Outcome<Listed<ResultOf<Job>>>> {
  const asked = http.request({
    operation: { name: 'list-deployments' },
    target,
    method: 'GET',
    path: deploymentsPath,
    query,
    signal,
  })
  // Also where the request itself never ends, as where its session can't be prepared.
  const answer = await untilAborted(asked, signal)
  if (!answer.ok) return answer
  const { status, date = null, isStale = false } = answer.value
  const read = await readTwice(answer.value, job, (reason) => unreadable(reason, status))
  return read.ok ? succeed({ ...read.value, date, isStale }) : read
}

/** Everything that the list has for a name, and whether it was read to its end. */
export interface NamedDeployments {
  /**
   * Those that have this name, or one that a service may have made of it (`isAlike`), as they came: only to be compared
   * with what was sent.
   */
  deployments: Deployment[]
  /**
   * How many entries may have it, and could not be read, would be too much to compare, or have credentials in what is
   * kept of them.
   */
  unreadable: number
  complete: boolean
  /** The header Date of the last page, and when that came (ms since 1970). */
  date: string | null
  receivedAt: number
}

/**
 * So long a look lasts at most, over all its requests, in milliseconds: nothing else is done with its name meanwhile. The
 * interface promises no speed; this is four times what one answer may take, and a tenth of what lies between two looks
 * that show an absence.
 */
export const lookLimitMs = 60_000

/** So many pages are read for one name: a service that ignores the filter would have us read everything. */
const mostPages = 100

/**
 * Reads everything that has a name, or one that a service may have made of it, over all pages. A deployment that is
 * overlooked here might be created a second time, so only a list that is known to be whole is complete (`JoinedPages`). A
 * page that a cache on the way has kept from before says nothing of now: that fails. What was read when the time is over
 * (`lookLimitMs`) is not complete; where that is nothing, it fails with `timeout`.
 */
export function listNamed(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  return withTimeLimit(lookLimitMs, outOfTime, signal, (limited) => listForms(http, target, name, limited))
}

/** How many looks there were in this run. */
let looks = 0

/**
 * How many entries a look asks for at once: another number than the looks before it, since a cache on the way would answer
 * the same question with what it answered before, and its age, in whole seconds, may be 0 after a second.
 */
const nextLimit = (): number => pageLimits.max - (looks++ % 20)

async function listForms(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  const found: NamedDeployments = {
    deployments: [],
    unreadable: 0,
    complete: true,
    date: null,
    receivedAt: 0,
  }
  // What contains one form of the name contains others as well.
  const known = new Set<string>()
  const limit = nextLimit()
  let left = answerLimits.comparedValues
  for (const form of formsOf(name)) {
    const listed = await listContaining(http, target, form, name, limit, signal)
    if (!listed.ok && isOutOfTime(signal))
      return found.receivedAt === 0 ? fail(outOfTime) : succeed({ ...found, complete: false })
    if (!listed.ok) return listed
    const { deployments, unreadable, complete, date, receivedAt } = listed.value
    found.unreadable += unreadable
    for (const deployment of deployments) {
      if (known.has(deployment.id)) continue
      known.add(deployment.id)
      const { values, shortened } = shorten(deployment, { ...answerLimits.detail, values: left })
      if (shortened) found.unreadable += 1
      else {
        found.deployments.push(deployment)
        left -= values
      }
    }
    found.complete &&= complete
    Object.assign(found, { date, receivedAt })
    // Nothing else that is asked for makes it complete.
    if (!complete) break
  }
  return succeed(found)
}

/** The same of what contains one form of the name. */
async function listContaining(
  http: ServiceClient,
  target: HttpTarget,
  form: string,
  name: string,
  limit: number,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  const found: NamedDeployments = {
    deployments: [],
    unreadable: 0,
    complete: false,
    date: null,
    receivedAt: 0,
  }
  // What moves to the next page while the list is read comes twice.
  const known = new Set<string>()
  const pages = new JoinedPages()
  let values = 0
  for (let asked = 0; pages.offset !== null && asked < mostPages; asked += 1) {
    const query = new URLSearchParams({
      name_contains: form,
      limit: String(limit),
      offset: String(pages.offset),
    })
    const left = answerLimits.comparedValues - values
    const listed = await listPage(http, target, query, signal, {
      kind: 'named',
      limit,
      name,
      mostValues: left,
      known: pages.joint,
    })
    if (!listed.ok) return isOutOfTime(signal) && asked > 0 ? succeed(found) : listed
    const { value, asItCame: page, date, isStale } = listed.value
    if (isStale) return fail(stale)
    found.unreadable += page.unreadable
    for (const deployment of page.deployments) {
      if (known.has(deployment.id)) continue
      known.add(deployment.id)
      if (page !== value && (await isTelling(deployment, name, target))) found.unreadable += 1
      else found.deployments.push(deployment)
    }
    found.date = date
    values += page.values
    found.receivedAt = Date.now()
    pages.take(page)
  }
  found.complete = pages.complete
  return succeed(found)
}

/** Whether what is kept of a deployment that was found for a name has credentials of the request in it. */
function isTelling(deployment: Deployment, name: string, target: HttpTarget): Promise<boolean> {
  const { id, created_at, status } = deployment
  const kept = [id, created_at, status, ...(deployment.name === name ? [] : [deployment.name])]
  return hasCredentials(JSON.stringify(kept), target)
}

const outOfTime = failure('timeout', `The list could not be read within ${lookLimitMs / 1000} seconds.`, {
  advice: 'Try again; if it keeps happening, check the network and whether the service is busy.',
  retryable: true,
})

const isOutOfTime = ({ reason }: AbortSignal): boolean => reason === outOfTime

const stale = failure(
  'unreadable-answer',
  'Something on the way answered for the service, with an old list.',
  {
    advice:
      'It is not known what the service has now. Ask whoever runs the proxy or gateway not to keep its answers.',
    retryable: true,
    sent: 'answered',
  },
)

function unreadable(reason: string, status: number): Failure {
  return failure('unreadable-answer', 'The answer is not a list of deployments.', {
    advice: `Check the base URL: something else than the service may be answering there (${reason}).`,
    retryable: true,
    status,
  })
}
