import {
  answerLimits,
  cutText,
  type Deployment,
  foldName,
  type Read,
  readAs,
  readDeployment,
  type ReadDetail,
  readDetail,
  readList,
  shorten,
} from '@contract'
import { longestDeploymentName } from '@contract/deployment-api/request/limits'

/** The deployments of one name on a page. */
interface ReadNamed {
  deployments: Deployment[]
  /** How many items may have the name but are unreadable or too large to compare. */
  unreadable: number
  /** The keys of all items on the page, in its order: identifiers, or whatever is in their place. */
  keys: string[]
}

/** One deployment of an answer; null if the answer doesn't have it. `received` counts all deployments of the answer. */
interface ReadFound {
  detail: ReadDetail | null
  received: number
}

/**
 * Reads all deployments of an answer of List deployments that have this name, or one that a service may have made of it. What is too
 * large to compare counts as unreadable. So do items that can't be read, unless they have another name.
 */
export function readNamed(answer: unknown, limit: number, name: string): Read<ReadNamed> {
  const page = readList(answer, limit)
  if (!page.ok) return page
  const { resources } = page.value
  const named = resources
    .filter((item) => mayHaveName(item, name))
    .map((item) => shorten(item, { ...answerLimits.detail, values: answerLimits.comparedValues }))
    .map(({ value, shortened }) => (shortened ? null : readDeployment(value)))
  const deployments = named.flatMap((one) => (one?.ok ? [one.value] : []))
  return readAs({ deployments, unreadable: named.length - deployments.length, keys: resources.map(keyOf) })
}

function keyOf(item: unknown): string {
  const id = (item as { id?: unknown } | null)?.id
  return cutText(typeof id === 'string' ? id : JSON.stringify(item), answerLimits.summaryTextLength)
}

/** Whether an item has a name, or at least no other name. */
function mayHaveName(item: unknown, name: string): boolean {
  const own = (item as { name?: unknown } | null)?.name
  return typeof own !== 'string' || isAlike(own, name)
}

/** Reads the deployment with an identifier from an answer of List deployments. */
export function readFound(answer: unknown, limit: number, id: string): Read<ReadFound> {
  const page = readList(answer, limit)
  if (!page.ok) return page
  const { resources } = page.value
  const received = resources.length
  const found = resources.find((item) => (item as { id?: unknown } | null)?.id === id)
  if (found === undefined) return readAs({ detail: null, received })
  const detail = readDetail(found)
  return detail.ok ? readAs({ detail: detail.value, received }) : detail
}

/** The identifier of the new deployment in an answer that has little else; null if there is none. */
export function readIdentifier(answer: unknown): string | null {
  const inner = (answer ?? {}) as Record<string, { id?: unknown } | undefined>
  for (const one of [inner, inner.deployment, inner.data, inner.resource]) {
    const id = one?.id ?? (one as { deployment_id?: unknown } | undefined)?.deployment_id
    if (typeof id === 'string' && id !== '') return id
  }
  return null
}

const folded = (name: string): string => foldName(name).trim().replace(/\s+/g, ' ')

/** Longer names are compared unchanged: an answer may have names of any length, and folding them takes time. */
const longestFolded = 4 * longestDeploymentName

/** Whether two names differ in case and spaces at most. A service may have changed these. */
export const isAlike = (one: string, other: string): boolean =>
  one === other || (Math.max(one.length, other.length) <= longestFolded && folded(one) === folded(other))

/**
 * A name, and the forms of it that a lookup searches for as well: without spaces around it, and in lower case. The
 * interface doesn't say whether its filter ignores case.
 */
export const formsOf = (name: string): string[] => [
  ...new Set([name, name.trim(), name.trim().toLowerCase()].filter((one) => one !== '')),
]
