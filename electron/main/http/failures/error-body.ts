import { type FieldIssue, listQuerySchema, requestSchemas, withoutSecretValuesTold } from '@contract'
import type { KnownSecrets } from '../../log/secrets/known-secrets'
import { longestWords, plainText } from './plain-text'

/** What a service said of a failure, in its own words, or that it answered a web page. */
export interface ErrorBody {
  words: string | null
  issues: FieldIssue[]
  isWebPage: boolean
}

const none: ErrorBody = { words: null, issues: [], isWebPage: false }

/** More issues than these are not listed. */
const mostIssues = 50
const longestPart = 200

/**
 * Reads the words out of any body: plain text, or JSON with `detail` (a text, or a list whose items lead to a
 * member by `loc`), `message` or `error`. Never throws. `secrets` are taken out of what is given, and so are values
 * of secrets that a text of it carries as JSON.
 */
export function readErrorBody(body: string, contentType: string | null, secrets: KnownSecrets): ErrorBody {
  if (isWebPage(body, contentType)) return { ...none, isWebPage: true }
  const json = parse(body)
  if (json === undefined) {
    // Half an answer in JSON is no text for people.
    const text = /json/i.test(contentType ?? '') || /^\s*[[{]/.test(body) ? '' : plainText(body, secrets)
    return { ...none, words: text === '' ? null : text }
  }
  const issues = issuesOf(json, secrets)
  const spoken = issues.length > 0 ? issues.map(sentence).join('\n') : textOf(json)
  const words = spoken === null ? '' : plainText(spoken, secrets, longestWords)
  return { ...none, words: words === '' ? null : words, issues }
}

/** Whether a body is a web page, by its type or its beginning. */
export function isWebPage(body: string, contentType: string | null): boolean {
  return /\bhtml\b/i.test(contentType ?? '') || /^\s*(?:<!doctype html|<html)/i.test(body)
}

function parse(body: string): unknown {
  try {
    return withoutSecretValuesTold(JSON.parse(body) as unknown)
  } catch {
    return undefined
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function textOf(json: unknown): string | null {
  if (typeof json === 'string') return json
  const error = member(json, 'error')
  const detail = member(json, 'detail')
  const candidates = [
    detail,
    member(detail, 'message'),
    member(detail, 'error'),
    member(json, 'message'),
    error,
    member(error, 'message'),
  ]
  const found = candidates.find((candidate) => typeof candidate === 'string' && candidate.trim() !== '')
  return typeof found === 'string' ? found : null
}

/** The items of a `detail` list. An item's `input`, which repeats what was sent, is never read. */
function issuesOf(json: unknown, secrets: KnownSecrets): FieldIssue[] {
  const detail = member(json, 'detail')
  if (!Array.isArray(detail)) return []
  const issues: FieldIssue[] = []
  for (const item of detail.slice(0, mostIssues)) {
    const text = typeof item === 'string' ? item : (member(item, 'msg') ?? member(item, 'message'))
    if (typeof text !== 'string') continue
    const message = plainText(text, secrets, longestWords)
    if (message !== '') issues.push({ path: pathOf(member(item, 'loc'), secrets), message })
  }
  return issues
}

/** What the interface calls members, and parameters of the list: they say nothing in confidence. */
const memberNames: ReadonlySet<unknown> = new Set(
  [...Object.values(requestSchemas), listQuerySchema].flatMap(({ shape }) => Object.keys(shape)),
)

/** Where an issue is, from the outermost member in; the first part only says that it is the request's body. */
function pathOf(location: unknown, secrets: KnownSecrets): FieldIssue['path'] {
  if (!Array.isArray(location)) return []
  const parts = location.slice(0, 20).filter((part) => typeof part === 'string' || Number.isInteger(part))
  return (parts[0] === 'body' ? parts.slice(1) : parts).map((part: string | number) =>
    isTelling(part) ? plainText(String(part), secrets, longestPart) : part,
  )
}

/** Whether a part of a location may hold what was sent in confidence; a place in a list doesn't. */
const isTelling = (part: string | number): boolean =>
  typeof part === 'string' ? !memberNames.has(part) : part < 0 || part > largestPlace

/** A number with more digits may be a secret; shorter ones are none (see `createSentSecrets`). */
const largestPlace = 999

function sentence({ path, message }: FieldIssue): string {
  return path.length > 0 ? `${path.join('.')}: ${message}` : message
}
