import { type IncomingMessage, net } from 'electron'
import { type NetworkSettings, systemNetwork } from '@contract'
import { withTimeout } from '../async'
import { normalizeHost } from '../certificates/host-name'
import { isLengthWanted } from './sessions/length-wanted'
import type { HttpTarget } from './types'
import { sendOneTimeBody } from './exchange/one-time-body'
import { proxyCredentials } from './sessions/proxy'
import { endStuckScript, readAgainAfterLoss } from './sessions/proxy-scripts'
import {
  type Answer,
  CertificateRefused,
  FailedWithBody,
  type Message,
  NotSent,
  type Redirect,
  type Send,
} from './exchange'
import { giveBack, type PreparedSession, sessionOf, throwAwaySession } from './sessions'

/** How long signing in to a proxy may take before a POST, in milliseconds. */
const signInMs = 4_000

/** Ways to sign in to a proxy that hold for one connection, not for the next (RFC 4559, 6). */
const perConnection: readonly string[] = ['ntlm', 'negotiate']

/** The way to send through the session of the target's environment, with its certificates and its proxy. */
export function sendForEnvironment(environmentId: string, target: HttpTarget): Send {
  const prepared = sessionOf(environmentId, originOf(target), target.network, target.edition)
  return sendThrough(prepared, target)
}

/** Does something with a session that is empty again afterwards. */
export async function withThrowAwaySession<T>(
  target: HttpTarget,
  use: (send: Send) => Promise<T>,
): Promise<T> {
  const purpose = target.environmentId === null ? 'checks' : 'environments'
  const own = throwAwaySession(purpose, originOf(target), target.network)
  try {
    return await use(sendThrough(own, target))
  } finally {
    void giveBack(own)
  }
}

function originOf({ baseUrl }: HttpTarget): string {
  return new URL(baseUrl).origin
}

/** A request goes on over the session it began with, or not at all: a later one may have other settings. */
function sendThrough(lent: Promise<PreparedSession>, { network = systemNetwork }: HttpTarget): Send {
  // Whoever sends is told; it may be that nobody does.
  lent.catch(() => undefined)
  const hasPassword = network.proxy.mode === 'manual' && network.proxy.credentials !== null
  return async (message, signal, tell) => {
    tell(() => false)
    const own = await lent
    if (signal.aborted) throw new Error('Aborted.')
    const send = readAgainAfterLoss(own.session, network.proxy, sendOver(own, network))
    if (hasPassword && message.method === 'POST' && !isTunnelled(message.url)) {
      await signIn(own, send, message, signal)
    }
    return await send(message, signal, tell)
  }
}

/**
 * Makes the proxy's password known to a session before a POST, by a request that changes nothing. To answer a 407,
 * Chromium sends a request once more, and on a connection that counts as used from then on: should that break, it sends
 * the request yet again, after the service may have carried it out. A password that is known goes along at once, on the
 * new connection that comes after this. Where the sign-in holds for one connection only, that isn't to be had:
 * `NotSent`. A service may leave the request without an answer, but the proxy has had its own by then.
 */
async function signIn(
  { session }: PreparedSession,
  send: Send,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const asking = { ...message, method: 'HEAD', body: undefined } as const
  const answer = await withTimeout(signInMs, (limited) => send(asking, limited, () => undefined), {
    signal,
  }).catch((error: unknown) => {
    if (error instanceof NotSent) throw error
    // The POST meets any other trouble as well, and reports it.
    return null
  })
  if (answer?.status === 407) throw proxyError()
  await session.closeAllConnections()
}

/** Without a tunnel, a 407 may as well be the service's own answer to what it has done. */
const isTunnelled = (url: string): boolean => new URL(url).protocol === 'https:'

function sendOver(prepared: PreparedSession, network: NetworkSettings): Send {
  const { session, refusals, accepted } = prepared
  return (message, signal, tell) =>
    new Promise<Answer | Redirect>((resolve, reject) => {
      if (signal.aborted) return reject(new Error('Aborted.'))
      const why = prepared.endedBy()
      if (why) return reject(new NotSent(why))
      const url = new URL(message.url)
      const host = normalizeHost(url.hostname)
      const tunnelled = isTunnelled(message.url)
      const oneTimeBody = isLengthWanted(message.url, network) ? undefined : message.body
      // Without `credentials` and `useSessionCookies`: no cookie is sent or kept, and a proxy may ask to sign in.
      const request = net.request({
        session,
        url: url.href,
        method: message.method,
        // Redirects would be followed with all headers, to any origin.
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
        // Answers may hold secrets: none is kept.
        cache: 'no-store',
      })
      for (const [name, value] of Object.entries(message.headers)) request.setHeader(name, value)
      let signedIn = false
      let proxyRefuses = false
      let isSettled = false
      let isBodyTaken = (): boolean => false
      tell(() => oneTimeBody === undefined || isBodyTaken())
      const failed = (error: Error): Error =>
        oneTimeBody === undefined ? error : new FailedWithBody(error.message, isBodyTaken())

      // Also ends an answer that is given up while it is being read.
      const abort = (): void => {
        if (!isSettled) void endStuckScript(prepared, network.proxy, message.url).catch(() => undefined)
        request.abort()
        reject(new Error('Aborted.'))
      }
      signal.addEventListener('abort', abort, { once: true })

      request.on('login', (asking, answer) => {
        if (message.method === 'HEAD' && asking.isProxy && perConnection.includes(asking.scheme)) {
          isSettled = true
          request.abort()
          return reject(new NotSent('proxy-sign-in'))
        }
        // A POST without a tunnel is never sent a second time: `signIn` has been there before.
        const mayAnswer = asking.isProxy && !signedIn && (tunnelled || message.method !== 'POST')
        const credentials = mayAnswer ? proxyCredentials(network.proxy, asking) : null
        if (credentials) {
          signedIn = true
          answer(credentials.userName, credentials.password)
        } else {
          proxyRefuses ||= asking.isProxy && tunnelled
          answer()
        }
      })
      request.on('redirect', (status, _method, to) => {
        isSettled = true
        request.abort()
        resolve({ status, to })
      })
      request.on('response', (response) => {
        isSettled = true
        // Whoever reads hears of an error there; after that nobody listens any more.
        response.on('error', () => undefined)
        if (proxyRefuses) {
          request.abort()
          reject(failed(proxyError()))
        } else {
          resolve(answerOf(response))
        }
      })
      request.on('error', (error) => {
        isSettled = true
        // Of the way to the body, which also breaks where an answer comes before the body is through.
        if (isBodyTaken() && !/\bnet::/.test(error.message)) return
        const refusal = /\bERR_(?:CERT_|FAILED\b)/.test(error.message) ? refusals.get(host) : undefined
        if (refusal) {
          // On a connection that was allowed the request may have left, before Chromium sent it again on another one.
          const mayHaveLeft = oneTimeBody ? isBodyTaken() : accepted.has(host)
          reject(new CertificateRefused(error.message, refusal, !mayHaveLeft))
        } else reject(failed(proxyRefuses ? proxyError() : error))
      })
      const holdBack = (): void => {
        isSettled = true
        reject(new NotSent('held-back'))
        request.abort()
      }
      const mayLeave = message.mayLeave ?? (() => Promise.resolve(true))
      if (oneTimeBody) isBodyTaken = sendOneTimeBody(request, oneTimeBody, signal, mayLeave, holdBack)
      else request.end(message.body)
    })
}

/** A proxy that lets nothing through without other credentials ends as a failed tunnel, or as its own answer: both are told so. */
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
    age: header('age'),
    // Electron's type leaves out that it is a stream that can be read so.
    body: response as unknown as AsyncIterable<Uint8Array>,
  }
}
