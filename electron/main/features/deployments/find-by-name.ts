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
import { withTimeout } from '../../async'
import type { HttpTarget } from '../../http/types'
import type { ServiceClient } from '../../processes/cache-client/types'
import { listPage } from './list-page'

/** What is needed from a page: keys that identify its entries, in order, and the offset that it returned. */
type Page = Pick<ReadNamed, 'keys' | 'returnedOffset'>

/**
 * Walks through the pages of a list and detects missed entries (decision 0021): each page must begin with the last
 * entry before.
 */
class JoinedPages {
  /** Where the next page begins; null at the end. */
  offset: number | null = 0
  /** The entry that the next page must begin with; null if any will do. */
  joint: string | null = null
  /** Whether the whole list is known to have been read. */
  complete = false
  /** Whether no entry was missed so far. */
  isWhole = true
  /** The largest number of entries on a page. */
  #largest = 0
  /** The furthest offset that a page returned. */
  #furthest = 0
  readonly #known = new Set<string>()

  /** Adds the page that was requested at `offset`. */
  take({ keys, returnedOffset }: Page): void {
    const begin = this.offset ?? 0
    const hasNew = keys.some((key) => !this.#known.has(key))
    this.isWhole &&= this.joint === null ? !hasNew || this.#largest === 0 : keys[0] === this.joint
    for (const key of keys) this.#known.add(key)
    if (Number.isSafeInteger(returnedOffset)) this.#furthest = Math.max(this.#furthest, returnedOffset ?? 0)
    this.#largest = Math.max(this.#largest, keys.length)
    const end = begin + keys.length
    const isOverlapping = this.isWhole && hasNew && this.#largest > 1
    // An offset that goes on is followed once. A page that brings nothing new ends the list, whatever its length.
    const isEnd = !hasNew && (!this.isWhole || this.joint === null || this.#furthest <= end)
    this.joint = isOverlapping ? (keys.at(-1) ?? null) : null
    this.offset = isOverlapping ? end - 1 : isEnd ? null : Math.max(end, this.#furthest)
    this.complete = isEnd && this.isWhole
  }
}

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
