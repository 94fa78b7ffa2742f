import { z } from 'zod'
import { isAlike } from './alike-names'
import {
  type Deployment,
  deploymentSchema,
  type DeploymentSummary,
  listedDeploymentSchema,
  summarise,
} from './deployment'
import { answerLimits, cutText, mostItems } from './list/list-limits'
import { type Repository, repositorySchema } from './repository'
import { withoutSecretValues } from './secret-values'
import { shorten } from './shorten'

/** An item of an answer that could not be read: its place in the list and why. */
export const unreadableItemSchema = z.object({ index: z.int(), reason: z.string() })

export type UnreadableItem = z.infer<typeof unreadableItemSchema>

/** How many items came with a page, and the returned offset. */
interface PageEnds {
  received: number
  returnedOffset: number
}

/** A page as the list shows it: readable deployments, the others. */
export interface ReadPage extends PageEnds {
  deployments: DeploymentSummary[]
  unreadable: UnreadableItem[]
}

/** What a page has for one name. */
export interface ReadNamed extends PageEnds {
  deployments: Deployment[]
  /** How many items may have the name, and could not be read or would be too much to compare. */
  unreadable: number
  /** How many values the deployments have. */
  values: number
  /** What tells everything on the page apart, in its order: identifiers, or what else stands there. */
  keys: string[]
}

/** A deployment to be shown, and as JSON text as it was answered, secret values emptied. */
export interface ReadDetail {
  deployment: Deployment
  json: string
  /** Whether it is too large to be shown whole, and was cut. */
  shortened: boolean
}

/** A repository listing as it was answered; `received` counts all of it. */
export interface ReadRepositories {
  repositories: Repository[]
  unreadable: UnreadableItem[]
  received: number
}

/** A value that was read, or in words why the answer is not what the interface describes. */
export type Read<T> = { ok: true; value: T } | { ok: false; reason: string }

/** The outer shape of an answer of List deployments; nothing of the rest is looked at. */
export const listAnswerSchema = z.object({
  resources: z.custom<unknown[]>((value) => Array.isArray(value), 'expected a list'),
  offset: z.number(),
})

/**
 * Reads the answer of List deployments that was asked for with `limit`. One unreadable item does not hide the rest of
 * the page; an answer with far more items than were asked for, or than can be read, is no page.
 */
export function readPage(answer: unknown, limit: number): Read<ReadPage> {
  const page = readList(answer, limit)
  if (!page.ok) return page
  const { resources, offset } = page.value
  const { items, unreadable, looked } = readItems(resources, readSummary, resources.length)
  if (looked < resources.length) return tooManyUnreadable(unreadable)
  const ends = { received: resources.length, returnedOffset: offset }
  return { ok: true, value: { deployments: items, unreadable, ...ends } }
}

/**
 * Reads of such an answer, whole, the deployments that have this name or one that a service may have made of it. Those
 * that would take more than `mostValues` values together count as unreadable, and so does what cannot be read, unless it
 * says another name. A first one with the key `known` was read before, and is passed over.
 */
export function readNamed(
  answer: unknown,
  limit: number,
  name: string,
  mostValues: number,
  known: string | null = null,
): Read<ReadNamed> {
  const page = readList(answer, limit)
  if (!page.ok) return page
  const { resources, offset } = page.value
  const { unreadable, looked } = readItems(resources, readSummary, resources.length)
  if (looked < resources.length) return tooManyUnreadable(unreadable)
  const keys = resources.map(keyOf)
  const isKnown = (index: number): boolean => index === 0 && keys[0] === known
  const others = new Set(unreadable.map(({ index }) => index))
  const found: ReadNamed = {
    deployments: [],
    unreadable: unreadable.filter(({ index }) => mayHaveName(resources[index], name)).length,
    values: 0,
    keys,
    received: resources.length,
    returnedOffset: offset,
  }
  resources.forEach((item, index) => {
    if (others.has(index) || isKnown(index) || !isAlike((item as { name: string }).name, name)) return
    const values = Math.max(0, mostValues - found.values)
    const kept = shorten(item, { ...answerLimits.detail, values })
    const deployment = kept.shortened ? null : readDeployment(kept.value)
    if (deployment?.ok) {
      found.deployments.push(deployment.value)
      found.values += kept.values
    } else found.unreadable += 1
  })
  return { ok: true, value: found }
}

function keyOf(item: unknown): string {
  const id = (item as { id?: unknown } | null)?.id
  return cutText(typeof id === 'string' ? id : JSON.stringify(item), answerLimits.summaryTextLength)
}

/** Whether an item has a name, or does not say another one. */
function mayHaveName(item: unknown, name: string): boolean {
  const own = (item as { name?: unknown } | null)?.name
  return typeof own !== 'string' || isAlike(own, name)
}

/** Reads of such an answer the deployment that has an identifier; null where it has none. */
export function readFound(answer: unknown, limit: number, id: string): Read<ReadDetail | null> {
  const page = readList(answer, limit)
  if (!page.ok) return page
  const found = page.value.resources.find((item) => (item as { id?: unknown } | null)?.id === id)
  return found === undefined ? { ok: true, value: null } : readDetail(found)
}

/** Reads one deployment, such as the answer of Create a deployment, as it is shown: without the values of secrets. */
export function readDetail(answer: unknown): Read<ReadDetail> {
  // Before anything is cut: of half a JSON text nobody could tell what is a secret.
  const harmless = readHarmless(answer)
  if (!harmless.ok) return harmless
  const { value, shortened } = shorten(harmless.value, answerLimits.detail)
  const deployment = readWith(deploymentSchema, value)
  if (!deployment.ok) return deployment
  const json = JSON.stringify(value, null, 2)
  return { ok: true, value: { deployment: deployment.value, json, shortened } }
}

/** Reads one deployment, without the values of secrets. */
export function readDeployment(answer: unknown): Read<Deployment> {
  const harmless = readHarmless(answer)
  return harmless.ok ? readWith(deploymentSchema, harmless.value) : harmless
}

/** Reads the answer of List repositories, as far as a listing may go. */
export function readRepositories(answer: unknown): Read<ReadRepositories> {
  if (!Array.isArray(answer)) return { ok: false, reason: 'expected a list of repositories' }
  let length = 0
  const read = (item: unknown): Read<Repository> => {
    const repository = readWith(repositorySchema, item)
    if (repository.ok) length += JSON.stringify(repository.value).length
    return length > answerLimits.repositoriesLength
      ? { ok: false, reason: 'the list is too large' }
      : repository
  }
  const { items, unreadable } = readItems(answer as unknown[], read, answerLimits.repositories)
  return { ok: true, value: { repositories: items, unreadable, received: answer.length } }
}

/** Reads what a list needs of a deployment. */
function readSummary(item: unknown): Read<DeploymentSummary> {
  const listed = readWith(listedDeploymentSchema, item)
  return listed.ok ? { ok: true, value: summarise(listed.value) } : listed
}

/**
 * Reads the items of a list, at most `most` of them, and stops where more of them cannot be read than an answer may
 * have. `looked` says how many were looked at.
 */
function readItems<T>(
  list: readonly unknown[],
  read: (item: unknown) => Read<T>,
  most: number,
): { items: T[]; unreadable: UnreadableItem[]; looked: number } {
  const items: T[] = []
  const unreadable: UnreadableItem[] = []
  for (let index = 0; index < Math.min(list.length, most); index += 1) {
    const result = read(list[index])
    if (result.ok) items.push(result.value)
    else if (unreadable.length === answerLimits.unreadable) return { items, unreadable, looked: index }
    else unreadable.push({ index, reason: result.reason })
  }
  return { items, unreadable, looked: Math.min(list.length, most) }
}

/** Checks the outer shape of an answer of List deployments that was asked for with `limit`. */
export function readList(answer: unknown, limit: number): Read<z.infer<typeof listAnswerSchema>> {
  const list = readWith(listAnswerSchema, answer)
  if (!list.ok) return list
  const { length } = list.value.resources
  return length > mostItems(limit)
    ? { ok: false, reason: `it has ${length} entries, and ${limit} were asked for` }
    : list
}

function tooManyUnreadable([first]: UnreadableItem[]): Read<never> {
  const reason = first ? `, the first because of ${first.reason}` : ''
  return { ok: false, reason: `more than ${answerLimits.unreadable} of its entries cannot be read${reason}` }
}

function readHarmless(value: unknown): Read<unknown> {
  try {
    return { ok: true, value: withoutSecretValues(value) }
  } catch {
    return { ok: false, reason: 'it is nested too deeply' }
  }
}

function readWith<T>(schema: z.ZodType<T>, value: unknown): Read<T> {
  const read = schema.safeParse(value)
  return read.success ? { ok: true, value: read.data } : { ok: false, reason: describe(read.error) }
}

function describe(error: z.ZodError): string {
  const findings = error.issues
    .slice(0, answerLimits.findings)
    .map((issue) => `${issue.path.join('.') || 'answer'}: ${issue.message}`)
  return cutText(findings.join('; '), answerLimits.reasonLength)
}
