import { HTTPException } from 'hono/http-exception'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from '@hono/zod-openapi'
import type { InvalidAnswer } from './schemas'

/** Answers an error as services of this kind do: `{"detail": "text"}`. */
export function answerError(context: Context, status: ContentfulStatusCode, detail: string): Response {
  return context.json({ detail }, status)
}

/** Answers whatever a route threw. Only what was thrown on purpose says why. */
export function answerThrown(error: Error, context: Context): Response {
  if (error instanceof HTTPException)
    return answerError(context, error.status as ContentfulStatusCode, error.message)
  console.error(`${context.req.method} ${context.req.path} failed:`, error)
  return answerError(context, 500, 'Internal error')
}

/** Where zod-openapi found a request's parts, in the words of a 422. */
const places: Record<string, string> = { json: 'body', query: 'query', param: 'path' }

interface ValidationResult {
  target: string
  success: boolean
  data?: unknown
  error?: z.ZodError
}

/** Answers a request whose shape is wrong with 422 and every finding; gives nothing when the shape is right. */
export function answerInvalid(result: ValidationResult, context: Context): Response | undefined {
  if (result.success || result.error === undefined) return undefined
  const place = places[result.target] ?? result.target
  const detail: InvalidAnswer['detail'] = result.error.issues.map((issue) => {
    const missing = issue.code === 'invalid_type' && memberAt(result.data, issue.path) === undefined
    return {
      loc: [place, ...issue.path.map((member) => (typeof member === 'number' ? member : String(member)))],
      msg: missing ? 'Field required' : issue.message,
      type: missing ? 'missing' : issueType(issue),
    }
  })
  return context.json({ detail }, 422)
}

function memberAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((at, member) => (at as Record<PropertyKey, unknown> | null)?.[member], value)
}

const typeWords: Record<string, string> = { record: 'dict', object: 'dict', array: 'list', boolean: 'bool' }

/** The word for a kind of finding; the words are those that clients of such services know. */
function issueType(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `${typeWords[issue.expected] ?? issue.expected}_type`
    case 'invalid_value':
      return 'enum'
    case 'invalid_format':
      return issue.format === 'guid' ? 'uuid_parsing' : issue.format
    case 'too_small':
      return issue.origin === 'string' ? 'string_too_short' : 'greater_than_equal'
    case 'too_big':
      return issue.origin === 'string' ? 'string_too_long' : 'less_than_equal'
    default:
      return 'value_error'
  }
}
