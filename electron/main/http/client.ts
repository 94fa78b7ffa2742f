import { answerLimits, fail, type Failure, failure, type Outcome, succeed } from '@contract'
import { exchange, type Send } from './exchange'
import type { ExchangeEnd } from './exchange/result'
import { noteCredentials, redactCredentials } from './credentials'
import { outcomeOf, type ServiceInterface } from './failures'
import { sentBy } from './failures/sent'
import type { HttpAnswer, HttpRequest } from './types'
import { waitBeforeRetry, withRetries } from './failures/retry'
import { createSentSecrets } from './failures/sent-secrets'

/** The default limits: the time of one attempt, and the size of an answer. */
const defaultLimits = { timeMs: 15_000, answerBytes: answerLimits.bytes } as const

export interface ClientLimits {
  timeMs: number
  answerBytes: number
}

const sentSecrets = createSentSecrets()

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
  const proxy = target.network?.proxy
  const password = proxy?.mode === 'manual' ? proxy.credentials?.password : undefined
  const secrets = await sentSecrets.add(target.baseUrl, [
    ...Object.values(target.headers),
    ...(password ? [password] : []),
    ...(httpRequest.secrets ?? []),
  ])
  noteCredentials(target)

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
    secrets,
    environmentId: target.environmentId,
    service,
  })
  if (!outcome.ok) return outcome
  const durationMs = performance.now() - began
  const harmless = await redactCredentials(outcome.value.body, target)
  if (!harmless) return fail(unsearchable(outcome.value.status))
  const { status, date, age } = outcome.value
  const isStale = isOlderThan(durationMs, age)
  return succeed({ status, ...harmless, date: isStale ? null : date, isStale, durationMs })
}

/** Whether the header Age of an answer (RFC 9111, 5.1) is higher than a time, or unreadable. */
const isOlderThan = (ms: number, age: string | null = null): boolean =>
  age !== null && !(/^\d+$/.test(age) && Number(age) * 1000 <= ms)

/** The failure of an answer that takes too long to search for credentials, or has one nested too deep to remove it. */
function unsearchable(status: number): Failure {
  return failure('unreadable-answer', "Slipway couldn't check whether the answer repeats your credentials.", {
    advice:
      'Shorten very long request headers. If there are none, the answer repeats one inside nested JSON, where ' +
      "Slipway can't remove it: tell the service's administrator.",
    status,
    sent: 'answered',
  })
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
