import {
  checkRequest,
  type CreateRequest,
  createRequestSchema,
  type EnvironmentMode,
  exceedingPairs,
  type FieldIssue,
  type Finding,
  numberMeant,
  urlCredentialsIn,
} from '@contract'
import { type Expected, problemOfRows, readFreeText } from './free-form'
import { isJsonObject, isWithin, type Path, pathKey, valueAt } from '@/ui/format/json-path'
import { problemText } from './text'
import { wantedAt } from './wanted'
import { type Draft, requestOf, textsIn, withBlanks } from './draft'
import { fieldAt, fields, formFields, labelOf } from './fields'

/** An issue that a schema of the contract found. */
export type Issue = NonNullable<ReturnType<typeof createRequestSchema.safeParse>['error']>['issues'][number]

/** The members that an issue is about. An issue about unknown members names each of them. */
function pathsOf(issue: Issue): Path[] {
  const path = issue.path.filter((part) => typeof part !== 'symbol')
  return issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...path, key]) : [path]
}

/** Names that every program can read as an environment variable (POSIX). */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Checks the secrets and secret references of a request. The interface has no rule about these, so all findings are
 * warnings.
 */
function checkSecrets(request: CreateRequest): Finding[] {
  const seen = new Set<string>()
  const names = (['secrets', 'secret_references'] as const).flatMap((list) =>
    (request[list] ?? []).flatMap(({ name }, index): Finding[] => {
      if (!name) return []
      const path = [list, index, 'name']
      if (seen.has(name))
        return [usual(path, `"${name}" appears twice. The service decides which value counts.`)]
      seen.add(name)
      if (variableName.test(name)) return []
      return [usual(path, "Use letters, digits and underscores; don't start with a digit.")]
    }),
  )
  const empty = request.secrets.flatMap(({ value }, index) =>
    value === '' ? usual(['secrets', index, 'value'], 'The value is empty.') : [],
  )
  return [...names, ...empty]
}

const usual = (path: Path, message: string): Finding => ({ level: 'usual', path, message })

/**
 * Checks a request for passwords and tokens in its URLs, which everyone reads who can see the deployment. In the
 * repository URL and other fields of the source, they are sent only on request.
 */
function checkUrlCredentials(request: CreateRequest): Finding[] {
  return textsIn(request).flatMap(({ text, path }): Finding[] => {
    const found = path[0] === 'secrets' ? [] : urlCredentialsIn(text)
    if (found.length === 0) return []
    if (!found.some(({ isCertain }) => isCertain))
      return [
        usual(
          path,
          'The URL has a user name. If it is a token, take it out: everyone reads it who can see the deployment.',
        ),
      ]
    const instead =
      path.at(-1) === 'repo_url' ? 'Take it out: an integration gives access.' : 'Use a secret instead.'
    return [
      {
        level: path.includes('resource_spec') ? 'usual' : 'required',
        path,
        message: `The URL has a password or token, which everyone reads who can see the deployment. ${instead}`,
      },
    ]
  })
}

/** Validates a draft's request: its shape, the contract's rules, and unusual entries. */
export function check(draft: Draft, mode: EnvironmentMode): Finding[] {
  const request = requestOf(draft)
  // The schema finds a minimum above its maximum too, but only if everything else has the right shape.
  const shape = shapeIssues(request)
    .filter(({ issue, path }) => issue.code !== 'custom' || !isWithin(path, fields.resource_spec.path))
    .map(({ path, message }): Finding => ({ level: 'certain', path, message }))
  return [
    ...shape,
    ...pairErrors(request),
    ...checkRequest(request, mode)
      .filter(({ path }) => !shape.some((error) => isWithin(error.path, path)))
      .map((finding) => ({ ...finding, message: describeMissing(finding) })),
    ...checkSecrets(request),
    ...checkUrlCredentials(request),
    ...withBlanks(request).map(({ path, at }) =>
      usual(path, `${at} with ␣, a blank or line break that is a part of it.`),
    ),
  ]
}

/** The message of a rule. The contract's own message about a missing member uses the service's name for it. */
function describeMissing({ level, path, message }: Finding): string {
  if (!message.startsWith(`${path.join('.')} `)) return message
  const field = fieldAt(path)
  const what = field?.missing ?? 'a value'
  if (level === 'usual') return `Usually has ${what}.`
  return field === fields.resource_spec ? `Add ${what}.` : `Enter ${what}.`
}

/**
 * Whether a finding is an error, which has to be fixed before anything is sent. The others are warnings: with one of
 * level `required`, a draft is sent only on request; `usual` ones are only shown.
 */
export const isError = (finding: Finding): boolean => finding.level === 'certain'

/**
 * The first message about each path and everything inside it, by `pathKey`. A map, because a form looks up many paths.
 */
export function firstMessages(findings: readonly FieldIssue[]): Map<string, string> {
  const messages = new Map<string, string>()
  for (const { path, message } of findings) {
    for (let length = path.length; length >= 0; length -= 1) {
      const key = pathKey(path.slice(0, length))
      if (!messages.has(key)) messages.set(key, message)
    }
  }
  return messages
}

/** What the schema finds wrong with a request. */
export const shapeIssues = (request: unknown): { issue: Issue; path: Path; message: string }[] =>
  (createRequestSchema.safeParse(request).error?.issues ?? []).flatMap((issue) =>
    pathsOf(issue).map((path) => ({
      issue,
      path,
      message: describeIssue(issue, path, valueAt(request, path)),
    })),
  )

/** Requests above their limits and minimums above their maximums, which the schema refuses. */
function pairErrors({ source_config: { resource_spec: spec } }: CreateRequest): Finding[] {
  if (!isJsonObject(spec)) return []
  const base = fields.resource_spec.path
  return exceedingPairs(spec).map(({ low, high, lower, upper }) => ({
    level: 'certain',
    path: [...base, low],
    message: `${labelOf([...base, low])} (${lower}) may not be more than ${labelOf([...base, high])} (${upper}).`,
  }))
}

function describeIssue(issue: Issue, path: Path, value: unknown): string {
  if (issue.code === 'unrecognized_keys') return `The interface has no member "${path.at(-1)}" here.`
  if (issue.code === 'too_small') {
    if (issue.origin !== 'string') return `Enter ${issue.minimum} or more.`
    return path.at(-1) === 'name' ? 'Enter a name.' : 'Enter a value.'
  }
  // For texts and lists, the contract's own messages say how long they may be.
  if (issue.code === 'too_big' && issue.origin !== 'string' && issue.origin !== 'array') {
    return `Enter ${issue.maximum} or less.`
  }
  if (issue.code === 'invalid_value') return `Choose one of ${issue.values.map(String).join(', ')}.`
  if (issue.code === 'invalid_type')
    return describeTypeIssue(issue.expected, value, path) + offer(path, value)
  if (issue.code === 'invalid_format' && issue.format === 'guid') {
    return 'Enter a valid ID (UUID), such as 0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10.'
  }
  return issue.message
}

/** The number that is meant by a text in place of a number, such as 500m; empty if there is none. */
function offer(path: Path, value: unknown): string {
  const [member] = path.slice(fields.resource_spec.path.length)
  if (typeof value !== 'string' || typeof member !== 'string' || wantedAt(path) !== 'number') return ''
  const meant = numberMeant(member, value)
  return meant === null ? '' : ` ${value.trim()} is ${meant} here.`
}

function describeTypeIssue(expected: string, value: unknown, path: Path): string {
  if (expected === 'object' || expected === 'record') return describeUnreadText(value, path, 'object')
  if (expected === 'array') return describeUnreadText(value, path, 'list')
  return expectations[expected] ?? 'A text is expected here.'
}

const expectations: Record<string, string> = {
  int: 'Enter a whole number.',
  number: 'Enter a number.',
  boolean: 'true or false is expected here.',
}

/**
 * The message for a value in place of an object or a list, such as a text that is still being typed and can't be read.
 */
function describeUnreadText(value: unknown, path: Path, expected: Expected): string {
  if (typeof value === 'string' && value.trim() !== '') {
    const read = readFreeText(value, path)
    if (!read.ok) return problemText(read.problem)
  }
  if (expected === 'list') return 'A list is expected here: [ … ].'
  return problemOfRows(value) ?? 'An object is expected here: { … }.'
}

/**
 * What a service's text says about members of a request: each sentence that names one, such as
 * "source_config.repo_url is required." or "Unknown repo_ref.", with the form's label instead. A plain word such as
 * "name" counts only where a sentence begins with it.
 */
export function issuesInText(text: string): FieldIssue[] {
  return text.split(/(?<=[.!?])\s+|\n+/).flatMap((sentence): FieldIssue[] => {
    for (const [token] of sentence.matchAll(/[a-z]\w*(?:\.\w+)*/gi)) {
      const path = memberCalled(token, sentence)
      if (path) return [{ path, message: sentence.replace(token, labelOf(path)).trim() }]
    }
    return []
  })
}

function memberCalled(token: string, sentence: string): Path | undefined {
  if (token.includes('.')) {
    const path = token.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))
    return fieldAt(path) && path
  }
  const isMeant = token.includes('_') || sentence.startsWith(token)
  return isMeant ? formFields.find(({ path }) => path.at(-1) === token)?.path : undefined
}
