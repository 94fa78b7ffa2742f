import {
  type Deployment,
  fail,
  failure,
  nextPage,
  type Outcome,
  pageLimits,
  readPage,
  type ReadPage,
  succeed,
} from '@contract'
import type { HttpClient, HttpTarget } from '../http/port'

export const deploymentsPath = '/v2/deployments'

/** A page of the list: read, as it came, and what the service's clock said. */
export interface ListedPage {
  page: ReadPage
  json: unknown
  date: string | null
}

/** Asks for a page of the list (interface: List deployments). */
export async function listPage(
  http: HttpClient,
  target: HttpTarget,
  query: URLSearchParams,
  signal: AbortSignal,
): Promise<Outcome<ListedPage>> {
  const answer = await http.request({ target, method: 'GET', path: deploymentsPath, query, signal })
  if (!answer.ok) return answer
  const { json, status, date = null } = answer.value
  const page = readPage(json)
  return page.ok ? succeed({ page: page.value, json, date }) : unreadable(page.reason, status)
}

/** Everything that the list has for a name, and whether it was read to its end. */
export interface NamedDeployments {
  deployments: Deployment[]
  unreadable: number
  complete: boolean
  /** The header Date of the last page, and when that came (ms since 1970). */
  date: string | null
  receivedAt: number
}

/** So many pages are read for one name: a service that ignores the filter would have us read everything. */
const mostPages = 100

/**
 * Reads everything whose name contains `name`, over all pages. Short pages are not taken for the end, since a
 * deployment that is overlooked here might be created a second time: only an empty page is, or an offset that no
 * longer advances after a short one.
 */
export async function listNamed(
  http: HttpClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  const limit = pageLimits.max
  const found: NamedDeployments = {
    deployments: [],
    unreadable: 0,
    complete: false,
    date: null,
    receivedAt: 0,
  }
  for (let offset = 0, pages = 0; pages < mostPages; pages += 1) {
    const query = new URLSearchParams({
      name_contains: name,
      limit: String(limit),
      offset: String(offset),
    })
    const listed = await listPage(http, target, query, signal)
    if (!listed.ok) return listed
    const { page, date } = listed.value
    const { received, returnedOffset } = page
    found.deployments.push(...page.deployments)
    found.unreadable += page.unreadable.length
    found.date = date
    found.receivedAt = Date.now()
    const next = nextPage({ limit: Math.min(limit, received), offset, received, returnedOffset })
    if (next.end !== null) {
      found.complete = next.end === 'empty' || received < limit
      return succeed(found)
    }
    offset = next.offset
  }
  return succeed(found)
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
