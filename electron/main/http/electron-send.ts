import { type IncomingMessage, net } from 'electron'
import { systemNetwork } from '@contract'
import { comparableHost } from './host-name'
import type { HttpTarget } from './port'
import { sendOneTimeBody } from './one-time-body'
import { proxyCredentials } from './proxy'
import { type Answer, CertificateRefused, FailedOnConnection, type Redirect, type Send } from './send'
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

function sendThrough(
  { session, refusals, accepted }: PreparedSession,
  { network = systemNetwork }: HttpTarget,
): Send {
  return (message, signal) =>
    new Promise<Answer | Redirect>((resolve, reject) => {
      const url = new URL(message.url)
      const host = comparableHost(url.hostname)
      // Without a tunnel, a 407 may as well be the service's own answer to what it has done.
      const isTunnelled = url.protocol === 'https:'
      // To sign in to a proxy without a tunnel, Chromium sends the request a second time: its body must be there again.
      const signsIn = !isTunnelled && network.proxy.mode === 'manual' && network.proxy.credentials !== null
      const oneTimeBody = signsIn || lengthWanted.has(url.origin) ? undefined : message.body
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
      let isBodyTaken = (): boolean => false

      // Also ends an answer that is given up while it is being read.
      const abort = (): void => {
        request.abort()
        reject(new Error('Aborted.'))
      }
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort, { once: true })

      request.on('login', (asking, answer) => {
        const credentials = asking.isProxy && !signedIn ? proxyCredentials(network.proxy, asking) : null
        if (credentials) {
          signedIn = true
          answer(credentials.userName, credentials.password)
        } else {
          proxyRefuses ||= asking.isProxy && isTunnelled
          answer()
        }
      })
      request.on('redirect', (status, _method, to) => {
        request.abort()
        resolve({ status, to })
      })
      request.on('response', (response) => {
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

/** A proxy that makes no tunnel without other credentials ends as a failed tunnel, or as its own answer: both are told so. */
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
