import { answerLimits, type Outcome, succeed } from '@contract'
import { exchange, type Send } from './exchange'
import type { ExchangeEnd } from './exchange/result'
import { outcomeOf, type ServiceInterface } from './failures'
import { sentBy } from './failures/sent'
import type { HttpAnswer, HttpRequest } from './types'
import { waitBeforeRetry, withRetries } from './failures/retry'

/** The default limits: the time of one attempt, and the size of an answer. */
const defaultLimits = { timeMs: 15_000, answerBytes: answerLimits.bytes } as const

export interface ClientLimits {
  timeMs: number
  answerBytes: number
}

/**
 * Makes one request through `send`. Only a GET is sent again after a failure that may pass (see `waitBeforeRetry`),
 * unless it is to be sent `once`. Gives the outcome of the last attempt. Never rejects.
 */
export async function request(
  httpRequest: HttpRequest,
  send: Send,
  limits: ClientLimits = defaultLimits,
  service?: ServiceInterface,
): Promise<Outcome<HttpAnswer>> {
  const { target, method, path, query, body, signal } = httpRequest
  // A plus means a space in forms only (RFC 3986), so a literal plus is sent as %2B.
  const search = query === undefined ? '' : query.toString().replaceAll('+', '%20')
  const message = {
    url: target.baseUrl + path + (search === '' ? '' : `?${search}`),
    method,
    headers: headersOf(httpRequest),
    body: body === undefined ? undefined : JSON.stringify(body),
    mayLeave: httpRequest.mayLeave,
  }
  const began = performance.now()
  const attempt = (): Promise<ExchangeEnd> =>
    exchange(message, send, {
      timeMs: httpRequest.timeLimitMs ?? limits.timeMs,
      answerBytes: limits.answerBytes,
      signal,
    })
  const isRepeated = method === 'GET' && !httpRequest.once
  const end = isRepeated ? await withRetries(attempt, waitBeforeRetry, signal) : await attempt()
  const isCancelled = signal?.aborted === true
  const outcome = outcomeOf(isCancelled ? { kind: 'cancelled', begun: sentBy(end) !== 'no' } : end, {
    secrets: secretsOf(httpRequest),
    environmentId: target.environmentId,
    service,
  })
  if (!outcome.ok) return outcome
  const durationMs = performance.now() - began
  const { status, body: answer, date, age, location } = outcome.value
  const isStale = isOlderThan(durationMs, age)
  return succeed({ status, body: answer, date: isStale ? null : date, isStale, location, durationMs })
}

/** Whether the header Age of an answer (RFC 9111, 5.1) is higher than a time, or unreadable. */
const isOlderThan = (ms: number, age: string | null = null): boolean =>
  age !== null && !(/^\d+$/.test(age) && Number(age) * 1000 <= ms)

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
