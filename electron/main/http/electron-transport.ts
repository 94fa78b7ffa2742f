import { type IncomingMessage, net } from 'electron'
import { type NetworkSettings, systemNetwork } from '@contract'
import { withTimeout } from '../async'
import { normalizeHost } from './certificates/host-name'
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

/** How long the proxy sign-in before a POST may take, in milliseconds. */
const signInMs = 4_000

/** Schemes that sign in one connection, and not the next (RFC 4559, 6). */
const perConnection: readonly string[] = ['ntlm', 'negotiate']

/** Sends through the session of the target's environment, with its certificate rule and its proxy. */
export function sendForEnvironment(environmentId: string, target: HttpTarget): Send {
  const lend = (): Promise<PreparedSession> =>
    sessionOf(environmentId, originOf(target), target.network, target.edition)
  return sendThrough(lend, target)
}

/** Runs `use` with a session that is cleared afterwards, and with another one if that has ended. */
export async function withThrowAwaySession<T>(
  target: HttpTarget,
  use: (send: Send) => Promise<T>,
): Promise<T> {
  const purpose = target.environmentId === null ? 'checks' : 'environments'
  const lent: Promise<PreparedSession>[] = []
  const lend = (): Promise<PreparedSession> => {
    const own = throwAwaySession(purpose, originOf(target), target.network)
    lent.push(own)
    return own
  }
  try {
    return await use(sendThrough(lend, target))
  } finally {
    for (const own of lent) void giveBack(own)
  }
}

function originOf({ baseUrl }: HttpTarget): string {
  return new URL(baseUrl).origin
}

/**
 * A request keeps the session that it began with: a later one may have other settings. Only a GET that is repeated
 * after the network process has ended gets another session, for the same settings.
 */
function sendThrough(lend: () => Promise<PreparedSession>, { network = systemNetwork }: HttpTarget): Send {
  let lent = lend()
  // The sender handles the rejection, but there may be no sender.
  lent.catch(() => undefined)
  let sends = 0
  const hasPassword = network.proxy.mode === 'manual' && network.proxy.credentials !== null
  return async (message, signal, reportBegun) => {
    reportBegun(() => false)
    sends += 1
    if (sends > 1 && message.method === 'GET' && (await lent).endedBy() === 'network-process') lent = lend()
    const own = await lent
    if (signal.aborted) throw new Error('Aborted.')
    const send = readAgainAfterLoss(own.session, network.proxy, sendOver(own, network))
    if (hasPassword && message.method === 'POST' && !isTunnelled(message.url)) {
      await signIn(own, send, message, signal)
    }
    return await send(message, signal, reportBegun)
  }
}

/**
 * Signs in to the proxy before a POST, with a request that changes nothing. To answer a 407, Chromium sends a request
 * again, on a connection that then counts as reused. If that breaks, Chromium sends the request once more, although the
 * service may have carried it out. After the sign-in, Chromium sends the password at once, on a new connection. A
 * scheme that signs in one connection only doesn't allow that: `NotSent`. If the service doesn't answer this request,
 * the proxy has still accepted the password.
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
    // The POST runs into all other failures too, and reports them.
    return null
  })
  if (answer?.status === 407) throw proxyError()
  await session.closeAllConnections()
}

/** Without a tunnel, a 407 may come from the service, after it has carried out the request. */
const isTunnelled = (url: string): boolean => new URL(url).protocol === 'https:'

function sendOver(prepared: PreparedSession, network: NetworkSettings): Send {
  const { session, refusals, accepted } = prepared
  return (message, signal, reportBegun) =>
    new Promise<Answer | Redirect>((resolve, reject) => {
      if (signal.aborted) return reject(new Error('Aborted.'))
      const why = prepared.endedBy()
      if (why) return reject(new NotSent(why))
      const url = new URL(message.url)
      const host = normalizeHost(url.hostname)
      const tunnelled = isTunnelled(message.url)
      const oneTimeBody = isLengthWanted(message.url, network) ? undefined : message.body
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
      let isSettled = false
      let isBodyTaken = (): boolean => false
      // A body with its length leaves as a whole. `mayLeave` is asked before Chromium connects, not once it has.
      let hasLeft = message.mayLeave === undefined
      reportBegun(() => (oneTimeBody === undefined ? hasLeft : isBodyTaken()))
      const failed = (error: Error): Error =>
        oneTimeBody === undefined ? error : new FailedWithBody(error.message, isBodyTaken())

      // Also ends an answer that is being read.
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
        // A POST without a tunnel is never sent twice: `signIn` has signed in before it.
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
        // The reader of the body gets this error. Without a listener here, an error after that would be uncaught.
        response.on('error', () => undefined)
        if (proxyRefuses) {
          request.abort()
          reject(failed(proxyError()))
        } else {
          resolve(answerOf(response, prepared))
        }
      })
      request.on('error', (error) => {
        isSettled = true
        // An error of the upload stream. It also breaks if the answer comes before the whole body was sent.
        if (isBodyTaken() && !/\bnet::/.test(error.message)) return
        const refusal = /\bERR_(?:CERT_|FAILED\b)/.test(error.message) ? refusals.get(host) : undefined
        if (refusal) {
          // The request may have left on an accepted connection before Chromium sent it again on another one.
          const mayHaveLeft = oneTimeBody ? isBodyTaken() : accepted.has(host)
          reject(new CertificateRefused(error.message, refusal, !mayHaveLeft))
        } else reject(failed(proxyRefuses ? proxyError() : error))
      })
      const holdBack = (): void => {
        isSettled = true
        reject(new NotSent('held-back'))
        request.abort()
      }
      const { mayLeave = () => Promise.resolve(true) } = message
      if (oneTimeBody) isBodyTaken = sendOneTimeBody(request, oneTimeBody, signal, mayLeave, holdBack)
      else if (hasLeft) request.end(message.body)
      else {
        const send = (may: boolean): void => {
          if (signal.aborted) return
          if (!may) return holdBack()
          hasLeft = true
          request.end(message.body)
        }
        mayLeave().then(send, holdBack)
      }
    })
}

/**
 * A proxy that requires other credentials ends a request with a failed tunnel, or with an answer. Both become this
 * error.
 */
function proxyError(): Error {
  return new Error('net::ERR_PROXY_AUTH_REQUESTED')
}

/**
 * The parts of an answer's body. If Chromium's network process ends, an incomplete body may end like a complete one.
 * Electron reports that a moment later.
 */
async function* bodyOf(response: IncomingMessage, { endedBy }: PreparedSession): AsyncGenerator<Uint8Array> {
  // It is a readable stream, which Electron's type omits.
  yield* response as unknown as AsyncIterable<Uint8Array>
  if (endedBy() === null) await new Promise((resolve) => setImmediate(resolve))
  if (endedBy() === 'network-process') throw new Error('The network process ended.')
}

function answerOf(response: IncomingMessage, prepared: PreparedSession): Answer {
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
    location: header('location'),
    body: bodyOf(response, prepared),
  }
}
