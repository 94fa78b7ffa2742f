import type { ExchangeEnd } from './exchange'

/** A request as it goes out. */
export interface Message {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body: string | undefined
}

/** A redirect that was not followed; `to` is null where its Location could not be read. */
export interface Redirect {
  status: number
  to: string | null
}

/** Sends one message without following redirects. Rejects with an error whose message names the trouble. */
export type Send = (message: Message, signal: AbortSignal) => Promise<Response | Redirect>

export interface ExchangeLimits {
  /** Over connection, headers and body of all redirects together, in milliseconds. */
  timeMs: number
  /** Size of the answer as unpacked. */
  answerBytes: number
  signal: AbortSignal | undefined
}

/** Redirects within the base URL's origin that are followed, such as to a path with a slash at its end. */
const mostRedirects = 5

/** Of an answer that is a failure only this much is read: its words are at the beginning. */
const refusalBytes = 256 * 1024

/** Sends a message and reads the answer within the limits. Never rejects, and ends as soon as a limit is reached. */
export async function exchange(message: Message, send: Send, limits: ExchangeLimits): Promise<ExchangeEnd> {
  if (limits.signal?.aborted) return { kind: 'cancelled' }
  const controller = new AbortController()
  return await new Promise<ExchangeEnd>((resolve) => {
    const finish = (end: ExchangeEnd): void => {
      clearTimeout(timer)
      limits.signal?.removeEventListener('abort', cancel)
      resolve(end)
      // Also lets go of the rest of a body that is not read to its end.
      controller.abort()
    }
    const cancel = (): void => finish({ kind: 'cancelled' })
    const timer = setTimeout(() => finish({ kind: 'time-limit', limitMs: limits.timeMs }), limits.timeMs)
    limits.signal?.addEventListener('abort', cancel, { once: true })
    follow(message, send, limits.answerBytes, controller.signal).then(finish, (error: unknown) =>
      finish({ kind: 'network', error: errorName(error) }),
    )
  })
}

async function follow(
  message: Message,
  send: Send,
  answerBytes: number,
  signal: AbortSignal,
): Promise<ExchangeEnd> {
  let current = message
  for (let redirects = 0; ; redirects += 1) {
    const answer = await send(current, signal)
    if (answer instanceof Response) return await read(answer, answerBytes)
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

async function read(response: Response, answerBytes: number): Promise<ExchangeEnd> {
  const { status, headers, ok } = response
  // Only one that does not say where to arrives here.
  if (status >= 300 && status < 400) return { kind: 'redirect', status, to: null }
  const body = await readBody(response, ok ? answerBytes : refusalBytes, ok)
  if (body === null) return { kind: 'too-large', status, limitBytes: answerBytes }
  return {
    kind: 'answer',
    status,
    contentType: headers.get('content-type'),
    retryAfter: headers.get('retry-after'),
    date: headers.get('date'),
    body,
  }
}

/**
 * Reads a body as UTF-8. One that is longer than the limit gives null where it must be whole, else its beginning;
 * the same goes for one that breaks off.
 */
async function readBody(
  response: Response,
  limitBytes: number,
  mustBeWhole: boolean,
): Promise<string | null> {
  if (response.body === null) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const texts: string[] = []
  let bytes = 0
  for (;;) {
    const part = await reader.read().catch((error: unknown) => {
      if (mustBeWhole) throw error
      return { done: true as const, value: undefined }
    })
    if (part.done) break
    bytes += part.value.byteLength
    if (bytes > limitBytes) {
      if (mustBeWhole) return null
      break
    }
    texts.push(decoder.decode(part.value, { stream: true }))
  }
  texts.push(decoder.decode())
  return texts.join('')
}

/** The name of a network error, which Electron puts into the message: `net::ERR_CONNECTION_REFUSED`. */
function errorName(error: unknown): string | null {
  const message = error instanceof Error ? error.message : String(error)
  return /\bnet::(ERR_[A-Z0-9_]+)/.exec(message)?.[1] ?? null
}
