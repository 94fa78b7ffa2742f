import { answerLimits, fail, type Failure, failure, type Outcome, succeed } from '@contract'
import { exchange, type Send } from './send'
import type { ExchangeEnd } from './exchange'
import { withoutCredentials } from './credentials'
import { outcomeOf } from './failures'
import type { HttpAnswer, HttpRequest } from './port'
import { waitBeforeRetry } from './retry'
import { createSentSecrets } from './sent-secrets'

/** Time limit of one attempt and size limit of an answer, where nothing else is said. */
export const defaultLimits = { timeMs: 15_000, answerBytes: answerLimits.bytes } as const

export interface ClientLimits {
  timeMs: number
  answerBytes: number
}

const sentSecrets = createSentSecrets()

/**
 * Makes one request through `send`. A GET is sent again after a passing trouble (see `waitBeforeRetry`), anything
 * else never. Gives the outcome of the last attempt; never rejects.
 */
export async function request(
  asked: HttpRequest,
  send: Send,
  limits: ClientLimits = defaultLimits,
): Promise<Outcome<HttpAnswer>> {
  const began = performance.now()
  const { target, method, path, query, body, signal } = asked
  const search = query === undefined ? '' : query.toString()
  const message = {
    url: target.baseUrl + path + (search === '' ? '' : `?${search}`),
    method,
    headers: headersOf(asked),
    body: body === undefined ? undefined : JSON.stringify(body),
  }
  const proxy = target.network?.proxy
  const password = proxy?.mode === 'manual' ? proxy.credentials?.password : undefined
  const secrets = sentSecrets.add(target.baseUrl, [
    ...Object.values(target.headers),
    ...(password ? [password] : []),
    ...(asked.secrets ?? []),
  ])

  for (let retriesSoFar = 0; ; retriesSoFar += 1) {
    const end = await exchange(message, send, {
      timeMs: asked.timeLimitMs ?? limits.timeMs,
      answerBytes: limits.answerBytes,
      signal,
    })
    const wait = method === 'GET' ? waitBeforeRetry(end, retriesSoFar) : null
    if (wait === null || !(await waited(wait, signal))) {
      const outcome = outcomeOf(signal?.aborted ? { kind: 'cancelled', begun: wasSent(end) } : end, {
        secrets,
        environmentId: target.environmentId,
      })
      if (!outcome.ok) return outcome
      const durationMs = performance.now() - began
      const harmless = await withoutCredentials(outcome.value.body, target)
      if (!harmless) return fail(unsearchable(outcome.value.status))
      return succeed({ ...outcome.value, ...harmless, durationMs })
    }
  }
}

/** An answer goes nowhere that takes too long to search for credentials, or in which they are hidden too deep. */
function unsearchable(status: number): Failure {
  return failure(
    'unreadable-answer',
    "Slipway couldn't make sure that the answer repeats no credentials of yours.",
    {
      advice: 'Shorten very long request headers. If there are none, tell whoever runs the service.',
      status,
      sent: 'answered',
    },
  )
}

/** Whether a request that ended so may have left, should nobody want its answer any more. */
const wasSent = (end: ExchangeEnd): boolean => end.kind !== 'cancelled' || end.begun

function headersOf({ target, body }: HttpRequest): Record<string, string> {
  return {
    ...target.headers,
    Accept: 'application/json',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  }
}

/** Waits; gives false at once when the signal aborts. */
function waited(ms: number, signal: AbortSignal | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false)
    const stop = (): void => {
      clearTimeout(timer)
      resolve(false)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve(true)
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
