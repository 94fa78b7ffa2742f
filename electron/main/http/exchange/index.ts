import type { ExchangeEnd, WhyNotSent } from './result'
import { GatheredBody } from './gathered-body'
import type { Refusal } from '../trust'

/** A request as it goes out. */
export interface Message {
  url: string
  method: 'GET' | 'HEAD' | 'POST'
  headers: Record<string, string>
  body: string | undefined
  /** See `HttpRequest`. */
  mayLeave?: () => Promise<boolean>
}

/** A redirect that was not followed; `to` is null where its Location could not be read. */
export interface Redirect {
  status: number
  to: string | null
}

/** An answer whose headers have come. Who stops reading the body, or aborts the signal, ends the exchange. */
export interface Answer {
  status: number
  contentType: string | null
  retryAfter: string | null
  date: string | null
  /** The header Age (RFC 9111, 5.1), with which a cache on the way says how old its answer is. */
  age: string | null
  /** The parts of the body, unpacked. Throws where it breaks off. */
  body: AsyncIterable<Uint8Array>
}

/** Takes what tells whether a message may have left by now. */
type TellBegun = (mayHaveLeft: () => boolean) => void

/**
 * Sends one message without following redirects. Rejects with an error whose message names the trouble. The signal
 * also ends an answer that is being read. A sender that can tell whether the message may have left says so by `tell`;
 * otherwise it may.
 */
export type Send = (message: Message, signal: AbortSignal, tell: TellBegun) => Promise<Answer | Redirect>

/** Says that Slipway itself did not send a request. */
export class NotSent extends Error {
  constructor(readonly why: WhyNotSent) {
    super(why)
  }
}

/**
 * Says that the certificate was refused; the message names Chromium's error. `own` says that it was refused to this
 * request's only connection, so that nothing was sent.
 */
export class CertificateRefused extends Error {
  constructor(
    message: string,
    readonly refusal: Refusal,
    readonly own: boolean,
  ) {
    super(message)
  }
}

/**
 * Says that a request failed whose body Chromium asks for once it has a connection to send it on. Where it had asked, the
 * request may have left, whatever the error is, which may be that of another connection on which Chromium tried again.
 * Where it hadn't, the request has not left. The message names Chromium's error.
 */
export class FailedWithBody extends Error {
  constructor(
    message: string,
    readonly mayHaveLeft: boolean,
  ) {
    super(message)
  }
}

export interface ExchangeLimits {
  /** Over connection, headers and body of all redirects together, in milliseconds. */
  timeMs: number
  /** Size of the answer as unpacked. */
  answerBytes: number
  signal: AbortSignal | undefined
}

/** Redirects within the base URL's origin that are followed, such as to a path with a slash at its end. */
const mostRedirects = 5

/** The statuses that send the asker elsewhere (RFC 9110, 15.4); 304, for one, does not. */
const redirecting: readonly number[] = [300, 301, 302, 303, 307, 308]

/** Of an answer that is a failure only this much is read: its words are at the beginning. */
const refusalBytes = 256 * 1024

/** Sends a message and reads the answer within the limits. Never rejects, and ends as soon as a limit is reached. */
export async function exchange(message: Message, send: Send, limits: ExchangeLimits): Promise<ExchangeEnd> {
  if (limits.signal?.aborted) return { kind: 'cancelled', begun: false }
  const controller = new AbortController()
  /** The status of the answer, as soon as its headers are here. */
  let status: number | null = null
  let mayHaveLeft = (): boolean => true
  return await new Promise<ExchangeEnd>((resolve) => {
    const finish = (end: ExchangeEnd): void => {
      clearTimeout(timer)
      limits.signal?.removeEventListener('abort', cancel)
      resolve(end)
      // Also lets go of the rest of a body that is not read to its end.
      controller.abort()
    }
    const begun = (): boolean => status !== null || mayHaveLeft()
    const cancel = (): void => finish({ kind: 'cancelled', begun: begun() })
    const timer = setTimeout(
      () => finish({ kind: 'time-limit', limitMs: limits.timeMs, status, begun: begun() }),
      limits.timeMs,
    )
    limits.signal?.addEventListener('abort', cancel, { once: true })
    const noteStatus = (one: number): void => {
      status = one
    }
    const sending = (one: Message, signal: AbortSignal): ReturnType<Send> =>
      send(one, signal, (tells) => (mayHaveLeft = tells))
    follow(message, sending, limits.answerBytes, controller.signal, noteStatus).then(
      finish,
      (error: unknown) => finish(endWith(error, status)),
    )
  })
}

/** How an exchange ended that failed, once an answer had a status where one is given. */
function endWith(error: unknown, status: number | null): ExchangeEnd {
  if (error instanceof NotSent) return { kind: 'not-sent', why: error.why }
  if (error instanceof CertificateRefused) {
    return { kind: 'certificate', error: errorName(error), refusal: error.refusal, own: error.own }
  }
  const mayHaveLeft = error instanceof FailedWithBody ? error.mayHaveLeft : undefined
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
    const next = redirects < mostRedirects ? nextMessage(current, answer) : null
    if (next === null) return { kind: 'redirect', ...answer }
    current = next
  }
}

/** Where a GET goes on, with its headers, within the same origin only; null where it does not. */
function nextMessage(message: Message, { to }: Redirect): Message | null {
  if (to === null || message.method !== 'GET') return null
  return new URL(to).origin === new URL(message.url).origin ? { ...message, url: to } : null
}

async function read(answer: Answer, answerBytes: number): Promise<ExchangeEnd> {
  const { status, contentType, retryAfter, date, age } = answer
  // Only one that does not say where to arrives here.
  if (redirecting.includes(status)) return { kind: 'redirect', status, to: null }
  const ok = status >= 200 && status < 300
  const body = await readBody(answer.body, ok ? answerBytes : refusalBytes, ok)
  if (body === null) return { kind: 'too-large', status, limitBytes: answerBytes }
  return { kind: 'answer', status, contentType, retryAfter, date, age, body }
}

/**
 * Reads a body. One that is longer than the limit gives null where it must be whole, else its beginning;
 * the same goes for one that breaks off.
 */
async function readBody(
  body: AsyncIterable<Uint8Array>,
  limitBytes: number,
  mustBeWhole: boolean,
): Promise<Uint8Array | null> {
  const gathered = new GatheredBody(limitBytes)
  try {
    for await (const part of body) {
      if (gathered.add(part)) continue
      if (mustBeWhole) return null
      break
    }
  } catch (error) {
    if (mustBeWhole) throw error
  }
  return gathered.body()
}

/** The name of a network error, which Electron puts into the message: `net::ERR_CONNECTION_REFUSED`. */
function errorName(error: unknown): string | null {
  const message = error instanceof Error ? error.message : String(error)
  return /\bnet::(ERR_[A-Z0-9_]+)/.exec(message)?.[1] ?? null
}
