import { answerLimits, type Outcome } from '@contract'
import { withRetries } from '../async'
import { exchange, type ExchangeEnd, type Send } from './exchange'
import { outcomeOf, readRetryAfter, sentBy } from './failures'
import { explainNetworkError } from './network-errors'
import type { HttpAnswer, HttpRequest } from './types'

/** The time limit of one attempt over connection, headers and body, in milliseconds. */
const defaultTimeLimitMs = 15_000

/**
 * Makes one request through `send`. Only a GET is sent again after a failure that may pass (see `waitBeforeRetry`),
 * unless it is to be sent `once`. Gives the outcome of the last attempt. Never rejects.
 */
export async function request(httpRequest: HttpRequest, send: Send): Promise<Outcome<HttpAnswer>> {
  const { target, method, path, query, body, signal } = httpRequest
  // A plus means a space in forms only (RFC 3986), so a literal plus is sent as %2B.
  const search = query === undefined ? '' : query.toString().replaceAll('+', '%20')
  const message = {
    url: target.baseUrl + path + (search === '' ? '' : `?${search}`),
    method,
    headers: headersOf(httpRequest),
    body: body === undefined ? undefined : JSON.stringify(body),
  }
  const attempt = (): Promise<ExchangeEnd> =>
    exchange(message, send, {
      timeMs: httpRequest.timeLimitMs ?? defaultTimeLimitMs,
      answerBytes: httpRequest.answerBytes ?? answerLimits.bytes,
      signal,
    })
  const isRepeated = method === 'GET' && !httpRequest.once
  const end = isRepeated ? await withRetries(attempt, waitBeforeRetry, signal) : await attempt()
  // Also between two attempts.
  const isCancelled = isRepeated && signal?.aborted === true
  return outcomeOf(isCancelled ? { kind: 'cancelled', begun: sentBy(end) !== 'no' } : end, {
    secrets: secretsOf(httpRequest),
    environmentId: target.environmentId,
  })
}

/** What a request sends in confidence: header values, also behind a scheme such as "Bearer", and passwords. */
function secretsOf({ target, secrets = [] }: HttpRequest): string[] {
  const proxy = target.network?.proxy
  const password = proxy?.mode === 'manual' ? proxy.credentials?.password : undefined
  const values = Object.values(target.headers)
  return [...values, ...values.map((value) => value.replace(/^\S+\s+/, '')), password ?? '', ...secrets]
}

/** Tells caches on the way to ask the service (RFC 9111, 5.2.1.4 and 5.4). */
const uncached = { 'Cache-Control': 'no-cache', Pragma: 'no-cache' } as const

function headersOf({ target, method, body }: HttpRequest): Record<string, string> {
  const own = new Set(Object.keys(target.headers).map((name) => name.toLowerCase()))
  const added = Object.entries(method === 'GET' ? uncached : {})
  return {
    ...Object.fromEntries(added.filter(([name]) => !own.has(name.toLowerCase()))),
    ...target.headers,
    Accept: 'application/json',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  }
}

/** How often, and after which waits (milliseconds), a GET is sent again. */
export const retries = {
  max: 2,
  firstWaitMs: 300,
  longestWaitMs: 3000,
  longestRequestedWaitMs: 10_000,
} as const

const passingStatuses = [429, 502, 503, 504]

/**
 * How long to wait before a GET is sent again, in milliseconds; null if it isn't. The wait is exponential with full
 * jitter, and at least as long as the service asks for. There is no retry if the service asks for more than 10 s, or
 * after a time limit: the operator has waited long enough.
 */
export function waitBeforeRetry(end: ExchangeEnd, retriesSoFar: number, random = Math.random): number | null {
  if (retriesSoFar >= retries.max) return null
  const jitter = random() * Math.min(retries.longestWaitMs, retries.firstWaitMs * 2 ** retriesSoFar)
  if (end.kind === 'network') return explainNetworkError(end.error).passing ? jitter : null
  if (end.kind !== 'answer' || !passingStatuses.includes(end.status)) return null
  const requestedMs = (readRetryAfter(end) ?? 0) * 1000
  if (requestedMs > retries.longestRequestedWaitMs) return null
  return requestedMs + jitter
}
