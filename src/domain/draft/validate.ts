import {
  checkRequest,
  type CreateRequest,
  createRequestSchema,
  type EnvironmentMode,
  exceedingPairs,
} from '@contract'
import { type Draft, requestOf } from './draft'
import { checkEntries } from './entries'
import { fields, labelOf } from './fields'
import type { DraftFinding } from './finding'
import { type Expected, readFreeText } from './free-text'
import { problemOfRows } from './key-values'
import { type Issue, pathsOf } from './schema-issues'
import { isJsonObject, isWithin, type Path, pathKey, valueAt } from '../text/json-path'

/** Checks what a draft would send: its shape, the rules of the contract, and what is odd about its entries. */
export function check(draft: Draft, mode: EnvironmentMode): DraftFinding[] {
  const request = requestOf(draft)
  const shape = shapeErrors(request)
  const hasShapeError = (path: Path): boolean => shape.some((error) => isWithin(error.path, path))
  const rules = checkRequest(request, mode)
    .filter((finding) => !hasShapeError(finding.path))
    .map(({ level, path, message }): DraftFinding => {
      const member = `${path.join('.')} `
      const words = message.startsWith(member) ? `${labelOf(path)} ${message.slice(member.length)}` : message
      return level === 'certain'
        ? { severity: 'error', path, message: words }
        : { severity: 'warning', level, path, message: words }
    })
  return [
    ...shape,
    ...pairErrors(request),
    ...rules.filter(isError),
    ...rules.filter((rule) => !isError(rule)),
    ...checkEntries(request),
  ]
}

export const isError = (finding: DraftFinding): boolean => finding.severity === 'error'

/** The first words about each path and everything inside it, by `pathKey`: a form asks for many paths. */
export function firstMessages(findings: readonly { path: Path; message: string }[]): Map<string, string> {
  const words = new Map<string, string>()
  for (const { path, message } of findings) {
    for (let length = path.length; length >= 0; length -= 1) {
      const key = pathKey(path.slice(0, length))
      if (!words.has(key)) words.set(key, message)
    }
  }
  return words
}

function shapeErrors(request: unknown): DraftFinding[] {
  const result = createRequestSchema.safeParse(request)
  if (result.success) return []
  // Pairs are told by `pairErrors`: the schema looks at them only when everything else has its shape.
  const issues = result.error.issues.filter(({ code }) => code !== 'custom')
  return issues.flatMap((issue) =>
    pathsOf(issue).map((path): DraftFinding => ({
      severity: 'error',
      path,
      message: wordsFor(issue, path, valueAt(request, path)),
    })),
  )
}

/** Requests above their limits and minimums above their maximums, which the schema refuses. */
function pairErrors({ source_config: { resource_spec: spec } }: CreateRequest): DraftFinding[] {
  if (!isJsonObject(spec)) return []
  const base = fields.resource_spec.path
  return exceedingPairs(spec).map(({ low, high, lower, upper }) => ({
    severity: 'error',
    path: [...base, low],
    message: `${labelOf([...base, low])} (${lower}) may not be more than ${labelOf([...base, high])} (${upper}).`,
  }))
}

function wordsFor(issue: Issue, path: Path, value: unknown): string {
  if (issue.code === 'unrecognized_keys') return `The interface has no member "${path.at(-1)}" here.`
  if (issue.code === 'too_small') {
    return issue.origin === 'string' ? 'This may not be empty.' : `Enter ${issue.minimum} or more.`
  }
  // Of texts and lists, the contract says itself how long they may be.
  if (issue.code === 'too_big' && issue.origin !== 'string' && issue.origin !== 'array') {
    return `Enter ${issue.maximum} or less.`
  }
  if (issue.code === 'invalid_value') return `Choose one of ${issue.values.map(String).join(', ')}.`
  if (issue.code === 'invalid_type') return wordsForType(issue.expected, value)
  if (issue.code === 'invalid_format' && issue.format === 'guid') {
    return 'This is not an identifier (UUID), such as 0b9f4a52-7c1e-4d0a-9a44-3f1f8c2b6d10.'
  }
  return issue.message
}

function wordsForType(expected: string, value: unknown): string {
  if (expected === 'int') return 'Enter a whole number.'
  if (expected === 'number') return 'Enter a number.'
  if (expected === 'object' || expected === 'record') return wordsForText(value, 'object')
  if (expected === 'array') return wordsForText(value, 'list')
  if (expected === 'boolean') return 'true or false is expected here.'
  return 'A text is expected here.'
}

/** A text where an object or a list is wanted is one that could not be read while it was typed. */
function wordsForText(value: unknown, expected: Expected): string {
  if (typeof value === 'string' && value.trim() !== '') {
    const read = readFreeText(value)
    if (!read.ok) return `Line ${read.position.line}, column ${read.position.column}: ${read.message}.`
  }
  if (expected === 'list') return 'A list is expected here: [ … ].'
  return problemOfRows(value) ?? 'An object is expected here: { … }.'
}
