import { bodyLimit } from 'hono/body-limit'
import type { MiddlewareHandler } from 'hono'
import { answerError } from './errors'

const mebibyte = 1024 * 1024

/** Answers 415 to a body that is not said to be JSON (interface: `Content-Type: application/json`). */
export const requireJson: MiddlewareHandler = (context, next) => {
  const type = context.req.header('content-type')?.split(';')[0]!.trim().toLowerCase()
  if (type === 'application/json') return next()
  return Promise.resolve(answerError(context, 415, 'The header Content-Type must be application/json.'))
}

/** Answers 413 to a body of more than 1 MiB, and keeps no more of it than that in memory. */
export const limitBody: MiddlewareHandler = bodyLimit({
  maxSize: mebibyte,
  onError: (context) => answerError(context, 413, 'The request body is larger than 1 MiB.'),
})
