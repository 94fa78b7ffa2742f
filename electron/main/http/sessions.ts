import { createHash, randomUUID } from 'node:crypto'
import type { NetworkSettings } from '@contract'
import { app, type Session, session } from 'electron'
import { normalizeHost } from './certificates'
import { NotSent } from './exchange'
import { proxyConfig } from './proxy'
import { type Refusal, decide } from './trust'

/** What a session is set up for. Nothing that Chromium learns in it counts for other settings or another origin. */
export interface SessionSettings {
  network: NetworkSettings
  /** The origin of the base URL. */
  origin: string
}

/** Equal for equal settings. A hash, because settings may contain a proxy's password. */
export function settingsKey({ network: { trust, proxy }, origin }: SessionSettings): string {
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
