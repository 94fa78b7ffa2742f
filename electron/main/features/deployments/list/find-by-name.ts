import {
  answerLimits,
  type Deployment,
  fail,
  type Failure,
  failure,
  formsOf,
  type Outcome,
  pageLimits,
  succeed,
} from '@contract'
import { shorten } from '@contract/deployment-api/reading/shorten'
import { withTimeout } from '../../../async'
import type { ServiceClient } from '../../../processes/cache-client/types'
import type { HttpTarget } from '../../../http/types'
import { JoinedPages } from './joined-pages'
import { listPage } from './page'

/** All entries of the list for a name, and whether the list was read to its end. */
export interface NamedDeployments {
  /**
   * Deployments with this name, or with one that a service may have made of it (`isAlike`).
   */
  deployments: Deployment[]
  /**
   * Entries that may have the name but can't be compared: they are unreadable or too large.
   */
  unreadable: number
  complete: boolean
  /** The header Date of the last page. */
  date: string | null
  /** When the last page arrived (ms since 1970). */
  receivedAt: number
}

/**
 * The time limit of one lookup with all its requests, in milliseconds. Its name is locked meanwhile. The interface
 * promises no speed. This is four times the limit of one answer, and a tenth of the time between two lookups that show
 * an absence.
 */
export const lookupLimitMs = 60_000

/**
 * How many pages are read for one name. Without a limit, a service that ignores the filter would make us read
 * everything.
 */
const maxPages = 100

/**
 * How many pages are read without the filter, in case it hides the name. The rest of a longer list
 * isn't read, because the operator waits for the reason of a refusal.
 */
const maxUnfilteredPages = 10

/**
 * Reads all deployments with a name, or with one that a service may have made of it, on all pages. If one were missed,
 * it might be created a second time. So only a list that is known to be whole is complete (`JoinedPages`). Fails for a
 * page from a cache that is older than the request, because it says nothing about now. After `lookupLimitMs`, the
 * result has what was read and isn't complete. If nothing was read, it fails with `timeout`.
 *
 * @param isFilterDoubted whether the beginning of the list is read without the filter as well, if that finds nothing
 */
export function listNamed(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
  isFilterDoubted = false,
): Promise<Outcome<NamedDeployments>> {
  return withTimeout(
    lookupLimitMs,
    async (limited) => {
      const found = await listAllForms(http, target, name, limited)
      const isNothing = found.ok && found.value.complete && found.value.deployments.length === 0
      if (!isFilterDoubted || !isNothing) return found
      return await withUnfiltered(http, target, name, found.value, limited)
    },
    { signal, reason: outOfTime },
  )
}

/**
 * Adds deployments with the name from the beginning of the unfiltered list. If that can't be read, the result isn't
 * complete. Fails once the result is no longer needed.
 */
async function withUnfiltered(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  found: NamedDeployments,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  const query = { form: null, name, limit: nextLimit(), max: maxUnfilteredPages }
  const listed = await listContaining(http, target, query, signal)
  if (!listed.ok) return isAbandoned(listed.failure, signal) ? listed : succeed({ ...found, complete: false })
  const { complete, date, receivedAt } = listed.value
  const all = { ...found, unreadable: found.unreadable + listed.value.unreadable, complete, date, receivedAt }
  addComparable(all, listed.value.deployments, answerLimits.comparedValues)
  return succeed(all)
}

/**
 * Adds deployments that are small enough to be compared, and counts the others as unreadable. Gives how many of the
 * values are left.
 */
function addComparable(
  found: Pick<NamedDeployments, 'deployments' | 'unreadable'>,
  deployments: readonly Deployment[],
  valuesLeft: number,
): number {
  let left = valuesLeft
  for (const deployment of deployments) {
    const { values, shortened } = shorten(deployment, { ...answerLimits.detail, values: left })
    if (shortened) found.unreadable += 1
    else {
      found.deployments.push(deployment)
      left -= values
    }
  }
  return left
}

async function listAllForms(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  const found = { ...nothingRead(), complete: true }
  // A name that contains one form may contain others too.
  const known = new Set<string>()
  const limit = nextLimit()
  let valuesLeft: number = answerLimits.comparedValues
  for (const form of formsOf(name)) {
    const listed = await listContaining(http, target, { form, name, limit, max: maxPages }, signal)
    if (!listed.ok && isOutOfTime(signal))
      return found.receivedAt === 0 ? fail(outOfTime) : succeed({ ...found, complete: false })
    if (!listed.ok) return listed
    const { deployments, unreadable, complete, date, receivedAt } = listed.value
    found.unreadable += unreadable
    const fresh = deployments.filter(({ id }) => !known.has(id))
    for (const { id } of fresh) known.add(id)
    valuesLeft = addComparable(found, fresh, valuesLeft)
    found.complete &&= complete
    Object.assign(found, { date, receivedAt })
    // Further requests can't make the result complete.
    if (!complete) break
  }
  return succeed(found)
}

/**
 * Reads pages of deployments whose names contain one form of a name. If the form is null, reads the unfiltered list,
 * whose beginning is enough as long as its pages join.
 */
async function listContaining(
  http: ServiceClient,
  target: HttpTarget,
  { form, name, limit, max }: { form: string | null; name: string; limit: number; max: number },
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  const found = nothingRead()
  // An entry that moves to the next page while the list is read appears twice.
  const known = new Set<string>()
  const pages = new JoinedPages()
  let values = 0
  for (let count = 0; pages.offset !== null && count < max; count += 1) {
    const query = new URLSearchParams({
      ...(form === null ? {} : { name_contains: form }),
      limit: String(limit),
      offset: String(pages.offset),
    })
    const listed = await listPage(http, target, query, signal, {
      kind: 'named',
      limit,
      name,
      maxValues: answerLimits.comparedValues - values,
      known: pages.joint,
    })
    if (!listed.ok) return isOutOfTime(signal) && count > 0 ? succeed(found) : listed
    const { value: page, date, isStale } = listed.value
    if (isStale) return fail(stale)
    found.unreadable += page.unreadable
    for (const deployment of page.deployments) {
      if (known.has(deployment.id)) continue
      known.add(deployment.id)
      found.deployments.push(deployment)
    }
    found.date = date
    found.receivedAt = Date.now()
    values += page.values
    pages.take(page)
  }
  const isLonger = pages.offset !== null
  found.complete = pages.complete || (form === null && isLonger && pages.isWhole)
  return succeed(found)
}

const nothingRead = (): NamedDeployments => ({
  deployments: [],
  unreadable: 0,
  complete: false,
  date: null,
  receivedAt: 0,
})

/** The number of lookups in this run. */
let lookups = 0

/**
 * How many entries a lookup requests at once. The number differs from lookup to lookup. Otherwise a cache on the way
 * would answer the same query from its store, and the age in whole seconds may be 0 even after a second.
 */
const nextLimit = (): number => pageLimits.max - (lookups++ % 20)

const outOfTime = failure('timeout', `The list couldn't be read within ${lookupLimitMs / 1000} seconds.`, {
  advice: 'Try again. If it keeps happening, check the network and whether the service is busy.',
  retryable: true,
})

const isOutOfTime = ({ reason }: AbortSignal): boolean => reason === outOfTime

/** Whether a page failed because the caller cancelled, or the environment was edited. */
const isAbandoned = ({ code }: Failure, signal: AbortSignal): boolean =>
  signal.aborted ? !isOutOfTime(signal) : code === 'environment-changed'

const stale = failure('unreadable-answer', 'A proxy or gateway answered for the service, with an old list.', {
  advice:
    'What the service has now is unknown. Ask the administrator of the proxy or gateway not to cache its answers.',
  retryable: true,
  sent: 'answered',
})
