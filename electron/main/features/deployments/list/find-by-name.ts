import {
  answerLimits,
  type Deployment,
  fail,
  failure,
  formsOf,
  type Outcome,
  pageLimits,
  type ReadNamed,
  succeed,
} from '@contract'
import { withTimeout } from '../../../async'
import type { HttpTarget } from '../../../http/types'
import type { ServiceClient } from '../../../processes/cache-client/types'
import { JoinedPages } from './joined-pages'
import { listPage } from './page'

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

/**
 * Reads all deployments with a name, or with one that differs in case and spaces, on all pages. If one were missed, it
 * might be created a second time. So only a list that is known to be whole is complete (`JoinedPages`). After
 * `lookupLimitMs`, the result has what was read and isn't complete. If nothing was read, it fails with `timeout`.
 */
export function listNamed(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  return withTimeout(lookupLimitMs, (limited) => listAllForms(http, target, name, limited), {
    signal,
    reason: outOfTime,
  })
}

async function listAllForms(
  http: ServiceClient,
  target: HttpTarget,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<NamedDeployments>> {
  /** By identifier: an entry may have several forms of the name, or move to the next page while the list is read. */
  const found = new Map<string, Deployment>()
  let unreadable = 0
  let values = 0
  let at = ''
  const result = (complete: boolean): Outcome<NamedDeployments> =>
    succeed({ deployments: [...found.values()], unreadable, complete, at })
  for (const form of formsOf(name)) {
    const pages = new JoinedPages()
    for (let count = 0; pages.offset !== null && count < maxPages; count += 1) {
      const place = { form, name, offset: pages.offset, known: pages.joint, values }
      const listed = await readPage(http, target, place, signal)
      if (!listed.ok) return isOutOfTime(signal) && at !== '' ? result(false) : listed
      at = new Date().toISOString()
      const page = listed.value
      unreadable += page.unreadable
      values += page.values
      for (const deployment of page.deployments) found.set(deployment.id, deployment)
      pages.take(page)
    }
    // Further requests can't make the result complete.
    if (!pages.complete) return result(false)
  }
  return result(true)
}

/** Reads the page of deployments whose names contain one form of a name, at an offset. */
async function readPage(
  http: ServiceClient,
  target: HttpTarget,
  place: { form: string; name: string; offset: number; known: string | null; values: number },
  signal: AbortSignal,
): Promise<Outcome<ReadNamed>> {
  const { form, name, offset, known, values } = place
  const limit = pageLimits.max
  const query = new URLSearchParams({ name_contains: form, limit: String(limit), offset: String(offset) })
  const maxValues = answerLimits.comparedValues - values
  const listed = await listPage(http, target, query, signal, { kind: 'named', limit, name, maxValues, known })
  return !listed.ok && isOutOfTime(signal) ? fail(outOfTime) : listed
}

const outOfTime = failure('timeout', `The list couldn't be read within ${lookupLimitMs / 1000} seconds.`, {
  advice: 'Try again. If it keeps happening, check the network and whether the service is busy.',
  retryable: true,
})

const isOutOfTime = ({ reason }: AbortSignal): boolean => reason === outOfTime
