import { answerLimits, fail, type Outcome, type NetworkSettings, succeed } from '@contract'
import { withRetries } from '../async'
import { isWebPage } from './error-body'
import { failureAfter, readRetryAfter, sentBy } from './failures'
import { explainNetworkError } from './network-errors'
import type { Refusal } from './trust'

/** Where requests go: an environment, or a draft of one that is being checked. */
export interface HttpTarget {
  /** Null for a draft of an environment that is being checked. */
  environmentId: string | null
  /** Base URL as `normalizeBaseUrl` gives it: origin and path prefix, no slash at the end. */
  baseUrl: string
  /** Request headers of the environment. Secrets: never logged, never sent to another origin. */
  headers: Record<string, string>
  /** Certificate rule and proxy; the system's by default. Contains a secret. */
  network?: NetworkSettings
}

/** One request. Only a GET is ever repeated automatically. */
export interface HttpRequest {
  target: HttpTarget
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path below the base URL, beginning with a slash. */
  path: string
  query?: URLSearchParams
  /** A value that is sent as JSON. */
  body?: unknown
  /** Secrets in the body, which no failure may repeat. Header values are always treated so. */
  secrets?: readonly string[]
  /** Cancels the request; one that writes only until it may have left. */
  signal?: AbortSignal
  /** Sends a GET once, because the caller repeats it by a policy of its own. */
  once?: boolean
  /** Time limit of one attempt over connection, headers and body, in milliseconds (`client.ts` has the default). */
  timeLimitMs?: number
  /** Size of the decompressed answer; `answerLimits.bytes` by default. */
  answerBytes?: number
}

/** An answer with a 2xx status. */
export interface HttpAnswer {
  status: number
  /**
   * The decompressed body: neither empty (a 204 has `{}`) nor a web page, but not checked to be JSON. Threads share its
   * memory. Another process gets a copy.
   */
  body: Uint8Array
  /** The header Location, unparsed. The body is then `{}` if there was none. */
  location?: string | null
}

/** The one HTTP client. Every outcome but a 2xx answer with a body is a failure of the contract. */
export interface HttpClient {
  request: (request: HttpRequest) => Promise<Outcome<HttpAnswer>>
}

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
  const attempt = (): Promise<ExchangeEnd> => exchange(message, send, httpRequest)
  const isRepeated = method === 'GET' && !httpRequest.once
  const end = isRepeated ? await withRetries(attempt, waitBeforeRetry, signal) : await attempt()
  // Also between two attempts.
  const isCancelled = isRepeated && signal?.aborted === true
  const answer = isCancelled ? null : goodAnswerIn(end)
  if (answer) return succeed(answer)
  const failed: ExchangeEnd = isCancelled ? { kind: 'cancelled', begun: sentBy(end) !== 'no' } : end
  return fail(failureAfter(failed, secretsOf(httpRequest), target.environmentId))
}

const emptyObject = new TextEncoder().encode('{}')

/** How many bytes of a body are enough to recognise a web page. */
const beginningBytes = 1_000

/** A 2xx answer; null if it is empty or a web page, so that it isn't the service's. */
function goodAnswerIn(end: ExchangeEnd): HttpAnswer | null {
  if (end.kind !== 'answer' || !isGood(end)) return null
  const { status, body, contentType, location } = end
  const beginning = new TextDecoder().decode(body.subarray(0, beginningBytes)).trim()
  if (beginning === '') {
    // Some services answer a creation with the new deployment's address alone.
    return location || status === 204 ? { status, body: emptyObject, location } : null
  }
  // Some services send JSON with the content type of a web page.
  const isOther = !/^[[{"]/.test(beginning) && isWebPage(beginning, contentType)
  return isOther ? null : { status, body, location }
}

const isGood = ({ status }: { status: number }): boolean => status >= 200 && status < 300

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

/** The longest wait before each further attempt of a GET, in milliseconds. */
export const waitsMs = [300, 600] as const

/** The longest wait that the service may ask for. */
const longestRequestedWaitMs = 10_000

const passingStatuses = [429, 502, 503, 504]

/**
 * How long to wait before a GET is sent again, in milliseconds; null if it isn't. The wait has full jitter, and is
 * at least as long as the service asks for. There is no retry if the service asks for more than 10 s, or
 * after a time limit: the operator has waited long enough.
 */
export function waitBeforeRetry(end: ExchangeEnd, retriesSoFar: number, random = Math.random): number | null {
  const longestMs = waitsMs[retriesSoFar]
  if (longestMs === undefined) return null
  const jitter = random() * longestMs
  if (end.kind === 'network') return explainNetworkError(end.error).passing ? jitter : null
  if (end.kind !== 'answer' || !passingStatuses.includes(end.status)) return null
  const requestedMs = (readRetryAfter(end) ?? 0) * 1000
  if (requestedMs > longestRequestedWaitMs) return null
  return requestedMs + jitter
}

/** Why Slipway itself didn't send a request: there is no session for it, or the proxy's sign-in might send it twice. */
export type WhyNotSent = 'no-session' | 'proxy-sign-in'

interface AnswerHead {
  status: number
  contentType: string | null
  retryAfter: string | null
  /** The header Date (RFC 9110, 6.6.1), unparsed. */
  date?: string | null
  /** The header Location, unparsed: of a created resource (RFC 9110, 15.3.2). */
  location?: string | null
}

/** How one exchange with a service ended. It determines the outcome of a request. */
export type ExchangeEnd =
  /** Headers and body arrived. The body of a failed request may have been cut off. */
  | (AnswerHead & {
      kind: 'answer'
      /** The decompressed body. */
      body: Uint8Array
    })
  /** A redirect that wasn't followed. `to` is the whole address, null if there was none. */
  | { kind: 'redirect'; status: number; to: string | null }
  /**
   * The answer wasn't complete within the time limit. `status` is set if its headers had arrived; `begun` if the
   * request may have left.
   */
  | { kind: 'time-limit'; limitMs: number; status: number | null; begun: boolean }
  /** The decompressed answer exceeded the limit, in bytes. */
  | { kind: 'too-large'; status: number; limitBytes: number }
  /**
   * The network failed. `error` is Chromium's name of the error (such as `ERR_CONNECTION_RESET`), if there is one.
   * `status` is set if the headers of an answer had arrived. `mayHaveLeft` says whether the request had a connection
   * and so may have been sent, whatever the error says; undefined if only the error tells.
   */
  | { kind: 'network'; error: string | null; status: number | null; mayHaveLeft?: boolean }
  /**
   * The certificate of the service was refused. `error` as above. `own` means that it was the request's only
   * connection, so nothing was sent.
   */
  | { kind: 'certificate'; error: string | null; refusal: Refusal; own: boolean }
  /** The caller cancelled; `begun` means that the request may have left. */
  | { kind: 'cancelled'; begun: boolean }
  /** Slipway didn't send it. */
  | { kind: 'not-sent'; why: WhyNotSent }

/** A request as it is sent. */
export interface Message {
  url: string
  method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE'
  headers: Record<string, string>
  body: string | undefined
}

/** A redirect that wasn't followed. `to` is null if its Location is unreadable. */
export interface Redirect {
  status: number
  to: string | null
}

/** An answer whose headers have arrived. Stop reading the body, or abort the signal, to end the exchange. */
export interface Answer extends AnswerHead {
  /** The parts of the decompressed body. Throws if the body breaks off. */
  body: AsyncIterable<Uint8Array>
}

/**
 * Takes a function that says whether a message may have left by now; undefined if only an error tells: one that can
 * come only before means that it hasn't.
 */
type ReportBegun = (mayHaveLeft: () => boolean | undefined) => void

/**
 * Sends one message without following redirects. Rejects with an error whose message names the problem. The signal also
 * ends an answer that is being read. A sender that knows whether the message may have left calls `reportBegun`. Otherwise it
 * may have left.
 */
export type Send = (
  message: Message,
  signal: AbortSignal,
  reportBegun: ReportBegun,
) => Promise<Answer | Redirect>

/** The error of a request that Slipway itself didn't send. */
export class NotSent extends Error {
  constructor(readonly why: WhyNotSent) {
    super(why)
  }
}

/** The error of a refused certificate. The message names Chromium's error. */
export class CertificateRefused extends Error {
  constructor(
    message: string,
    readonly refusal: Refusal,
  ) {
    super(message)
  }
}

/**
 * The number of redirects that are followed within the base URL's origin, such as to a path with a slash at its end.
 */
const maxRedirects = 5

/** The statuses that redirect (RFC 9110, 15.4). 304, for example, doesn't. */
const redirecting: readonly number[] = [300, 301, 302, 303, 307, 308]

/** How much of a failed request's answer is read. Its message is at the beginning. */
const refusalBytes = 256 * 1024

/** Sends a message and reads the answer within the limits. Never rejects. Ends as soon as a limit is reached. */
async function exchange(
  message: Message,
  send: Send,
  {
    timeLimitMs: limitMs = defaultTimeLimitMs,
    answerBytes = answerLimits.bytes,
    signal: cancelling,
  }: HttpRequest,
): Promise<ExchangeEnd> {
  if (cancelling?.aborted) return { kind: 'cancelled', begun: false }
  const controller = new AbortController()
  /** The status of the answer, once its headers have arrived. */
  let status: number | null = null
  let mayHaveLeft = (): boolean | undefined => undefined
  return await new Promise<ExchangeEnd>((resolve) => {
    const finish = (end: ExchangeEnd): void => {
      clearTimeout(timer)
      cancelling?.removeEventListener('abort', cancel)
      resolve(end)
      // Also ends a body that wasn't read to its end.
      controller.abort()
    }
    const begun = (): boolean => status !== null || (mayHaveLeft() ?? true)
    const cancel = (): void => {
      // To stop waiting wouldn't undo what a write may do.
      if (message.method === 'GET' || !begun()) finish({ kind: 'cancelled', begun: begun() })
    }
    const timer = setTimeout(() => finish({ kind: 'time-limit', limitMs, status, begun: begun() }), limitMs)
    cancelling?.addEventListener('abort', cancel, { once: true })
    const noteStatus = (one: number): void => {
      status = one
    }
    const sending = (one: Message, signal: AbortSignal): ReturnType<Send> =>
      send(one, signal, (tells) => (mayHaveLeft = tells))
    follow(message, sending, answerBytes, controller.signal, noteStatus).then(finish, (error: unknown) =>
      finish(endWith(error, status, mayHaveLeft())),
    )
  })
}

/** The end of a failed exchange; `status` is that of its answer, if there was one. */
function endWith(error: unknown, status: number | null, mayHaveLeft: boolean | undefined): ExchangeEnd {
  if (error instanceof NotSent) return { kind: 'not-sent', why: error.why }
  if (error instanceof CertificateRefused) {
    return { kind: 'certificate', error: errorName(error), refusal: error.refusal, own: mayHaveLeft !== true }
  }
  return { kind: 'network', error: errorName(error), status, mayHaveLeft }
}

async function follow(
  message: Message,
  send: (message: Message, signal: AbortSignal) => ReturnType<Send>,
  answerBytes: number,
  signal: AbortSignal,
  noteStatus: (status: number) => void,
): Promise<ExchangeEnd> {
  let current = message
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(current, signal)
    noteStatus(answer.status)
    if ('body' in answer) return await read(answer, answerBytes)
    const next = redirects < maxRedirects ? nextMessage(current, answer) : null
    if (next === null) return { kind: 'redirect', ...answer }
    current = next
  }
}

/** The message for the target of a redirect: only of a GET, and only within the same origin. Otherwise null. */
function nextMessage(message: Message, { to }: Redirect): Message | null {
  if (to === null || message.method !== 'GET') return null
  return new URL(to).origin === new URL(message.url).origin ? { ...message, url: to } : null
}

async function read(answer: Answer, answerBytes: number): Promise<ExchangeEnd> {
  const { status } = answer
  // Redirects arrive here only if they have no readable target.
  if (redirecting.includes(status)) return { kind: 'redirect', status, to: null }
  const ok = isGood(answer)
  const body = await readBody(answer.body, ok ? answerBytes : refusalBytes, ok)
  if (body === null) return { kind: 'too-large', status, limitBytes: answerBytes }
  return { ...answer, kind: 'answer', body }
}

/** Reads a body. If it exceeds the limit or breaks off, the result is its beginning, or null if it must be whole. */
async function readBody(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
  mustBeWhole: boolean,
): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of body) {
      length += part.byteLength
      if (length <= limitBytes) parts.push(part)
      else if (mustBeWhole) return null
      else break
    }
  } catch (error) {
    if (mustBeWhole) throw error
  }
  return Buffer.concat(parts)
}

/** The name of a network error in Electron's message: `net::ERR_CONNECTION_REFUSED`. */
function errorName(error: unknown): string | null {
  const message = error instanceof Error ? error.message : String(error)
  return /\bnet::(ERR_[A-Z0-9_]+)/.exec(message)?.[1] ?? null
}
