import type { EventEmitter } from 'node:events'
import { type ClientRequest, type IncomingMessage, net } from 'electron'
import { systemNetwork } from '@contract'
import { normalizeHost } from './certificates'
import { type Answer, CertificateRefused, type Message, NotSent, type Redirect, type Send } from './exchange'
import { proxyCredentials } from './proxy'
import {
  giveBack,
  lendSession,
  type PreparedSession,
  type SessionSettings,
  settingsKey,
  sharedSession,
} from './sessions'
import type { HttpTarget } from './types'

/** How long the proxy sign-in before a POST may take, in milliseconds. */
const signInMs = 4_000

/** Schemes that sign in one connection, and not the next (RFC 4559, 6). */
const perConnection: readonly string[] = ['ntlm', 'negotiate']

/** Services reject a body without its length with these: 411 says so, 501 may mean it. */
const lengthWanted: readonly number[] = [411, 501]

/** The settings (`settingsKey`) under which a service has required the length of a body in this run. */
const lengthWantedBy = new Set<string>()

/** Sends over the session that all requests with the target's certificate rule and proxy share. */
export function sendOverShared(target: HttpTarget): Send {
  const settings = settingsOf(target)
  return async (message, signal, reportBegun) => {
    reportBegun(() => false)
    const prepared = await sharedSession(settings)
    return await sendOver(prepared, settings, message, signal, reportBegun)
  }
}

/** Runs `use` with a session that nothing else is sent over. */
export async function withOwnSession<T>(target: HttpTarget, use: (send: Send) => Promise<T>): Promise<T> {
  const settings = settingsOf(target)
  const lent = lendSession(settings)
  // `use` gets the rejection when it sends, if it does.
  lent.catch(() => undefined)
  try {
    return await use(async (message, signal, reportBegun) => {
      reportBegun(() => false)
      const prepared = await lent
      if (signal.aborted) throw new Error('Aborted.')
      await signIn(prepared, settings, message, signal)
      return await sendOver(prepared, settings, message, signal, reportBegun)
    })
  } finally {
    void lent.then(
      (prepared) => giveBack(settings, prepared),
      () => undefined,
    )
  }
}

const settingsOf = ({ baseUrl, network = systemNetwork }: HttpTarget): SessionSettings => ({
  network,
  origin: new URL(baseUrl).origin,
})

/**
 * Signs in to a proxy with a password before a POST that has no tunnel, with a request that changes nothing. To answer
 * a 407, Chromium sends a request again, on a connection that then counts as reused. If that breaks, Chromium sends the
 * request once more, although the service may have carried it out. After the sign-in, Chromium sends the password at
 * once, on a new connection. A scheme that signs in one connection only doesn't allow that: `NotSent`. If the service
 * doesn't answer this request, the proxy has still accepted the password.
 */
async function signIn(
  prepared: PreparedSession,
  settings: SessionSettings,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const { proxy } = settings.network
  if (proxy.mode !== 'manual' || proxy.credentials === null || isTunnelled(message.url)) return
  const asking = { ...message, method: 'HEAD', body: undefined } as const
  const limited = AbortSignal.any([signal, AbortSignal.timeout(signInMs)])
  const answer = await sendOver(prepared, settings, asking, limited, () => undefined).catch(
    (error: unknown) => {
      if (error instanceof NotSent) throw error
      // The POST runs into all other failures too, and reports them.
      return null
    },
  )
  if (answer?.status === 407) throw proxyError()
  await prepared.session.closeAllConnections()
}

/** Without a tunnel, a 407 may come from the service, after it has carried out the request. */
const isTunnelled = (url: string): boolean => new URL(url).protocol === 'https:'

function sendOver(
  prepared: PreparedSession,
  settings: SessionSettings,
  message: Message,
  signal: AbortSignal,
  reportBegun: Parameters<Send>[2],
): Promise<Answer | Redirect> {
  const { session, refusals } = prepared
  const { proxy } = settings.network
  return new Promise<Answer | Redirect>((resolve, reject) => {
    if (signal.aborted) return reject(new Error('Aborted.'))
    const url = new URL(message.url)
    const host = normalizeHost(url.hostname)
    const tunnelled = isTunnelled(message.url)
    const oneTimeBody = lengthWantedBy.has(settingsKey(settings)) ? undefined : message.body
    // Without `credentials` and `useSessionCookies`, no cookies are sent or stored, and a proxy can still ask for a
    // sign-in.
    const request = net.request({
      session,
      url: url.href,
      method: message.method,
      // Chromium would follow redirects with all headers, to any origin.
      redirect: 'manual',
      referrerPolicy: 'no-referrer',
      // Answers may contain secrets, so none is cached.
      cache: 'no-store',
    })
    for (const [name, value] of Object.entries(message.headers)) request.setHeader(name, value)
    let signedIn = false
    let proxyRefuses = false
    let isBodyTaken = (): boolean => false
    // If Chromium has read from the body, the request may have left, whatever the error: it may be the error of another
    // connection, on which Chromium tried again. If it hasn't, the request hasn't left.
    reportBegun(() => (oneTimeBody === undefined ? undefined : isBodyTaken()))

    // Also ends an answer that is being read.
    const abort = (): void => {
      request.abort()
      reject(new Error('Aborted.'))
    }
    signal.addEventListener('abort', abort, { once: true })

    request.on('login', (asking, answer) => {
      if (message.method === 'HEAD' && asking.isProxy && perConnection.includes(asking.scheme)) {
        request.abort()
        return reject(new NotSent('proxy-sign-in'))
      }
      // A write without a tunnel is never sent twice: `signIn` has signed in before it.
      const mayAnswer =
        asking.isProxy && !signedIn && (tunnelled || message.method === 'GET' || message.method === 'HEAD')
      const credentials = mayAnswer ? proxyCredentials(proxy, asking) : null
      if (credentials) {
        signedIn = true
        answer(credentials.userName, credentials.password)
      } else {
        proxyRefuses ||= asking.isProxy && tunnelled
        answer()
      }
    })
    request.on('redirect', (status, _method, to) => {
      request.abort()
      resolve({ status, to })
    })
    request.on('response', (response) => {
      // The reader of the body gets this error. Without a listener here, an error after that would be uncaught.
      response.on('error', () => undefined)
      if (oneTimeBody !== undefined && lengthWanted.includes(response.statusCode)) {
        lengthWantedBy.add(settingsKey(settings))
      }
      if (proxyRefuses) {
        request.abort()
        reject(proxyError())
      } else {
        resolve(answerOf(response))
      }
    })
    request.on('error', (error) => {
      // An error of the upload stream. It also breaks if the answer comes before the whole body was sent.
      if (isBodyTaken() && !/\bnet::/.test(error.message)) return
      const refusal = /\bERR_(?:CERT_|FAILED\b)/.test(error.message) ? refusals.get(host) : undefined
      if (refusal) reject(new CertificateRefused(error.message, refusal))
      else reject(proxyRefuses ? proxyError() : error)
    })
    if (oneTimeBody) isBodyTaken = sendOneTimeBody(request, oneTimeBody, signal)
    else request.end(message.body)
  })
}

/**
 * Starts a request with a body that Chromium can read only once. If Chromium sends the request again by itself, that
 * has no body and fails: .github/decisions/0008-creations-leave-once.md. The first byte of the body is offered alone,
 * and the rest follows once Chromium has taken it. Before that, the request can't have been sent.
 *
 * @returns whether Chromium has taken the first byte
 */
function sendOneTimeBody(request: ClientRequest, body: string, signal: AbortSignal): () => boolean {
  let isTaken = false
  const bytes = Buffer.from(body)
  request.chunkedEncoding = true
  // Nobody listens to Electron's own stream to Chromium. If a connection ends before the body does, its error would end
  // the process. The request itself reports how it ended.
  ;(request as ClientRequest & { _body?: EventEmitter })._body?.on('error', () => undefined)
  request.write(bytes.subarray(0, 1), undefined, (error?: unknown) => {
    isTaken = true
    if (!error && !signal.aborted) request.end(bytes.subarray(1))
  })
  return () => isTaken
}

/**
 * A proxy that requires other credentials ends a request with a failed tunnel, or with an answer. Both become this
 * error.
 */
function proxyError(): Error {
  return new Error('net::ERR_PROXY_AUTH_REQUESTED')
}

function answerOf(response: IncomingMessage): Answer {
  const header = (name: string): string | null => {
    const value = response.headers[name]
    return (Array.isArray(value) ? value[0] : value) ?? null
  }
  return {
    status: response.statusCode,
    contentType: header('content-type'),
    retryAfter: header('retry-after'),
    date: header('date'),
    location: header('location'),
    // It is a readable stream, which Electron's type omits.
    body: response as unknown as AsyncIterable<Uint8Array>,
  }
}
