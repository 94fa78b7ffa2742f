import { bodyLimit } from 'hono/body-limit'
import type { MiddlewareHandler } from 'hono'
import { limits } from '../base/limits'
import { refusal } from './errors'
import type { InvalidAnswer } from './schemas'

/** Answers 415 unless the content type is JSON (interface: `Content-Type: application/json`), without compression. */
export const requireJson: MiddlewareHandler = async (context, next) => {
  const type = context.req.header('content-type')?.split(';')[0]!.trim().toLowerCase()
  if (type !== 'application/json') throw refusal(415, 'The header Content-Type must be application/json.')
  const encoding = context.req.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity') return next()
  context.header('Accept-Encoding', 'identity')
  throw refusal(
    415,
    `The body is compressed (Content-Encoding: ${encoding.slice(0, 40)}). Send it uncompressed.`,
  )
}

const tooLarge = refusal(413, 'The request body is larger than 1 MiB.')

/** The answer to a body that breaks off. Only the log shows it. */
export const cutOff = refusal(400, 'The connection was closed before the body was complete.')

const limitStream = bodyLimit({
  maxSize: limits.bodyBytes,
  onError: () => {
    throw tooLarge
  },
})

/**
 * Answers 413 to a body over 1 MiB, and never holds more than that in memory. A declared length is enough to decide,
 * because Node reads no more than that. Only bodies of unknown length are counted, because hono then creates a web
 * stream of the body.
 */
export const limitBody: MiddlewareHandler = async (context, next) => {
  const length = context.req.header('content-length')
  if (length === undefined || context.req.header('transfer-encoding') !== undefined) {
    // hono catches the errors of later handlers, so an error here comes from reading.
    return limitStream(context, next).catch((error: unknown) => {
      throw error === tooLarge ? tooLarge : cutOff
    })
  }
  if (Number(length) > limits.bodyBytes) throw tooLarge
  return next()
}

/** Answers 400 to a body that isn't UTF-8 (RFC 8259, 8.1). Its invalid bytes would be read as other characters. */
export const requireUtf8: MiddlewareHandler = async (context, next) => {
  const bytes = await context.req.arrayBuffer().catch(() => null)
  if (bytes === null) throw cutOff
  const text = textOf(bytes)
  if (text === null) throw refusal(400, 'The body must be JSON in UTF-8, but is not UTF-8.')
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

/**
 * Finds the first number in a JSON text that a double can't hold exactly, such as 9007199254740993 or 1e400; null if
 * there is none. `JSON.parse` rounds numbers silently, so the text itself is searched.
 */
export function inexactNumber(text: string): string | null {
  for (const [found] of text.matchAll(stringOrNumber)) {
    if (!found.startsWith('"') && !isExact(found)) return found
  }
  return null
}

/** A string may lack its end: otherwise the search would begin again at each quotation mark in it. */
const stringOrNumber = /"(?:[^"\\]+|\\[^])*"?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g

/** Characters of a number. The largest double has 309 digits, so a longer number is padded or not exact. */
const longest = 400

/** A double keeps any 15 digits. */
const surelyExact = /^[-.\d]{1,15}$/

/** Whether a number stays the same when it is read as a double and written again. */
function isExact(number: string): boolean {
  if (surelyExact.test(number)) return true
  if (number.length > longest) return false
  const read = Number(number)
  return Number.isFinite(read) && canonical(String(read)) === canonical(number)
}

/** A decimal number in one form: its sign, its digits without zeros at the ends, its exponent. */
function canonical(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts.exec(number) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  let length = digits.length
  while (digits[length - 1] === '0') length -= 1
  if (length === 0) return '0'
  return `${sign}${digits.slice(0, length)}e${Number(exponent) - fraction.length + digits.length - length}`
}

const parts = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/
