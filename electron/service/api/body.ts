import { bodyLimit } from 'hono/body-limit'
import type { Context, MiddlewareHandler } from 'hono'
import { answerError } from './errors'

const mebibyte = 1024 * 1024

/** Answers 415 unless the content type is JSON (interface: `Content-Type: application/json`). */
export const requireJson: MiddlewareHandler = (context, next) => {
  const type = context.req.header('content-type')?.split(';')[0]!.trim().toLowerCase()
  if (type === 'application/json') return next()
  return Promise.resolve(answerError(context, 415, 'The header Content-Type must be application/json.'))
}

const refuseLarge = (context: Context): Response =>
  answerError(context, 413, 'The request body is larger than 1 MiB.')

const limitStream = bodyLimit({ maxSize: mebibyte, onError: refuseLarge })

/**
 * Answers 413 to a body over 1 MiB, and holds no more than that in memory. A declared length decides by itself, because
 * Node reads no more than that. Only bodies of unknown length are counted, because hono then creates a web stream of
 * the body.
 */
export const limitBody: MiddlewareHandler = (context, next) => {
  const length = context.req.header('content-length')
  if (length === undefined || context.req.header('transfer-encoding') !== undefined) {
    return limitStream(context, next)
  }
  return Number(length) > mebibyte ? Promise.resolve(refuseLarge(context)) : next()
}
