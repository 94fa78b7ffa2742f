import { type FieldIssue, hiddenValue, withoutSecretValues } from '@contract'

/** What the body of a failed request says: the service's text and issues, and whether it is a web page. */
export interface ErrorBody {
  text: string | null
  issues: FieldIssue[]
  isWebPage: boolean
}

/** How many issues are listed. */
const maxIssues = 50
const maxLevels = 8
const longestPart = 200

/** The longest text that is shown of a web page, in characters. */
const longestPageText = 300

/** Members that say what went wrong, the most telling first. Names are compared as `folded`. */
const sayingNames = [
  'detail',
  'message',
  'errormessage',
  'errordescription',
  'msg',
  'errormsg',
  'usermessage',
  'defaultmessage',
  'description',
  'reason',
  'faultstring',
  'title',
  'summary',
  'error',
  'errors',
  'fault',
  'exception',
]

/** Members whose items say which member of the request is wrong. */
const listNames = [
  'errors',
  'detail',
  'details',
  'fielderrors',
  'fieldviolations',
  'violations',
  'validationerrors',
  'invalidparams',
  'issues',
  'causes',
]

/** Members that say where an item of such a list belongs. */
const placeNames = [
  'loc',
  'field',
  'path',
  'pointer',
  'instancepath',
  'propertypath',
  'property',
  'parameter',
  'param',
  'name',
  'location',
]

/** Members that repeat the request, or are about the answer itself. They say nothing about what went wrong. */
const silentNames =
  /^(?:input|value|values|rejectedvalue|received|given|ctx|context|request|body|payload|headers|secrets?|params|args|status|\w*code|type|url|uri|instance|path|method|host|version|timestamp|time|date|id|\w*id|docs?|documentation\w*|help\w*|links?|stack|stacktrace|trace|kind|apiversion|metadata|success|ok)$/

type Place = (string | number)[]

/** A text of the service. As one of a list's, it has the place of the member of the request that it is about. */
interface Finding {
  place: Place | null
  text: string
}

/**
 * Reads why a service refused a request, from the body of its answer in any of the usual forms: JSON with a text
 * somewhere (`detail`, `message`, RFC 9457, GraphQL, lists of errors, maps from fields to errors), a web page, XML or
 * plain text. Other JSON is shown as it is. Removes `secrets`, and values of secrets in JSON. Never throws.
 */
export function readErrorBody(
  body: string,
  contentType: string | null,
  secrets: readonly string[],
): ErrorBody {
  const json = /^\s*</.test(body) ? undefined : parse(body)
  const isPage = json === undefined && isWebPage(body, contentType)
  const read = (text: string | null, longest = longestText): ErrorBody => ({
    text: (text && plainText(text, secrets, longest)) || null,
    issues: [],
    isWebPage: isPage,
  })
  if (/^\s*</.test(body)) return read(textOfMarkup(body), longestPageText)
  // Half of a JSON text may have anything in it, also secrets.
  if (json === undefined) return read(/^\s*[[{]\s*["[{]/.test(body) ? null : body)
  const found = findingsOf(json, null)
  if (found.length === 0) return read(isEmpty(json) ? null : JSON.stringify(json))
  const texts: string[] = []
  const issues: FieldIssue[] = []
  for (const { place, text } of found.slice(0, maxIssues)) {
    const issue = { path: pathOf(place ?? [], secrets), message: plainText(text, secrets) }
    if (issue.message === '') continue
    texts.push(sentence(issue))
    if (place) issues.push(issue)
  }
  return { ...read([...new Set(texts)].join('\n')), issues }
}

/** Whether a body is a web page, by its content type or its beginning. */
export function isWebPage(body: string, contentType: string | null): boolean {
  return /\bhtml\b/i.test(contentType ?? '') || /^\s*(?:<!doctype html|<html)/i.test(body)
}

function parse(body: string): unknown {
  try {
    return withoutSecretValues(JSON.parse(body) as unknown)
  } catch {
    return undefined
  }
}

const folded = (name: string): string => name.replace(/[-_ ]/g, '').toLowerCase()

/**
 * What a value of the body says, by its most telling member and its lists; or else by its other members, each about the
 * member of the request with its name.
 *
 * @param within the member that it is the value of: a list, or any other
 */
function findingsOf(
  value: unknown,
  place: Place | null,
  level = 0,
  within: 'errors' | 'details' | 'other' = 'other',
): Finding[] {
  if (level > maxLevels) return []
  if (typeof value === 'string') return value.trim() === '' ? [] : [{ place, text: value }]
  if (typeof value !== 'object' || value === null) return []
  const goOn = (own: unknown, at = place, list?: typeof within): Finding[] =>
    findingsOf(own, at, level + 1, list)
  if (Array.isArray(value)) {
    return value.slice(0, maxIssues).flatMap((item) => goOn(item, [...(place ?? []), ...placeOf(item)]))
  }
  const members = Object.entries(value).map(([name, own]: [string, unknown]) => ({
    name,
    own,
    word: folded(name),
    isObject: typeof own === 'object' && !Array.isArray(own),
    isList: typeof own === 'object' && listNames.includes(folded(name)) && !saysSomething(own),
  }))
  const listed = members
    .filter(({ isList }) => isList)
    .flatMap(({ word, own }) => goOn(own, place ?? [], word.endsWith('errors') ? 'errors' : 'details'))
  const sayings = sayingNames
    .flatMap((word) => members.filter((one) => one.word === word && !one.isList))
    .sort((one, other) => Number(one.isObject) - Number(other.isObject))
  for (const { own } of sayings) {
    const said = goOn(own)
    if (said.length > 0) return [...said, ...listed]
  }
  if (listed.length > 0) return listed
  return members.flatMap(({ name, own, word, isObject }) => {
    if (within === 'other' ? silentNames.test(word) : within === 'details' && typeof own !== 'object')
      return []
    return goOn(own, within === 'other' && isObject ? place : [...(place ?? []), name])
  })
}

const saysSomething = (own: object | null): boolean =>
  !Array.isArray(own) && Object.keys(own ?? {}).some((name) => sayingNames.includes(folded(name)))

/** The place of an issue: a list of names, a JSON pointer or a dotted path. */
function placeOf(item: unknown): Place {
  if (typeof item !== 'object' || item === null) return []
  const members = new Map(Object.entries(item).map(([name, own]) => [folded(name), own as unknown]))
  const source = members.get('source')
  if (typeof source === 'object' && source !== null) return placeOf(source)
  for (const name of placeNames) {
    const place = members.get(name)
    if (Array.isArray(place)) {
      return place.filter((part) => typeof part === 'string' || Number.isInteger(part)) as Place
    }
    if (typeof place !== 'string' || place.trim() === '' || /\s/.test(place)) continue
    const parts = place.replace(/^(?:#?\/|\$\.)/, '').split(/[/.[\]]+/)
    return parts.filter((part) => part !== '').map((part) => (/^\d{1,3}$/.test(part) ? Number(part) : part))
  }
  return []
}

const isEmpty = (json: unknown): boolean =>
  json === null || json === '' || (typeof json === 'object' && Object.keys(json).length === 0)

/** The text of a page or of XML. */
function textOfMarkup(body: string): string {
  const text = body
    .slice(0, 100_000)
    .replace(/<(script|style|svg|noscript)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/<\/?(?:title|h\d|p|div|br|hr|li|tr|center|body|table|code|message)\b[^>]*>/gi, '\n')
    .replace(/<[^>]*(?:>|$)/g, '')
  const lines = unescaped(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  return [...new Set(lines)].join('\n')
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d{1,6})|([a-z]{2,4}));/gi, (whole, code?: string, name?: string) =>
    code === undefined ? (entities[name?.toLowerCase() ?? ''] ?? whole) : String.fromCodePoint(Number(code)),
  )

/** The path of an issue, outermost member first. A first part "body" only names the request's body. */
function pathOf(place: Place, secrets: readonly string[]): FieldIssue['path'] {
  return place
    .slice(place[0] === 'body' ? 1 : 0, 20)
    .map((part) => (typeof part === 'string' ? plainText(part, secrets, longestPart) : part))
}

function sentence({ path, message }: FieldIssue): string {
  return path.length > 0 ? `${path.join('.')}: ${message}` : message
}

/** The longest text of a service that is shown, in characters. */
const longestText = 2000

/** How many characters are read of a text of which `longest` are shown: the rest may be white space. */
const readFor = (longest: number): number => longest * 10

/**
 * Makes a text of a service safe to show. The result has no characters that move, colour or reverse the text around it,
 * none of `secrets` as they were sent, and at most `longest` characters.
 */
export function plainText(text: string, secrets: readonly string[] = [], longest = longestText): string {
  // Secrets go before the text is cut, so that none is left in half.
  const clean = withoutSecrets(visible(text.slice(0, readFor(longest) + longestSecret)), secrets)
  const characters = Array.from(clean)
  return characters.length <= longest ? clean : characters.slice(0, longest - 1).join('') + '…'
}

/** A longer secret is masked only as far as it was read. */
const longestSecret = 20_000

/** Shorter values aren't secrets. Those below `hiddenInside` characters are masked as whole words: "prod", but not in "production". */
const shortestSecret = 4
const hiddenInside = 8

/** A text with `hiddenValue` in place of each secret, spelled as it was sent. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return [...new Set(secrets.map((secret) => secret.trim()))]
    .filter((secret) => secret.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
    .reduce((rest, secret) => {
      if (secret.length >= hiddenInside) return rest.replaceAll(secret, hiddenValue)
      return rest.replace(
        new RegExp(`(?<![\\p{L}\\p{N}_])${escapedForPattern(secret)}(?![\\p{L}\\p{N}_])`, 'gu'),
        hiddenValue,
      )
    }, text)
}

const escapedForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** Removes control, formatting (bidirectional, zero-width) and unassigned characters, and folds white space. */
function visible(text: string): string {
  return text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/[^\P{C}\n\t]/gu, '')
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
