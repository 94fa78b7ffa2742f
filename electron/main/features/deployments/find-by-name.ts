import { type Deployment, fail, failure, formsOf, type Outcome, pageLimits, succeed } from '@contract'
import { raceTimeout } from '../../async'
import type { HttpTarget } from '../../http/types'
import type { ServiceClient } from '../../processes/cache-client/types'
import { listPage } from './list-page'

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
