import { bodyLimit } from 'hono/body-limit'
import type { Context, MiddlewareHandler } from 'hono'
import { limits } from '../base/limits'
import { answerError } from './errors'
import { inexactNumber } from './exact-numbers'
import type { InvalidAnswer } from './schemas'

/** Answers 415 unless the content type is JSON (interface: `Content-Type: application/json`), without compression. */
export const requireJson: MiddlewareHandler = (context, next) => {
  const type = context.req.header('content-type')?.split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json') {
    const detail = 'The header Content-Type must be application/json.'
    return Promise.resolve(answerError(context, 415, detail))
  }
  const encoding = context.req.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity') return next()
  context.header('Accept-Encoding', 'identity')
  const detail = `The body is compressed (Content-Encoding: ${encoding.slice(0, 40)}). Send it uncompressed.`
  return Promise.resolve(answerError(context, 415, detail))
}

const refuseLarge = (context: Context): Response =>
  answerError(context, 413, 'The request body is larger than 1 MiB.')

const limitStream = bodyLimit({ maxSize: limits.bodyBytes, onError: refuseLarge })

/** The answer to a body that breaks off. Only the log shows it. */
export const refuseCutOff = (context: Context): Response =>
  answerError(context, 400, 'The connection was closed before the body was complete.')

/**
 * Answers 413 to a body over 1 MiB, and never holds more than that in memory. A declared length is enough to decide,
 * because Node reads no more than that. Only bodies of unknown length are counted, because hono then creates a web
 * stream of the body.
 */
export const limitBody: MiddlewareHandler = async (context, next) => {
  const length = context.req.header('content-length')
  if (length === undefined || context.req.header('transfer-encoding') !== undefined) {
    // hono catches the errors of later handlers, so an error here comes from reading.
    return limitStream(context, next).catch(() => refuseCutOff(context))
  }
  return Number(length) > limits.bodyBytes ? refuseLarge(context) : next()
}

/** Answers 400 to a body that isn't UTF-8 (RFC 8259, 8.1). Its invalid bytes would be read as other characters. */
export const requireUtf8: MiddlewareHandler = async (context, next) => {
  const bytes = await context.req.arrayBuffer().catch(() => null)
  if (bytes === null) return refuseCutOff(context)
  const text = textOf(bytes)
  if (text === null) return answerError(context, 400, 'The body must be JSON in UTF-8, but is not UTF-8.')
  // Otherwise hono makes the text by way of a second Response. Its types declare the promise's value.
  context.req.bodyCache = { text: Promise.resolve(text) as unknown as string }
  return next()
}

/** A text without a byte order mark (RFC 8259, 8.1: a parser may ignore it); null if it isn't UTF-8. */
function textOf(bytes: ArrayBuffer): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Answers 422 to a number that would be stored as a different one. Call it after `requireUtf8`. */
export const refuseInexactNumbers: MiddlewareHandler = async (context, next) => {
  const text = await context.req.text()
  const number = inexactNumber(text)
  // What isn't JSON is left to the validation.
  if (number === null || !isJson(text)) return next()
  const read = Number(number)
  const becomes = Number.isFinite(read) ? `would become ${read}` : 'is out of range'
  const shown = number.length > 40 ? `${number.slice(0, 40)}...` : number
  const msg = `Input should have no number that a double can't keep: ${shown} ${becomes}`
  return context.json({ detail: [{ loc: ['body'], msg, type: 'value_error' }] } satisfies InvalidAnswer, 422)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
