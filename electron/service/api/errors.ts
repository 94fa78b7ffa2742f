import type { ServerResponse } from 'node:http'
import { HTTPException } from 'hono/http-exception'
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from '@hono/zod-openapi'
import { limits } from '../base/limits'
import { type Log, printable } from '../base/log'
import { StorageFailure } from '../base/failures'
import type { InvalidAnswer } from './schemas'

/** After how many seconds a client may try again. By then, another database has taken over. */
const retryAfter = '5'

/** Answers an error in the form of such services: `{"detail": "text"}`. */
export function answerError(context: Context, status: ContentfulStatusCode, detail: string): Response {
  if (status === 503) context.header('Retry-After', retryAfter)
  return context.json({ detail }, status)
}

/** What a route throws to answer an error. */
export const refusal = (status: ContentfulStatusCode, detail: string): HTTPException =>
  new HTTPException(status, { message: detail })

/** Answers the errors of routes. Only errors that are meant for clients show their reason. */
export const answerThrown =
  (log: Log) =>
  (error: Error, context: Context): Response => {
    if (error instanceof HTTPException) return answerError(context, error.status, error.message)
    const failed = `${context.req.method} ${printable(context.req.path)} failed`
    const id = requestIdOf(context)
    if (error instanceof StorageFailure) {
      log.problem(`${failed}: ${error.message}`, undefined, id)
      const { status, detail } = storageDetailOf(error, isCreation(context))
      return answerError(context, status, detail)
    }
    log.problem(`${failed}:`, error, id)
    return answerError(context, 500, 'Internal error')
  }

/** The identifier that the server gave a request. */
export function requestIdOf(context: Context): string | undefined {
  const { outgoing } = context.env as { outgoing?: ServerResponse }
  return outgoing?.getHeader('x-request-id')?.toString()
}

/** The status and the text of the answer to an error of a write. The log has the reason. */
export function storageDetailOf(
  error: unknown,
  isCreation = false,
): { status: 500 | 503 | 507; detail: string } {
  if (!(error instanceof StorageFailure)) return { status: 500, detail: 'Internal error' }
  const { reason, what } = error
  if (reason === 'unavailable') {
    return { status: 503, detail: `The service's ${what} can't be used at the moment. Try again later.` }
  }
  if (reason === 'full') {
    const done = isCreation ? 'created' : 'changed'
    const detail = `The service's disk is full, so nothing was ${done}. Free some space, then try again.`
    return { status: 507, detail }
  }
  const detail = isCreation
    ? 'the deployment may have been created or not. List deployments with its name before you create it again.'
    : 'the change may have been made or not. Read the deployment before you make it again.'
  return { status: 503, detail: `The connection to the service's database was lost, so ${detail}` }
}

const isCreation = ({ req }: Context): boolean =>
  req.method === 'POST' && req.path.endsWith('/v2/deployments')

/** The names of a request's parts in a 422. */
const partNames: Record<string, string> = { json: 'body', query: 'query', param: 'path' }

interface ValidationResult {
  target: string
  success: boolean
  data?: unknown
  error?: z.ZodError
}

/** Answers 422 with the first issues if a request has the wrong shape; returns undefined if it has the right one. */
export function answerInvalid(result: ValidationResult, context: Context): Response | undefined {
  if (result.success || result.error === undefined) return undefined
  const place = partNames[result.target] ?? result.target
  const detail = result.error.issues.slice(0, limits.findings).map((issue) => {
    const found = memberAt(result.data, issue.path)
    const described = describeIssue(issue, place, found)
    const isRepeated = place === 'query' && Array.isArray(found)
    return {
      loc: [place, ...issue.path.map((member) => (typeof member === 'number' ? member : String(member)))],
      ...(isRepeated ? { ...described, msg: 'Input should be given only once' } : described),
    }
  })
  return context.json({ detail } satisfies InvalidAnswer, 422)
}

function memberAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((at, member) => (at as Record<PropertyKey, unknown> | null)?.[member], value)
}

const typeNames: Record<string, string> = { record: 'dict', object: 'dict', array: 'list', boolean: 'bool' }

/** Describes an issue, with the type names that clients of such services know. */
function describeIssue(
  issue: z.core.$ZodIssue,
  place: string,
  found: unknown,
): Pick<InvalidAnswer['detail'][number], 'msg' | 'type'> {
  const msg = issue.message
  switch (issue.code) {
    case 'invalid_type':
      if (found === undefined) return { msg: 'Field required', type: 'missing' }
      if (place === 'query' && issue.expected === 'number') {
        return { msg: 'Input should be a whole number, in digits', type: 'int_parsing' }
      }
      if (place === 'query' && issue.expected === 'boolean') {
        return { msg: 'Input should be true or false', type: 'bool_parsing' }
      }
      return { msg, type: `${typeNames[issue.expected] ?? issue.expected}_type` }
    case 'invalid_value':
      return { msg, type: 'enum' }
    case 'invalid_format':
      return issue.format === 'guid'
        ? { msg: 'Input should be a UUID', type: 'uuid_parsing' }
        : { msg, type: issue.format }
    case 'too_small':
      return { msg, type: issue.origin === 'string' ? 'string_too_short' : 'greater_than_equal' }
    case 'too_big':
      return { msg, type: 'less_than_equal' }
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'custom':
      return { msg, type: 'value_error' }
  }
}
