import { z } from 'zod'
import { exactly, parseExact } from '../../core/exact-json'
import {
  type Deployment,
  deploymentSchema,
  listedDeploymentSchema,
  type Repository,
  repositorySchema,
} from '../deployment'
import { answerLimits, cutText, maxItems } from '../list'
import { withoutSecretValues } from './secret-values'
import { type DeploymentSummary, shorten, summarise } from './summarise'

/** An unreadable item of an answer: its index in the list and the reason. */
export interface UnreadableItem {
  index: number
  reason: string
}

/** A page for the list: readable deployments, and the unreadable ones. */
export interface ReadPage {
  deployments: DeploymentSummary[]
  unreadable: UnreadableItem[]
  /** How many items the page had. */
  received: number
  /** The offset in the answer; null if it has none that can be read. */
  returnedOffset: number | null
}

/** A deployment for display, and its JSON text as the service answered it, with empty values of secrets. */
export interface ReadDetail {
  deployment: Deployment
  json: string
  /** Whether it was cut because it is too large. */
  shortened: boolean
}

/** A repository listing. `received` counts all repositories of the answer. */
export interface ReadRepositories {
  repositories: Repository[]
  unreadable: UnreadableItem[]
  received: number
}

/** A value, or the reason why the answer isn't what the interface describes. */
export type Read<T> = { ok: true; value: T } | { ok: false; reason: string }

export const readAs = <T>(value: T): { ok: true; value: T } => ({ ok: true, value })

export const unread = (reason: string): { ok: false; reason: string } => ({ ok: false, reason })

/** The resources of a list. Some languages write an empty list as null, or as an empty object. */
const resourcesSchema = z
  .custom<unknown[]>((value) => Array.isArray(value), 'expected a list')
  .or(z.null().transform(() => []))
  .or(z.strictObject({}).transform(() => []))

/** A whole number that isn't negative, also as a text; null for anything else, so that the rows are still read. */
const offsetSchema = z
  .union([z.number(), z.string().regex(/^\d+$/).transform(Number)])
  .pipe(z.int().min(0))
  .nullable()
  .catch(null)

/** The outer shape of an answer of List deployments. The items aren't validated. */
export const listAnswerSchema = z.object({ resources: resourcesSchema, offset: offsetSchema.default(null) })

/**
 * Reads an answer of List deployments that was requested with `limit`. An unreadable item doesn't hide the others. An
 * answer with far too many items, or far too many unreadable ones, is refused.
 */
export function readPage(answer: unknown, limit: number): Read<ReadPage> {
  const page = readList(answer, limit)
  if (!page.ok) return page
  const { resources, offset } = page.value
  const { items, unreadable, looked } = readItems(resources, readSummary, resources.length)
  if (looked < resources.length) return tooManyUnreadable(unreadable)
  const ends = { received: resources.length, returnedOffset: offset }
  return readAs({ deployments: items, unreadable, ...ends })
}

/** Reads one deployment for display, such as the answer of Create a deployment, without values of secrets. */
export function readDetail(answer: unknown): Read<ReadDetail> {
  // Secrets are removed before anything is cut: in half a JSON text, secrets can't be recognised.
  const harmless = readHarmless(answer)
  if (!harmless.ok) return harmless
  const { value, shortened } = shorten(harmless.value, answerLimits.detail)
  const exact = exactly(value, 2)
  const deployment = readWith(deploymentSchema, exact.value)
  if (!deployment.ok) return deployment
  return readAs({ deployment: deployment.value, json: exact.text, shortened })
}

/** Reads one deployment, without values of secrets. */
export function readDeployment(answer: unknown): Read<Deployment> {
  const harmless = readHarmless(answer)
  return harmless.ok ? readWith(deploymentSchema, exactly(harmless.value).value) : harmless
}

/** Reads an answer of List repositories, up to the limit of a listing. */
export function readRepositories(answer: unknown): Read<ReadRepositories> {
  if (answer === null) return readRepositories([])
  if (!Array.isArray(answer)) return unread('expected a list of repositories')
  const harmless = readHarmless(answer)
  if (!harmless.ok) return harmless
  let length = 0
  const read = (item: unknown): Read<Repository> => {
    const repository = readWith(repositorySchema, item)
    if (repository.ok) length += JSON.stringify(repository.value).length
    return length > answerLimits.repositoriesLength ? unread('the list is too large') : repository
  }
  const { items, unreadable } = readItems(harmless.value as unknown[], read, answerLimits.repositories)
  return readAs({ repositories: items, unreadable, received: answer.length })
}

/** Reads the members of a deployment that a list needs. */
function readSummary(item: unknown): Read<DeploymentSummary> {
  const listed = readWith(listedDeploymentSchema, item)
  return listed.ok ? readAs(summarise(listed.value)) : listed
}

/**
 * Reads up to `most` items of a list, and stops once too many are unreadable. `looked` is the number of items examined.
 */
function readItems<T>(
  list: readonly unknown[],
  read: (item: unknown) => Read<T>,
  max: number,
): { items: T[]; unreadable: UnreadableItem[]; looked: number } {
  const items: T[] = []
  const unreadable: UnreadableItem[] = []
  for (let index = 0; index < Math.min(list.length, max); index += 1) {
    const result = read(list[index])
    if (result.ok) items.push(result.value)
    else if (unreadable.length === answerLimits.unreadable) return { items, unreadable, looked: index }
    else unreadable.push({ index, reason: result.reason })
  }
  return { items, unreadable, looked: Math.min(list.length, max) }
}

/** Checks the outer shape of an answer of List deployments that was requested with `limit`. */
export function readList(answer: unknown, limit: number): Read<z.infer<typeof listAnswerSchema>> {
  const list = readWith(listAnswerSchema, answer)
  if (!list.ok) return list
  const { length } = list.value.resources
  return length > maxItems(limit) ? unread(`it has ${length} entries, and ${limit} were asked for`) : list
}

function tooManyUnreadable([first]: UnreadableItem[]): Read<never> {
  const reason = first ? `, the first because of ${first.reason}` : ''
  return unread(`more than ${answerLimits.unreadable} of its entries can't be read${reason}`)
}

/** An answer without values of secrets, or why it can't be read. */
export function readHarmless(value: unknown): Read<unknown> {
  try {
    return readAs(withoutSecretValues(value))
  } catch {
    return unread('it is nested too deeply')
  }
}

function readWith<T>(schema: z.ZodType<T>, value: unknown): Read<T> {
  const read = schema.safeParse(value)
  return read.success ? readAs(read.data) : unread(describe(read.error))
}

function describe(error: z.ZodError): string {
  const findings = error.issues
    .slice(0, answerLimits.findings)
    .map((issue) => `${issue.path.join('.') || 'answer'}: ${issue.message}`)
  return cutText(findings.join('; '), answerLimits.reasonLength)
}

/**
 * Parses the body of an answer (JSON in UTF-8), with all digits (`parseExact`). Never throws. A body that would take too much memory or stack isn't
 * parsed. The reason completes a sentence that begins with "answered with".
 */
export function parseAnswer(body: Uint8Array): Read<unknown> {
  if (body.byteLength > answerLimits.bytes) return unread('more than can be read')
  const excess = excessOf(body)
  if (excess !== null) return unread(excess)
  try {
    return readAs(parseExact(new TextDecoder().decode(body)))
  } catch {
    return unread('something that is not JSON, or with half of it')
  }
}

/** How a JSON text exceeds the limits of an answer; null if it doesn't. */
function excessOf(body: Uint8Array): string | null {
  let depth = 0
  let values = 1
  let inString = false
  for (let index = 0; index < body.length; index += 1) {
    const sign = body[index]
    if (sign === quote) inString = !inString
    else if (inString) {
      if (sign === backslash) index += 1
    } else if (sign === openBrace || sign === openBracket) {
      depth += 1
      values += 1
      if (depth > answerLimits.levels) return 'JSON that is nested too deeply to be read'
    } else if (sign === closeBrace || sign === closeBracket) depth -= 1
    else if (sign === comma) values += 1
    if (values > answerLimits.values) return 'JSON that has too many values to be read'
  }
  return null
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma] = [...'"\\{}[],'].map(
  (sign) => sign.charCodeAt(0),
)
