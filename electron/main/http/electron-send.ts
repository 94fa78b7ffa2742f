import { type IncomingMessage, net } from 'electron'
import { type NetworkSettings, systemNetwork } from '@contract'
import { comparableHost } from './host-name'
import type { HttpTarget } from './port'
import { sendOneTimeBody } from './one-time-body'
import { proxyCredentials } from './proxy'
import { endStuckScript, readAgainAfterLoss } from './proxy-scripts'
import {
  type Answer,
  CertificateRefused,
  FailedOnConnection,
  type Message,
  type Redirect,
  type Send,
} from './send'
import { type PreparedSession, sessionOf, throwAwaySession } from './sessions'

/** The origins that may want to know the length of a body beforehand, as an answer of theirs said in this run. */
const lengthWanted = new Set<string>()

/** With these, services refuse a body in chunks that they can't read: 411 says so, the others may mean it. */
const mayWantLength: readonly number[] = [400, 411, 501]

/** The way to send through the session of the target's environment, with its certificates and its proxy. */
export async function sendForEnvironment(environmentId: string, target: HttpTarget): Promise<Send> {
  return sendThrough(await sessionOf(environmentId, originOf(target), target.network), target)
}

/** Does something with a session that is empty again afterwards. */
export async function withThrowAwaySession<T>(
  target: HttpTarget,
  use: (send: Send) => Promise<T>,
): Promise<T> {
  const own = await throwAwaySession(originOf(target), target.network)
  try {
    return await use(sendThrough(own, target))
  } finally {
    own.release()
  }
}

function originOf({ baseUrl }: HttpTarget): string {
  return new URL(baseUrl).origin
}

function sendThrough(prepared: PreparedSession, { network = systemNetwork }: HttpTarget): Send {
  const send = readAgainAfterLoss(prepared.session, network.proxy, sendOver(prepared, network))
  const hasPassword = network.proxy.mode === 'manual' && network.proxy.credentials !== null
  return async (message, signal) => {
    if (hasPassword && message.method === 'POST' && !isTunnelled(message.url)) {
      await signIn(prepared, send, message, signal)
    }
    return await send(message, signal)
  }
}

/**
 * Makes the proxy's password known to a session before a POST, by a request that changes nothing. To answer a 407,
 * Chromium sends a request once more, and on a connection that counts as used from then on: should that break, it sends
 * the request yet again, after the service may have carried it out. A password that is known goes along at once, on the
 * new connection that comes after this.
 */
async function signIn(
  { session }: PreparedSession,
  send: Send,
  message: Message,
  signal: AbortSignal,
): Promise<void> {
  const asking = { ...message, method: 'HEAD', body: undefined } as const
  // Any other trouble meets the POST as well, and is told of it.
  const answer = await send(asking, signal).catch(() => null)
  if (answer?.status === 407) throw proxyError()
  await session.closeAllConnections()
}

/** Without a tunnel, a 407 may as well be the service's own answer to what it has done. */
const isTunnelled = (url: string): boolean => new URL(url).protocol === 'https:'

function sendOver({ session, refusals, accepted }: PreparedSession, network: NetworkSettings): Send {
  return (message, signal) =>
    new Promise<Answer | Redirect>((resolve, reject) => {
      const url = new URL(message.url)
      const host = comparableHost(url.hostname)
      const tunnelled = isTunnelled(message.url)
      const oneTimeBody = lengthWanted.has(url.origin) ? undefined : message.body
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

      // Also ends an answer that is given up while it is being read.
      const abort = (): void => {
        if (!isSettled) void endStuckScript(session, network.proxy, message.url).catch(() => undefined)
        request.abort()
        reject(new Error('Aborted.'))
      }
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })

      request.on('login', (asking, answer) => {
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
        if (oneTimeBody && mayWantLength.includes(response.statusCode)) lengthWanted.add(url.origin)
        if (proxyRefuses) {
          request.abort()
          reject(proxyError())
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
        } else if (isBodyTaken()) reject(new FailedOnConnection(error.message))
        else reject(proxyRefuses ? proxyError() : error)
      })
      if (oneTimeBody) isBodyTaken = sendOneTimeBody(request, oneTimeBody, signal)
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
