import type { EventEmitter } from 'node:events'
import { createHash, randomUUID } from 'node:crypto'
import {
  type Connection,
  fail,
  type Outcome,
  systemNetwork,
  type NetworkSettings,
  type Proxy,
} from '@contract'
import {
  type ClientRequest,
  type IncomingMessage,
  net,
  app,
  type Session,
  session,
  type ProxyConfig,
} from 'electron'
import {
  request,
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  type HttpTarget,
  type Answer,
  CertificateRefused,
  type Message,
  NotSent,
  type Redirect,
  type Send,
} from './client'
import { log } from '../log'
import { isServiceError, isUnreachable } from './failures'
import { credentialsRefusal } from './trial-engine'
import { type Refusals, type Refusal, decide } from './trust'
import { normalizeHost } from './certificates'

/**
 * The HTTP client of the application, over Electron's sessions. A request that writes has a session of its own, because Chromium
 * repeats a request if a reused connection breaks: .github/decisions/0008-creations-leave-once.md.
 *
 * On a trial engine, credentials never leave this machine: `not-allowed`.
 *
 * @param refusals stores refused certificates, so that the operator can trust one by its identifier
 * @param onOutcome called with the outcome of every request
 */
export function createHttpClient(
  refusals: Pick<Refusals, 'record'>,
  onOutcome: (target: HttpTarget, outcome: Outcome<HttpAnswer>) => void,
): HttpClient {
  watchNetworkProcess()
  async function requestOnce(httpRequest: HttpRequest): Promise<Outcome<HttpAnswer>> {
    const { target, method, secrets } = httpRequest
    const refusal = credentialsRefusal(target, secrets)
    if (refusal) return fail(refusal)
    return method === 'GET'
      ? await request(httpRequest, sendOverShared(target))
      : await withOwnSession(target, (send) => request(httpRequest, send))
  }
  return {
    request: async (httpRequest) => {
      const began = performance.now()
      const outcome = withRefusal(await requestOnce(httpRequest), httpRequest.target, refusals)
      onOutcome(httpRequest.target, outcome)
      logRequest(httpRequest, outcome, performance.now() - began)
      return outcome
    },
  }
}

/** Logs method, path, status or failure code, and duration of a request; never a query, a header or a body. */
function logRequest({ target, method, path }: HttpRequest, outcome: Outcome<HttpAnswer>, ms: number): void {
  const about = { environment: target.environmentId ?? 'draft', ms: Math.round(ms) }
  if (outcome.ok) return log.debug('http', `${method} ${path}`, { ...about, status: outcome.value.status })
  const { code, status } = outcome.failure
  log[code === 'cancelled' ? 'debug' : 'warn']('http', `${method} ${path}`, { ...about, code, status })
}

/** Whether each environment's service is reachable, according to its latest requests. */
export class Connections {
  readonly #known = new Map<string, { account: string; connection: Connection }>()

  /**
   * @param accountOf gives the account that an environment leads to now; null if that isn't known
   * @param changed called after every request, but for those to a service that is still online as before
   */
  constructor(
    private readonly accountOf: (environmentId: string) => string | null,
    private readonly changed: (connection: Connection) => void,
  ) {}

  /** Whether an edit leads to another service or account than the last request. */
  #hasMoved(environmentId: string): boolean {
    const account = this.#known.get(environmentId)?.account
    return account !== undefined && account !== (this.accountOf(environmentId) ?? account)
  }

  of(environmentId: string): Connection {
    const known = this.#hasMoved(environmentId) ? undefined : this.#known.get(environmentId)
    return known?.connection ?? { environmentId, state: 'unknown', at: null, reason: null }
  }

  /**
   * Whether a service can be called in the background: it was reached, or an edit leads to one that wasn't called yet.
   */
  mayAnswer(environmentId: string): boolean {
    return this.of(environmentId).state === 'online' || this.#hasMoved(environmentId)
  }

  /** Takes the outcome of a request of an account. */
  note(environmentId: string, account: string, outcome: Outcome<unknown>): void {
    // A late answer of another service says nothing about the environment's current one.
    if (account !== this.accountOf(environmentId)) return
    const reason = outcome.ok ? null : outcome.failure
    const offline = reason !== null && isUnreachable(reason)
    // A request that was never sent says nothing about the service.
    if (reason?.code === 'cancelled' || (reason?.sent === 'no' && !offline)) return
    const state = offline ? 'offline' : reason?.code === 'unauthorised' ? 'denied' : 'online'
    const connection: Connection = {
      environmentId,
      state,
      at: new Date().toISOString(),
      reason: reason && (state !== 'online' || isServiceError(reason)) ? reason.message : null,
    }
    const before = this.of(environmentId)
    this.#known.set(environmentId, { account, connection })
    const isAsBefore = before.state === 'online' && before.reason === connection.reason
    if (state !== 'online' || !isAsBefore) this.changed(connection)
  }

  /** Forgets what is known of an environment that was removed. */
  forget(environmentId: string): void {
    this.#known.delete(environmentId)
  }
}

/**
 * Records the certificate that a request failed with, if the operator may trust it, and adds its identifier to the
 * failure.
 */
function withRefusal(
  outcome: Outcome<HttpAnswer>,
  { environmentId, baseUrl, network = systemNetwork }: HttpTarget,
  refusals: Pick<Refusals, 'record'>,
): Outcome<HttpAnswer> {
  if (outcome.ok || !outcome.failure.certificate?.trustable) return outcome
  const { certificate } = outcome.failure
  const id = refusals.record({
    environmentId,
    origin: new URL(baseUrl).origin,
    trust: network.trust,
    certificate: certificate.certificate,
  })
  return fail({ ...outcome.failure, certificate: { ...certificate, id } })
}

/** How long the proxy sign-in before a POST may take, in milliseconds. */
const signInMs = 4_000

/** Schemes that sign in one connection, and not the next (RFC 4559, 6). */
const perConnection: readonly string[] = ['ntlm', 'negotiate']

/** Services reject a body without its length with these: 411 says so, 501 may mean it. */
const lengthWanted: readonly number[] = [411, 501]

/** The settings (`settingsKey`) under which a service has required the length of a body in this run. */
const lengthWantedBy = new Set<string>()

/** Sends over the session that all requests with the target's certificate rule and proxy share. */
function sendOverShared(target: HttpTarget): Send {
  const settings = settingsOf(target)
  return async (message, signal, reportBegun) => {
    reportBegun(() => false)
    const prepared = await sharedSession(settings)
    return await sendOver(prepared, settings, message, signal, reportBegun)
  }
}

/** Runs `use` with a session that nothing else is sent over. */
async function withOwnSession<T>(target: HttpTarget, use: (send: Send) => Promise<T>): Promise<T> {
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
      const refusal = /\bERR_(?:CERT_|FAILED\b)/.test(error.message)
        ? refusals.get(normalizeHost(url.hostname))
        : undefined
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

/** What a session is set up for. Nothing that Chromium learns in it counts for other settings or another origin. */
export interface SessionSettings {
  network: NetworkSettings
  /** The origin of the base URL. */
  origin: string
}

/** Equal for equal settings. A hash, because settings may contain a proxy's password. */
function settingsKey({ network: { trust, proxy }, origin }: SessionSettings): string {
  return createHash('sha256').update(JSON.stringify({ origin, trust, proxy })).digest('hex')
}

/** An Electron session that is set up for the settings of an environment. */
export interface PreparedSession {
  session: Session
  /**
   * The last refused certificate of each host (`normalizeHost`). Chromium remembers its verdict and doesn't ask again,
   * so the certificate must be remembered here.
   */
  refusals: ReadonlyMap<string, Refusal>
  /** Whether the network process that it was set up in still runs. Its certificate rule ends with that. */
  isAlive: () => boolean
}

/** Electron never frees a session, and each takes 0.7 MB. */
const maxSessions = 300

/** How many sessions there are in this network process. */
let made = 0

/** How many network processes have ended. The sessions of an ended process can't be used any more. */
let ended = 0

/** By `settingsKey`: the session that all requests but POSTs share, and those that wait for the next POST. */
const shared = new Map<string, Promise<PreparedSession>>()
const idle = new Map<string, PreparedSession[]>()

/**
 * Forgets every session when Chromium's network process ends. Their certificate rules end with it, and Electron sends
 * nothing over them any more.
 */
export function watchNetworkProcess(): void {
  app.on('child-process-gone', (_event, { serviceName }) => {
    if (serviceName !== 'network.mojom.NetworkService') return
    ended += 1
    made = 0
    shared.clear()
    idle.clear()
  })
}

/** The session that requests with these settings share. Rejects with `NotSent` if there is none; then try again. */
export async function sharedSession(settings: SessionSettings): Promise<PreparedSession> {
  const key = settingsKey(settings)
  const known = shared.get(key)
  if (known) return await known
  const own = makeSession(settings)
  shared.set(key, own)
  own.catch(() => shared.get(key) === own && shared.delete(key))
  return await own
}

/** A session that no other caller uses until `giveBack`. Rejects like `sharedSession`. */
export async function lendSession(settings: SessionSettings): Promise<PreparedSession> {
  return idle.get(settingsKey(settings))?.pop() ?? (await makeSession(settings))
}

/** Ends the connections of a lent session and keeps it for the next request with its settings. */
export async function giveBack(settings: SessionSettings, own: PreparedSession): Promise<void> {
  const key = settingsKey(settings)
  try {
    await own.session.clearAuthCache()
    await own.session.closeAllConnections()
    if (own.isAlive()) idle.set(key, [...(idle.get(key) ?? []), own])
  } catch {
    // It is never used again.
    if (own.isAlive()) made -= 1
  }
}

async function makeSession({ network, origin }: SessionSettings): Promise<PreparedSession> {
  if (made >= maxSessions) throw new NotSent('no-session')
  made += 1
  const madeIn = ended
  const isAlive = (): boolean => madeIn === ended
  const refusals = new Map<string, Refusal>()
  const ownHost = normalizeHost(new URL(origin).hostname)
  // Without "persist:", nothing is written to the disk.
  const own = session.fromPartition(`environment-${randomUUID()}`)
  own.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  own.setPermissionCheckHandler(() => false)
  // Otherwise every session downloads a dictionary from the Internet, even through the environment's proxy. Disabling
  // the spell checker doesn't prevent that.
  own.setSpellCheckerLanguages([])
  own.setCertificateVerifyProc((request, answer) => {
    const { verdict, refusal } = decide(network.trust, ownHost, request)
    if (refusal) refusals.set(normalizeHost(request.hostname), refusal)
    answer(verdict)
  })
  try {
    await own.setProxy(proxyConfig(network.proxy))
    // Electron doesn't wait until Chromium's network process has the proxy (electron/electron#26166): of 180 starts,
    // the first request of 6 bypassed it. The process answers this once it has.
    await own.forceReloadProxyConfig()
  } catch {
    if (isAlive()) made -= 1
    throw new NotSent('no-session')
  }
  return { session: own, refusals, isAlive }
}

/** A proxy as Electron's sessions take it, without its credentials (`proxyCredentials`). */
export function proxyConfig(proxy: Proxy): ProxyConfig {
  switch (proxy.mode) {
    case 'system':
      return { mode: 'system' }
    case 'none':
      return { mode: 'direct' }
    case 'manual':
      // A proxy that was entered for an environment applies to loopback hosts too.
      return {
        mode: 'fixed_servers',
        proxyRules: `http://${proxy.host}:${proxy.port}`,
        proxyBypassRules: '<-loopback>',
      }
    case 'pac-url':
      return { mode: 'pac_script', pacScript: proxy.url }
    case 'pac-text': {
      const script = Buffer.from(proxy.text).toString('base64')
      return { mode: 'pac_script', pacScript: `data:application/x-ns-proxy-autoconfig;base64,${script}` }
    }
  }
}

/** User name and password for a proxy that asks for them; null if none were entered, or only for another proxy. */
export function proxyCredentials(
  proxy: Proxy,
  asking: { host: string; port: number },
): { userName: string; password: string } | null {
  if (proxy.mode !== 'manual') return null
  const sameHost = normalizeHost(proxy.host) === normalizeHost(asking.host)
  return sameHost && proxy.port === asking.port ? proxy.credentials : null
}
