import { type FieldIssue, withoutSecretValuesInMessage } from '@contract'
import { longestText, plainText } from './plain-text'

/** What the body of a failed request says: the service's text and issues, or that it is a web page. */
export interface ErrorBody {
  text: string | null
  issues: FieldIssue[]
  isWebPage: boolean
}

const none: ErrorBody = { text: null, issues: [], isWebPage: false }

/** How many issues are listed. */
const maxIssues = 50
const longestPart = 200

/**
 * Reads the text of any body: plain text, or JSON with `detail` (a text, or a list whose items name a member by `loc`),
 * `message` or `error`. Removes `secrets`, and values of secrets in JSON inside a text. Never throws.
 *
 * @param memberNames names in the service's interface: they stay even if a secret is spelled the same
 */
export function readErrorBody(
  body: string,
  contentType: string | null,
  secrets: readonly string[],
  memberNames: ReadonlySet<string> = new Set(),
): ErrorBody {
  if (isWebPage(body, contentType)) return { ...none, isWebPage: true }
  const json = parse(body)
  if (json === undefined) {
    // JSON that was cut off isn't text for people.
    const text = /json/i.test(contentType ?? '') || /^\s*[[{]/.test(body) ? '' : plainText(body, secrets)
    return { ...none, text: text === '' ? null : text }
  }
  const issues = issuesOf(json, secrets, memberNames)
  const said = issues.length > 0 ? issues.map(sentence).join('\n') : textOf(json)
  const text = said === null ? '' : plainText(said, secrets, longestText)
  return { ...none, text: text === '' ? null : text, issues }
}

/** Whether a body is a web page, by its content type or its beginning. */
export function isWebPage(body: string, contentType: string | null): boolean {
  return /\bhtml\b/i.test(contentType ?? '') || /^\s*(?:<!doctype html|<html)/i.test(body)
}

function parse(body: string): unknown {
  try {
    return withoutSecretValuesInMessage(JSON.parse(body) as unknown)
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

/** The items of a `detail` list. An item's `input` repeats what was sent, so it is never read. */
function issuesOf(json: unknown, secrets: readonly string[], memberNames: ReadonlySet<string>): FieldIssue[] {
  const detail = member(json, 'detail')
  if (!Array.isArray(detail)) return []
  const issues: FieldIssue[] = []
  for (const item of detail.slice(0, maxIssues)) {
    const text = typeof item === 'string' ? item : (member(item, 'msg') ?? member(item, 'message'))
    if (typeof text !== 'string') continue
    const message = plainText(text, secrets, longestText)
    if (message !== '') issues.push({ path: pathOf(member(item, 'loc'), secrets, memberNames), message })
  }
  return issues
}

/** The path of an issue, outermost member first. A first part "body" only names the request's body. */
function pathOf(
  location: unknown,
  secrets: readonly string[],
  memberNames: ReadonlySet<string>,
): FieldIssue['path'] {
  const mayBeSecret = (part: string | number): boolean =>
    typeof part === 'string' ? !memberNames.has(part) : part < 0 || part > largestIndex
  if (!Array.isArray(location)) return []
  const parts = location.slice(0, 20).filter((part) => typeof part === 'string' || Number.isInteger(part))
  return (parts[0] === 'body' ? parts.slice(1) : parts).map((part: string | number) =>
    mayBeSecret(part) ? plainText(String(part), secrets, longestPart) : part,
  )
}

/** A larger number may be a secret. Values with fewer digits never are (see `withoutSecrets`). */
const largestIndex = 999

function sentence({ path, message }: FieldIssue): string {
  return path.length > 0 ? `${path.join('.')}: ${message}` : message
}
